@@ sha256: 32a323ec00a8ddeb99dfba8e409068e0811bea1357ed8776ac9cba73cd7602c1
// weights_one.cpp: memory to 2 streams of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 2, kMemoryBits = 128;
@@ same: 4 in mover.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void weights_one(
    const ap_uint<128>* memory, int size, int iterations, hls::stream<ap_axiu<64, 0, 0, 0>> out[2]) {
@@ same: 6 in mm2s.cpp
  memory_to_streams<Mover>(memory, size, iterations, out[0], out[1]);
}
