@@ sha256: 23f2c32b9f6054371b394017d0d68cccdc1aa4d7af39c12b6e8dc87f4075a5f0
// array_store.cpp: the engine on the array.
@@ same: 3 in array_load.cpp
#include "../include/aieloom/pl/engine/array_store.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  using Values = Integers;
  using Finished = MultiplierFinish;
  using Sums = TfliteSum;
  static constexpr int kRows = 4, kSumInterval = 2, kColumns = 2, kTileM = 32, kTileN = 32, kBlockM = 2, kBlockN = 8,
      kMostTogether = 16;
@@ same: 5 in instance.cpp.j2, array_store.h
extern "C" void array_store(
    const Channel<Integers::Sum>* channels, const Word<Integers::Element>* other, Word<Integers::Element>* y,
    int unit, hls::stream<Control>& control, hls::stream<Control>& done, hls::stream<Axis<128>> in[2]) {
#pragma HLS interface m_axi port=channels offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=channels bundle=control
#pragma HLS interface m_axi port=other offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=other bundle=control
#pragma HLS interface m_axi port=y offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
@@ same: 2
#pragma HLS interface axis port=done
@@ same: 2
  array::store<Engine>(channels, other, y, unit, control, done, in);
}
