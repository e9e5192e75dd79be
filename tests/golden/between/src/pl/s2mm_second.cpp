@@ sha256: 7b089a6d6ebcbdc12e1baf3aac9f4e4fd936c97b8a6f6a27e01f49179bd74b29
// s2mm_second.cpp: memory from 1 stream of 128 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 4 in mover.cpp.j2
/// Streams to memory: `iterations` images of `size` words from each.
extern "C" void s2mm_second(
@@ same: 9 in s2mm.cpp, mm2s.cpp
