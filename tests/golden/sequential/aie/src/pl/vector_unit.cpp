@@ sha256: b2b1ea2235fbe3fa69b3fcf2681b02f85208abb97dd4e5908811757e96b00239
// vector_unit.cpp: the vector unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements of int8 a cycle: 304 DSP, 59200 LUT, modelled
@@ same: 2
#include <hls_fence.h>
@@ same: 6 in vector_unit.cpp.j2
constexpr int kLanes = 16;  // channels of a word of device memory
constexpr int kBlock = 128;  // words of a pixel that are folded together
constexpr int kQueue = 256;  // words between loads, folds and stores
constexpr int kApart = 4;  // turns from a word's tap to its next one
constexpr int kMostWeights = 2048;  // words of weights
constexpr int kVectorUnits = 1;  // that share images
@@ same: 3 in row_store.cpp.j2
using Bound = std::int32_t;
@@ same: 2
constexpr int kNumbers = 48;  // of a layer that the sequencer sends
@@ same: 6 in vector_unit.cpp.j2, number_integer.j2

enum Operation { kAdd = 0, kMaximum = 1, kAverage = 2, kMean = 3, kTable = 4, kBounds = 5, kDepthwise = 6 };
@@ same: 30 in vector_unit.cpp.j2
using Values = Element[256];
@@ same: 16 in vector_unit.cpp.j2, vector_held.j2
using Part = std::int32_t;  // what an element is of a sum, at 1 / 2^20 of the larger scale
@@ same: 10 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(first) - s.zero_a) * (std::int64_t{1} << 20), s.a, s.shift_a));
@@ same: 3 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(second) - s.zero_b) * (std::int64_t{1} << 20), s.b, s.shift_b));
@@ same: 282 in vector_add_tflite.j2, array_store.cpp, vector_int8.j2, fold_int8.j2, vector_trained.j2, finish_held.j2, finish_multiplier.j2, vector_unit.cpp.j2, row_fold.j2, circuit.cpp.j2, vector_control.j2
extern "C" void vector_unit(const Word* a, const Word* b, const Word* table, Word* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
#pragma HLS interface m_axi port=a offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=a bundle=control
#pragma HLS interface m_axi port=b offset=slave bundle=b max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=b bundle=control
#pragma HLS interface m_axi port=table offset=slave bundle=b max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=table bundle=control
@@ same: 17 in array_store.cpp, array_store.cpp.j2, vector_control.j2
    const int entries = n[5] == kTable ? 256 : 0;
@@ same: 21 in vector_control.j2
    static Trained trained;
    take_trained(table + n[3], l, trained);
@@ same: 9 in vector_control.j2
