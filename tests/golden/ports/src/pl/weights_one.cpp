@@ sha256: 2da51e83c4ad1bf9376aa317f80c38e946dcd9cd080840dcf6a60385bf867a3d
// weights_one.cpp: memory to 2 streams of 64 bits.
@@ same: 7 in mm2s.cpp, instance.cpp.j2
struct Mover {
  static constexpr int kBits = 64, kStreams = 2, kMemoryBits = 128;
@@ same: 4 in instance.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void weights_one(
    const ap_uint<128>* memory, int size, int iterations, hls::stream<Axis<64>> out[2]) {
@@ same: 6 in mm2s.cpp
  memory_to_streams<Mover>(memory, size, iterations, out[0], out[1]);
}
