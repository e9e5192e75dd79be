#include "kernels.h"

void widen(input_stream<int32>* in, output_cascade<acc48>* out) {
  for (int i = 0; i < 4; ++i) {
    aie::vector<int32, 4> low, high;
    in >> low >> high;
    aie::accum<acc48, 8> acc;
    acc.from_vector(aie::concat(low, high), 1);
    *out << acc;
  }
}

// Packets of 5: a scalar with `*out <<`, then a vector whose last word ends the packet. 3 lanes of each sum are left out.
void frame(input_cascade<acc48>* in, output_stream<int32>* out) {
  for (int i = 0; i < 4; ++i) {
    aie::accum<acc48, 8> acc;
    in >> acc;
    const aie::vector<int32, 8> v = acc.to_vector<int32>(0);
    *out << v[0];
    out << aie::tlast<aie::vector<int32, 4>, bool>{v.extract<4>(1), true};
  }
}

// Each packet's words and, after them, how many they were, up to 8 words.
void measure(input_stream<int32>* in, adf::output_buffer<int32, adf::extents<32>>& out) {
  auto to = aie::begin_vector<8>(out);
  for (int i = 0; i < 4; ++i) {
    aie::vector<int32, 8> v = aie::zeros<int32, 8>();
    aie::tlast<int32, bool> word{0, false};
    int n = 0;
    while (!word.t_last) {
      in >> word;
      v[n++] = word.value;
    }
    v[7] = n;
    *to++ = v;
  }
}

void overlap(adf::input_circular_buffer<int32, adf::extents<32>, adf::margin<8>>& in,
             adf::output_buffer<int32, adf::extents<40>>& out) {
  auto from = aie::begin_vector_random_circular<8>(in);
  auto to = aie::begin_vector<8>(out);
  for (int i = 0; i < 4; ++i) {
    const auto before = *from++;
    *to++ = aie::add(before, *from);
  }
  from += 1;  // round to the margin
  *to = *from;
}

void again(adf::input_buffer<int32, adf::extents<40>>& in, adf::output_buffer<int32, adf::extents<48>>& out) {
  auto from = aie::begin_vector_circular<8>(in);
  auto to = aie::begin_vector_random_circular<8>(out);
  to += 5;
  for (int i = 0; i < 6; ++i) {
    *to-- = *from++;
  }
}
