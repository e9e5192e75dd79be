@@ sha256: 7cbd7fc1f8176b6fc6763871ba6c18cdc469ef8718c0809326bfb4e625f1235a
// weights_one.cpp: memory to 1 stream of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 6 in mover.cpp.j2, weights_one.cpp
    const ap_uint<64>* memory, int size, int iterations, hls::stream<ap_axiu<64, 0, 0, 0>> &out) {
@@ same: 8 in mm2s.cpp
