// Pointers of windows, hints at every loop, two functions of one name.
#include "kernels.h"
#include "aie_api/aie.hpp"
void copyw(input_window<int32>* restrict in, output_window<int32>* restrict out) {
  int32* a = (int32*)in->ptr;
  int32* b = (int32*)out->ptr;
  for (int i = 0; i < 8; ++i) chess_prepare_for_pipelining { b[i] = a[i] * 2; }
  window_incr(in, 8);
  window_incr(out, 8);
  aie::vector<int32, 8> v = window_readincr_v8(in);
  window_writeincr(out, v);
}
void bufs(adf::input_buffer<int32, adf::extents<16>>& __restrict in, adf::output_buffer<int32, adf::extents<16>>& __restrict out) {
  const int32* __restrict p = in.data();
  int32* __restrict q = (int32*)out.data();
  constexpr unsigned n = adf::extents<16>::elements;
  auto it = aie::begin_vector<8>(in);
  for (auto i = 0u; i < n / 8; i++) chess_loop_range(2, 2) chess_flatten_loop {
      aie::store_v(q, aie::add(aie::load_v<8>(p), *it++));
      p += 8;
      q += 8;
    }
}
void bufs2(adf::input_buffer<int16, adf::extents<adf::inherited_extent>>& in, adf::output_buffer<int16, adf::extents<adf::inherited_extent>>& out, int8 a, uint16 b, float c, const int16 (&d)[4], cint16 e, uint64 f) {
  for (unsigned i = 0; i < in.size(); i++) out.data()[i] = in.data()[i] + a + b + (int)c + d[i % 4] + e.real + e.imag + (int16)f;
}
void over(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (int i = 0; i < 16; i++) out.data()[i] = in.data()[i];
}
void over(adf::input_buffer<int16>& in, adf::output_buffer<int16>& out) {
  for (int i = 0; i < 16; i++) out.data()[i] = in.data()[i];
}
