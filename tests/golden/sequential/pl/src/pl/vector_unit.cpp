@@ sha256: 19a52f2c9515bda3fd226a50fc4bf4c6f1757a7f6b14ed13e6c0ed46a22e541f
@@ same: 2
// 16 elements of int8 a cycle: 192 DSP, 48000 LUT, modelled
#include "../include/aieloom/pl/engine/vector_unit.h"
@@ same: 7 in instance.cpp.j2, array_store.cpp
  using Sums = TfliteSum;
  using Trained = vector::Untrained;
  static constexpr int kInterval = 1, kApart = 4;
@@ same: 6 in instance.cpp.j2, vector_unit.cpp
    const Word<Integers::Element>* a, const Word<Integers::Element>* b, const Integers::Element* table,
    Word<Integers::Element>* y, unsigned a_at, unsigned b_at, unsigned table_at, unsigned y_at, int operation,
    int images, int height, int width, int words, int out_height, int out_width, int kernel_y, int kernel_x,
    int stride_y, int stride_x, int top, int left, int counts_padding, int zero_a, int zero_b, int zero,
    std::int64_t multiplier_a, std::int64_t multiplier_b, int multiplier_y, int shift_a, int shift_b, int shift,
    Integers::Sum low, Integers::Sum high) {
@@ same: 8 in vector_unit.cpp, array_store.cpp
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
@@ same: 4 in conv_engine.cpp
  vector::started<Engine>(a, b, table, y, a_at, b_at, table_at, y_at, operation, images, height, width,
      words, out_height, out_width, kernel_y, kernel_x, stride_y, stride_x, top, left,
      counts_padding, zero_a, zero_b, zero, multiplier_a, multiplier_b, multiplier_y,
      shift_a, shift_b, shift, low, high);
}
