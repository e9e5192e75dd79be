@@ sha256: 67474bd2df30a7674601b549105006ff3bff5b42fe2c44b9a755cb21d7af76d6
// pl_act.cpp: act on programmable logic, 8x6x6 float32 to 8x6x6 float32.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// tanh by 64 entries over [-4, 4), one every 0.125
// Why these numbers: aieloom explain pl_act, in the project's folder
#include "../include/aieloom/pl/frame_buffer.h"
#include "../include/aieloom/pl/tables.h"
@@ same: 7 in kernel.cpp.j2
/// act: tanh.
const float act_value_table[] = {
    -0.9993293F, -0.9991389F, -0.99889445F, -0.99858063F, -0.9981779F, -0.997661F, -0.99699765F, -0.99614656F,
@@ same: 7 in the table
};
struct act_value {
  static constexpr float kScale = 8.0F, kLow = -4.0F, kHigh = 4.0F, kBelow = -1.0F, kAbove = 1.0F;
  static constexpr int kOffset = 32, kEntries = 64;
  static float at(int index) {
#pragma HLS bind_storage variable=act_value_table type=rom_np impl=bram
    return act_value_table[index];
@@ same: 5 in kernel.cpp.j2
/// What first sends.
struct From0 : Elements<Float, NearestEntry<layers::act_value>>, LineTraits {
  static constexpr int kChannels = 8, kHeight = 6, kWidth = 6, kBeat = 1, kInBits = 64, kInRounds = 1, kInGroups = 3,
      kInShare = 1, kInTileM = 8, kInTileRows = 1, kInSteps = 3, kInBlockRows = 4, kInBlockCols = 4;
};
using From0Turns = TileTurns<From0, PixelTiles<From0>>;

/// What second reads.
struct To0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 8, kHeight = 6, kWidth = 6, kRows = 6;
  static constexpr int kOutBits = 64, kPixels = 1, kPaddingX = 1, kWriters = 2;
  static constexpr int kOutRounds = 1, kOutPasses = 2, kOutTileK = 36, kOutTileN = 20, kOutBlockRows = 2,
      kOutBlockCols = 4, kOutHeight = 6, kOutWidth = 6, kKernelY = 3, kKernelX = 3, kPaddingY = 1;
};
using To0Order = ColumnOrder<To0, Frame<To0, Image<8, 6, 6>, InPlace>>;
@@ same: 3 in kernel.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_act(
    int frames, hls::stream<Axis<64>> in[3], hls::stream<Axis<64>> out[2]) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
@@ same: 4 in kernel.cpp.j2
    hls::stream<float> values0("values0");
#pragma HLS stream variable=values0 depth=16
    hls::stream<ap_uint<64>> words0("words0");
#pragma HLS stream variable=words0 depth=16
    float map_out[2][288];  // one image for second; a copy for each value of an output word
#pragma HLS array_partition variable=map_out dim=1 complete
#pragma HLS bind_storage variable=map_out type=ram_2p impl=bram

    FrameReader<From0, From0Turns, 3>::read_ports(in[0], in[1], in[2], values0);
    untile<From0, PixelTiles<From0>>(values0, map_out);
    gather<To0, To0Order>(map_out, words0);
    FrameWriter<To0, To0Order, 2>::write_ports(words0, out[0], out[1]);
@@ same: 2
