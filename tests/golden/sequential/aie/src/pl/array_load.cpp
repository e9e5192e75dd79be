@@ sha256: 3c5e8002604a437b36cdee7e7e76c27f4ea967db777932e40299742e07b28cb6
// array_load.cpp: the engine on the array.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 4 x 2 chains of 3 cores on the array: 128 pixels x 64 output channels, 192 of K a pass; 7,680 GOP/s at 1250 MHz at most
// 10 movers in the logic: 960 DSP, 237200 LUT, 72 UltraRAM blocks, modelled
#include "../include/aieloom/pl/engine/array_load.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  using LineStorage = Uram;
  static constexpr int kRows = 4, kParts = 3, kTileM = 32, kTileWords = 4, kBlockM = 2, kBits = 8, kRowBits = 64,
      kTailWords = 2, kLineWords = 4096, kWeightWords = 128, kCacheWords = 4096;
@@ same: 4 in instance.cpp.j2
/// The inputs of row `unit` of chains, product after product.
extern "C" void array_load(
    const ap_uint<128>* x, int unit, hls::stream<Control>& control, hls::stream<Axis<128>> out[3]) {
#pragma HLS interface m_axi port=x offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=x bundle=control
#pragma HLS interface s_axilite port=unit bundle=control
#pragma HLS interface axis port=control
@@ same: 2
  array::load<Engine>(x, unit, control, out);
}
