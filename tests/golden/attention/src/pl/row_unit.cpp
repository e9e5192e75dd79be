@@ sha256: 276ac8be4dbf0d10b0b082233dc34998ee5b15da1cc1d33113956a93cbec68f2
// row_unit.cpp: the row unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements of int8 a cycle, 2 of them: 256 DSP, 102400 LUT, 148 block RAMs, modelled
@@ same: 2
#include <hls_fence.h>
@@ same: 6 in vector_unit.cpp.j2
constexpr int kLanes = 16;  // elements of a word of device memory
constexpr int kRowUnits = 2;  // that share images
constexpr int kMostWords = 2;  // of a row
constexpr int kNumbers = 48;  // of a layer that the sequencer sends
constexpr int kWordChannels = 1;  // whose numbers beside weights lie in a word
constexpr int kPowers = 256;  // of the table of exponentials
constexpr int kFraction = 12;  // bits of a normalised value behind the point
constexpr int kSpread = 8;  // bits of a variance behind the point
constexpr int kMostSums = 16;  // columns of a head
constexpr int kApart = 4;  // turns from a channel's sum to its next element
constexpr int kHeldWords = 1;  // of each bank: keys or values of a head
constexpr int kParts = 2;  // cores of a chain: parts of K
constexpr int kColumns = 2;  // columns of chains
constexpr int kTileN = 32;  // columns of a core's tile
constexpr int kDepth = 64;  // places of K of a core's tile
constexpr int kBlockN = 8;  // columns of an mmul
@@ same: 4 in row_store.cpp.j2, vector_unit.cpp.j2
enum Operation { kNorm = 0, kAffine = 1, kShares = 2, kLayOut = 3, kGelu = 4, kGeluTanh = 5, kSilu = 6, kSigmoid = 7, kTanh = 8 };
@@ same: 445 in vector_unit.cpp.j2, row_unit.cpp.j2, row_int8.j2, row_moves.j2, row_largest.j2, row_floats.j2, row_columns.j2, row_hold_int8.j2, columns_array.j2
void lay_out(const Word* x, const Word* w, Word* y, const int (&n)[kNumbers], int first, int images) {
@@ same: 14 in row_columns.j2
  const Word head = w[n[2]];
@@ same: 14 in row_columns.j2, vector_unit.cpp.j2, row_control.j2
extern "C" void row_unit(const Word* x, const Word* w, Word* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
@@ same: 2
#pragma HLS interface m_axi port=w offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
#pragma HLS interface m_axi port=y offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
@@ same: 30 in array_load.cpp.j2, array_store.cpp.j2, row_control.j2, row_memory.h
