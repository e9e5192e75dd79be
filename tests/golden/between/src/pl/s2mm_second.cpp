@@ sha256: c9c41b3c4722c0cc2a06a4be7ba7a09850261e2d8139607b17dedf63cd289dc0
// s2mm_second.cpp: memory from 1 stream of 128 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 4 in mover.cpp.j2
/// Streams to memory: images of `size` words from each.
extern "C" void s2mm_second(
@@ same: 9 in s2mm.cpp, mm2s.cpp
