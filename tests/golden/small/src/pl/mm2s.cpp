@@ sha256: 661860de083ac25753a16e0c7346b65468931d0a3a0209a98b82d27d54e5f71a
// mm2s.cpp: memory to 3 streams of 64 bits.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 3, kMemoryBits = 64;
@@ same: 4 in mover.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void mm2s(
    const ap_uint<64>* memory, int size, int iterations, hls::stream<ap_axiu<64, 0, 0, 0>> out[3]) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem max_read_burst_length=64 num_read_outstanding=16
#pragma HLS interface s_axilite port=memory bundle=control
#pragma HLS interface s_axilite port=size bundle=control
#pragma HLS interface s_axilite port=iterations bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=out
  memory_to_streams<Mover>(memory, size, iterations, out[0], out[1], out[2]);
}
