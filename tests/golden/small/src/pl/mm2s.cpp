@@ sha256: 549a9ca5d7a993d2d640aa7e8dae18a36825fe7b80068769a26d2c85042f16d4
// mm2s.cpp: memory to 3 streams of 64 bits.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
#include "../include/aieloom/pl/movers.h"
@@ same: 5 in instance.cpp.j2
struct Mover {
  static constexpr int kBits = 64, kStreams = 3, kMemoryBits = 64;
@@ same: 4 in instance.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void mm2s(
    const ap_uint<64>* memory, int size, int iterations, hls::stream<Axis<64>> out[3]) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem max_read_burst_length=64 num_read_outstanding=16
#pragma HLS interface s_axilite port=memory bundle=control
#pragma HLS interface s_axilite port=size bundle=control
#pragma HLS interface s_axilite port=iterations bundle=control
#pragma HLS interface axis port=out
#pragma HLS interface s_axilite port=return bundle=control
  memory_to_streams<Mover>(memory, size, iterations, out[0], out[1], out[2]);
}
