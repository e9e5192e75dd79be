@@ sha256: d4d775982ed056e9da049df28ea596b254f74c592b066612bce087f089b28a79
// row_store.cpp: the engine on the array.
@@ same: 4 in array_weights.cpp
#include "../include/aieloom/pl/engine/row_store.h"
@@ same: 8 in instance.cpp.j2, array_store.cpp
  using Adder = row::SumTables<TfliteSum>;
  static constexpr int kColumns = 4, kTileM = 32, kTileN = 32, kBlockM = 2, kBlockN = 8, kMostTogether = 16;
@@ same: 4 in instance.cpp.j2
/// The results of a row of chains, product after product, to the row's store.
extern "C" void row_store(
    hls::stream<Axis<128>>& channels, hls::stream<Control>& control, hls::stream<Axis<128>>& other,
    hls::stream<Control>& ask, hls::stream<Axis<128>>& made, hls::stream<Axis<128>> in[4]) {
#pragma HLS interface axis port=channels
#pragma HLS interface axis port=control
#pragma HLS interface axis port=other
@@ same: 4 in row_load.cpp, s2mm.cpp
  row::store<Engine>(channels, control, other, ask, made, in);
}
