// Eight words a call.
#include "kernels.h"

#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

void k0(input_stream<int32>* in, output_stream<int32>* out) {
  for (int i = 0; i < 8; ++i) writeincr(out, readincr(in) + 1);
}
void k0_cascout(input_stream<int32>* in, output_stream<acc48>* out) {
  aie::vector<int32, 8> v;  // one after the other: C++ leaves the order of a call's arguments open
  v.insert(0, readincr_v<4>(in));
  v.insert(1, readincr_v<4>(in));
  aie::accum<acc48, 8> acc;
  acc.from_vector(v, 0);
  writeincr(out, acc);
}
void k0_cascin_cascout(input_stream<int32>* in, input_stream<acc48>* cin, output_stream<acc48>* out) {
  aie::accum<acc48, 8> acc = readincr_v<8>(cin);
  aie::vector<int32, 8> v;  // one after the other: C++ leaves the order of a call's arguments open
  v.insert(0, readincr_v<4>(in));
  v.insert(1, readincr_v<4>(in));
  writeincr(out, aie::add(acc, v));
}
void k0_cascin(input_stream<int32>* in, input_stream<acc48>* cin, output_stream<int32>* out) {
  aie::accum<acc48, 8> acc = readincr_v<8>(cin);
  aie::vector<int32, 8> v;  // one after the other: C++ leaves the order of a call's arguments open
  v.insert(0, readincr_v<4>(in));
  v.insert(1, readincr_v<4>(in));
  aie::vector<int32, 8> sum = aie::add(acc, v).to_vector<int32>();
  writeincr(out, sum.extract<4>(0));
  writeincr(out, sum.extract<4>(1));
}
void f0(adf::input_buffer<int32, adf::extents<8>>& __restrict in, adf::output_buffer<int32, adf::extents<8>>& __restrict out) {
  auto inIter = aie::begin(in);
  auto outIter = aie::begin(out);
  for (int i = 0; i < 8; ++i) *outIter++ = -(*inIter++);
}
void f1(adf::input_buffer<int32, adf::extents<8>>& in, adf::output_buffer<int32, adf::extents<8>>& out, int32 gain, int32& last) {
  auto inIter = aie::begin_vector<8>(in);
  auto outIter = aie::begin_vector<8>(out);
  aie::vector<int32, 8> x = *inIter++;
  *outIter++ = aie::mul(x, gain).to_vector<int32>();
  last = gain * 1000;
}
template <int ID>
void tagged(input_stream<int32>* in, output_stream<int32>* out) {
  for (int i = 0; i < 8; ++i) writeincr(out, readincr(in) * 10 + ID);
}
