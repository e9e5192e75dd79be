@@ sha256: e563ea5745851fd82bcbbb5780e4da0073df259dda828a69424d078a67f3fb19
// vector_unit.cpp: the vector unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements of int8 a cycle: 304 DSP, 59200 LUT, modelled
#include "../include/aieloom/pl/engine/vector_unit.h"
@@ same: 7 in instance.cpp.j2, array_store.cpp
  using Sums = TfliteSum;
  using Trained = vector::IntegerWeights<MultiplierFinish, 2048>;
  static constexpr int kInterval = 1, kApart = 4, kUnits = 1, kNumbers = 48;
@@ same: 4 in instance.cpp.j2
/// Sums of two tensors, pools, depthwise convolutions, functions by table and bounds.
extern "C" void vector_unit(
    const Word<Integers::Element>* a, const Word<Integers::Element>* b, const Word<Integers::Element>* table,
    Word<Integers::Element>* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
#pragma HLS interface m_axi port=a offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=a bundle=control
#pragma HLS interface m_axi port=b offset=slave bundle=b max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=b bundle=control
#pragma HLS interface m_axi port=table offset=slave bundle=b max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=table bundle=control
@@ same: 6 in array_store.cpp, array_load.cpp, sequencer.cpp
  vector::told<Engine>(a, b, table, y, unit, control, done);
}
