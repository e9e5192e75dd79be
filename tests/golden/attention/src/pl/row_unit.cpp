@@ sha256: 3cda5009df017aa00411e5d16b75a0987d9429dbe15daea004a5b12fb0dabf5d
// row_unit.cpp: the row unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements of int8 a cycle, 2 of them: 256 DSP, 102400 LUT, 148 block RAMs, modelled
#include "../include/aieloom/pl/engine/row_integers.h"
#include "../include/aieloom/pl/engine/row_unit.h"
@@ same: 7 in instance.cpp.j2, array_store.cpp
  using Rows = rows::IntegerRows;
  using Heads = rows::IntegerHeads<rows::ArrayColumns>;
  static constexpr int kUnits = 2, kMostWords = 2, kNumbers = 48, kPowers = 256, kFraction = 12, kSpread = 8,
      kMostSums = 16, kApart = 4, kHeldWords = 1, kWordChannels = 1, kParts = 2, kColumns = 2,
      kTileN = 32, kBlockN = 8, kDepth = 64;
@@ same: 4 in instance.cpp.j2
/// Layers of whole rows, and heads as an engine reads weights.
extern "C" void row_unit(
    const Word<Integers::Element>* x, const Word<Integers::Element>* w, Word<Integers::Element>* y, int unit,
    hls::stream<Control>& control, hls::stream<Control>& done) {
@@ same: 2
#pragma HLS interface m_axi port=w offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
#pragma HLS interface m_axi port=y offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
@@ same: 4 in array_load.cpp, sequencer.cpp
  rows::told<Engine>(x, w, y, unit, control, done);
}
