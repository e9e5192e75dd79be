@@ sha256: 21f1e67556f9eb3faf5048ae2e9cc17889471985c3a6d5c9ebed07c8565b4cee
// array_store.cpp: the engine on the array.
@@ same: 112 in array_load.cpp, array_store.cpp.j2, row_store.cpp.j2, circuit.cpp.j2, finish_held.j2, finish_multiplier.j2, number_integer.j2, vector_held.j2
using Part = std::int32_t;  // what an element is of a sum, at 1 / 2^20 of the larger scale
@@ same: 10 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(first) - s.zero_a) * (std::int64_t{1} << 20), s.a, s.shift_a));
@@ same: 3 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(second) - s.zero_b) * (std::int64_t{1} << 20), s.b, s.shift_b));
@@ same: 4 in vector_add_tflite.j2
/// TensorFlow Lite's sum: both elements at 1 / 2^20 of the larger scale, added, and scaled to the result's.
Element added(Element first, Element second, const Scaling& s) { return joined(part_a(first, s), part_b(second, s), s); }
@@ same: 190 in array_store.cpp.j2
extern "C" void array_store(const Channel* channels, const Word* other, Word* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done,
                            hls::stream<Packet> in[kColumns]) {
#pragma HLS interface m_axi port=channels offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=channels bundle=control
#pragma HLS interface m_axi port=other offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=other bundle=control
#pragma HLS interface m_axi port=y offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
@@ same: 11 in array_store.cpp.j2
