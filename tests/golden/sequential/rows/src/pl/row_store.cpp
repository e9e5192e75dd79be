@@ sha256: ee5ff6a2d4ad5e159bd99b4150401e574fcbdcfadae5a7c62bfe02043d26554e
// row_store.cpp: the engine on the array.
@@ same: 110 in array_weights.cpp, row_store.cpp.j2, array_load.cpp, finish_held.j2, finish_multiplier.j2, array_store.cpp.j2, row_sum.j2, vector_held.j2
using Part = std::int32_t;  // what an element is of a sum, at 1 / 2^20 of the larger scale
@@ same: 10 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(first) - s.zero_a) * (std::int64_t{1} << 20), s.a, s.shift_a));
@@ same: 3 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(second) - s.zero_b) * (std::int64_t{1} << 20), s.b, s.shift_b));
@@ same: 202 in vector_add_tflite.j2, array_store.cpp, row_sum.j2, row_store.cpp.j2
extern "C" void row_store(hls::stream<Packet>& channels, hls::stream<Control>& control, hls::stream<Packet>& other, hls::stream<Control>& ask,
@@ same: 12 in row_store.cpp.j2
