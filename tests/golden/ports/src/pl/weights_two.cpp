@@ sha256: 876ae9032c3960e7b09892a10818cbc6e4060488cdb6344ef5a950bf8f5ae2a6
// weights_two.cpp: memory to 1 stream of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 4 in mover.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void weights_two(
    const ap_uint<64>* memory, int size, int iterations, hls::stream<ap_axiu<64, 0, 0, 0>> &out) {
@@ same: 8 in mm2s.cpp
