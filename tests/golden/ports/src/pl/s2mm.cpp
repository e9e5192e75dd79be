@@ sha256: 7efcf65734e21d99a58e9445fa395d1b3b9a0da291cd018928a5c1f1688cebc8
// s2mm.cpp: memory from 1 stream of 128 bits.
@@ same: 36
