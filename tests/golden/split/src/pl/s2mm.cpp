@@ sha256: 8eca9c58839d2fc879964cd8fa7cd89ffae8c8d74f1226a9a650c5a43ebc9ee2
// s2mm.cpp: memory from 1 stream of 128 bits.
@@ same: 36
