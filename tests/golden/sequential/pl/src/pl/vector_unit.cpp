@@ sha256: e7bd084707ad2d668cf6ea3bbe405fbb4c69244a22f154ce6f6f3d40170cb751
@@ same: 2
// 16 elements of int8 a cycle: 192 DSP, 48000 LUT, modelled
@@ same: 13 in vector_unit.cpp.j2, vector_unit.cpp, row_fold.j2
using Bound = std::int32_t;
@@ same: 32 in vector_unit.cpp, vector_unit.cpp.j2
using Values = Element[256];
@@ same: 16 in vector_unit.cpp.j2, vector_held.j2
using Part = std::int32_t;  // what an element is of a sum, at 1 / 2^20 of the larger scale
@@ same: 10 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(first) - s.zero_a) * (std::int64_t{1} << 20), s.a, s.shift_a));
@@ same: 3 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(second) - s.zero_b) * (std::int64_t{1} << 20), s.b, s.shift_b));
@@ same: 221 in vector_add_tflite.j2, array_store.cpp, vector_int8.j2, fold_int8.j2, vector_untrained.j2, vector_unit.cpp.j2, row_fold.j2, circuit.cpp.j2, vector_registers.j2
extern "C" void vector_unit(const Word* a, const Word* b, const Element* table, Word* y, unsigned a_at, unsigned b_at, unsigned table_at, unsigned y_at,
@@ same: 12 in vector_registers.j2, vector_unit.cpp, array_store.cpp
#pragma HLS interface s_axilite port=a_at bundle=control
#pragma HLS interface s_axilite port=b_at bundle=control
#pragma HLS interface s_axilite port=table_at bundle=control
#pragma HLS interface s_axilite port=y_at bundle=control
#pragma HLS interface s_axilite port=operation bundle=control
@@ same: 12 in conv_engine.cpp
#pragma HLS interface s_axilite port=counts_padding bundle=control
#pragma HLS interface s_axilite port=zero_a bundle=control
#pragma HLS interface s_axilite port=zero_b bundle=control
#pragma HLS interface s_axilite port=zero bundle=control
#pragma HLS interface s_axilite port=multiplier_a bundle=control
#pragma HLS interface s_axilite port=multiplier_b bundle=control
#pragma HLS interface s_axilite port=multiplier_y bundle=control
#pragma HLS interface s_axilite port=shift_a bundle=control
#pragma HLS interface s_axilite port=shift_b bundle=control
@@ same: 6 in conv_engine.cpp, vector_registers.j2
  for (int i = 0; i < 256; ++i) {
@@ same: 14 in vector_registers.j2
