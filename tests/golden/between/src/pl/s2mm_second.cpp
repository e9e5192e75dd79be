@@ sha256: 9deb428edabb83c4eee642d6473b6fc4a9c4984e6078e9b7c7c1e27dfb076c2c
// s2mm_second.cpp: memory from 1 stream of 128 bits.
@@ same: 13 in mm2s.cpp, instance.cpp.j2, s2mm.cpp
/// Streams to memory: images of `size` words from each.
extern "C" void s2mm_second(
@@ same: 9 in s2mm.cpp, mm2s.cpp
