@@ sha256: 671b6e81e8b0178050b4833bce2df7f04d17698444b0e78e53a5436a9e693a5a
// vector_unit.cpp: the vector unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements of int8 a cycle: 192 DSP, 48000 LUT, modelled
@@ same: 119
/// What layers were trained to: nothing here.
struct Trained {};

Sum tapped(int operation, bool first, Sum before, Element value, const Trained& /*t*/, int /*tap_word*/, int /*lane*/, const Scaling& s) {
  return folded(operation, first, before, value, s);
}

Element ended(int operation, Sum fold, Element value, Element other, int count, const Table& table, const Trained& /*t*/, int /*word*/, int /*lane*/,
              const Scaling& s) {
  return finished(operation, fold, value, other, count, table, s);
@@ same: 104
/// Computes a sum of two tensors, a pool, a table's function or bounds. Tensors lie in device memory pixel by pixel, kLanes channels
/// in a word, the last word of a pixel filled up. `*_at` are words from the beginning of a buffer, `table_at` bytes.
extern "C" void vector_unit(const Word* a, const Word* b, const Element* table, Word* y, unsigned a_at, unsigned b_at, unsigned table_at, unsigned y_at,
                            int operation, int images, int height, int width, int words, int out_height, int out_width, int kernel_y,
                            int kernel_x, int stride_y, int stride_x, int top, int left, int counts_padding, int zero_a, int zero_b, int zero,
                            std::int64_t multiplier_a, std::int64_t multiplier_b, int multiplier_y, int shift_a, int shift_b, int shift,
                            Bound low, Bound high) {
#pragma HLS interface m_axi port=a offset=slave bundle=a max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
@@ same: 7
#pragma HLS interface s_axilite port=a_at bundle=control
#pragma HLS interface s_axilite port=b_at bundle=control
#pragma HLS interface s_axilite port=table_at bundle=control
#pragma HLS interface s_axilite port=y_at bundle=control
#pragma HLS interface s_axilite port=operation bundle=control
@@ same: 12
#pragma HLS interface s_axilite port=counts_padding bundle=control
#pragma HLS interface s_axilite port=zero_a bundle=control
#pragma HLS interface s_axilite port=zero_b bundle=control
#pragma HLS interface s_axilite port=zero bundle=control
#pragma HLS interface s_axilite port=multiplier_a bundle=control
#pragma HLS interface s_axilite port=multiplier_b bundle=control
#pragma HLS interface s_axilite port=multiplier_y bundle=control
#pragma HLS interface s_axilite port=shift_a bundle=control
#pragma HLS interface s_axilite port=shift_b bundle=control
@@ same: 4
  Table values;
  for (int i = 0; i < 256; ++i) {
#pragma HLS pipeline II=1
    values[i] = operation == kTable ? table[table_at + i] : Element(0);
  }
  const Layer l = {operation,  images,   height,   width,    words,    out_height, out_width,
                   kernel_y, kernel_x, stride_y, stride_x, top, left, counts_padding != 0};
  Layer second = l;
  second.images = operation == kAdd ? images : 0;
  const Scaling s = {zero_a, zero_b, zero, multiplier_a, multiplier_b, multiplier_y, shift_a, shift_b, shift, low, high};
  layer(a + a_at, b + b_at, values, Trained(), l, second, s, y + y_at);
}
