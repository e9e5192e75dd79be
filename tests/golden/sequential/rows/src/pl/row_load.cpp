@@ sha256: a8571a96144965d2941f73856913d5ff3a5e2c1c7b195925fcf1758f8192c701
// row_load.cpp: the engine on the array.
@@ same: 4 in array_weights.cpp
#include "../include/aieloom/pl/engine/row_load.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  using LineStorage = Bram;
  using Folded = row::FoldsBands;
  using Trained = row::Depthwise;
  using Finished = MultiplierFinish;
  static constexpr int kParts = 3, kTileM = 32, kTileWords = 6, kBlockM = 2, kTailWords = 2, kLineWords = 2048,
      kBandPixels = 1024, kPlaces = 16, kFoldInterval = 3, kMostWords = 128, kMostWeights = 2048;
@@ same: 4 in instance.cpp.j2
/// The inputs of a row of chains: windows of what the row's store sends; what it folds goes back to the store.
extern "C" void row_load(
    hls::stream<Axis<128>>& trained, hls::stream<Control>& control, hls::stream<Axis<128>>& in,
    hls::stream<Control>& ask, hls::stream<Axis<128>>& made, hls::stream<Axis<128>> out[3]) {
#pragma HLS interface axis port=trained
#pragma HLS interface axis port=control
#pragma HLS interface axis port=in
#pragma HLS interface axis port=ask
#pragma HLS interface axis port=made
@@ same: 2
  row::load<Engine>(trained, control, in, ask, made, out);
}
