@@ sha256: 6a4fc93626f9248d5b28ca5d336987b652d99b607b199caa86a02cca949a698e
// row_store.cpp: the engine on the array.
@@ same: 105 in array_weights.cpp, row_store.cpp.j2, array_load.cpp, row_layer.j2
      {number[49], number[50], number[51]}};
@@ same: 106 in row_layer.j2, row_store.cpp.j2, finish_held.j2, finish_multiplier.j2, array_store.cpp.j2, row_sum.j2, vector_held.j2
using Part = std::int32_t;  // what an element is of a sum, at 1 / 2^20 of the larger scale
@@ same: 10 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(first) - s.zero_a) * (std::int64_t{1} << 20), s.a, s.shift_a));
@@ same: 3 in vector_add_tflite.j2
  return Part(scaled((std::int64_t(second) - s.zero_b) * (std::int64_t{1} << 20), s.b, s.shift_b));
@@ same: 194 in vector_add_tflite.j2, array_store.cpp, row_sum.j2, row_store.cpp.j2
extern "C" void row_store(hls::stream<Packet>& channels, hls::stream<Control>& control, hls::stream<Packet>& other, hls::stream<Control>& ask,
@@ same: 12 in row_store.cpp.j2
