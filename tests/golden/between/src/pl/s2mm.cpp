@@ sha256: a152c70f78d352a48131bddd03e54ce118611c156eac0562302aa6ec87339457
// s2mm.cpp: memory from 1 stream of 128 bits.
@@ same: 36
