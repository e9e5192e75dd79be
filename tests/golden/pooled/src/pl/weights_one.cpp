@@ sha256: ef37fa304744b05219fc5dfd35f54faab0dbb9f3d8bf509df1a17a9736082d96
// weights_one.cpp: memory to 1 stream of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 6 in mover.cpp.j2, weights_one.cpp
    const ap_uint<64>* memory, int size, int iterations, Port<64> &out) {
@@ same: 8 in mm2s.cpp
