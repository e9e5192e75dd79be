@@ sha256: 8c92dd5d4e6fac98b1e9269690e772a5ed2523344be464048339ffff8b16aa7a
// weights_one.cpp: memory to 2 streams of 64 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 2, kMemoryBits = 128;
@@ same: 4 in mover.cpp.j2
/// Memory to streams: `iterations` images of `size` words for each.
extern "C" void weights_one(
    const ap_uint<128>* memory, int size, int iterations, Port<64> out[2]) {
@@ same: 6 in mm2s.cpp
  memory_to_streams<Mover>(memory, size, iterations, out[0], out[1]);
}
