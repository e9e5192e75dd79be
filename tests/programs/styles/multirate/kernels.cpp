// What is missing is extrapolated, what is too much is dropped.
#include "kernels.h"

alignas(32) int32 ramp[] = {0, 1, 2, 3, 4, 5, 6, 7};

void UpConv_7_5_iobuf(adf::input_buffer<int32, adf::extents<adf::inherited_extent>>& __restrict in,
                      adf::output_buffer<int32, adf::extents<adf::inherited_extent>>& __restrict out) {
  int32 i;
  int32 FrameLengthOut = out.size();
  int32 FrameLengthIn = in.size();
  auto pi1 = aie::begin_vector<VECTOR_LENGTH>(in);
  auto po1 = aie::begin_vector<VECTOR_LENGTH>(out);
  aie::vector<int32, VECTOR_LENGTH> d = aie::load_v<8>(ramp);
  for (i = 0; i < FrameLengthIn / VECTOR_LENGTH; i++)
    chess_prepare_for_pipelining { *po1++ = *pi1++; }
  for (i = FrameLengthIn / VECTOR_LENGTH; i < FrameLengthOut / VECTOR_LENGTH; i++)
    chess_prepare_for_pipelining { *po1++ = aie::add(d, (int32)(i * VECTOR_LENGTH)); }
}

void DownConv_5_7_iobuf(adf::input_buffer<int32, adf::extents<adf::inherited_extent>>& __restrict in,
                        adf::output_buffer<int32, adf::extents<adf::inherited_extent>>& __restrict out) {
  auto pi1 = aie::begin_vector<VECTOR_LENGTH>(in);
  auto po1 = aie::begin_vector<VECTOR_LENGTH>(out);
  for (unsigned i = 0; i < out.size() / VECTOR_LENGTH; i++) *po1++ = *pi1++;
}

void Subtract_iobuf(adf::input_buffer<int32, adf::extents<adf::inherited_extent>>& __restrict in1,
                    adf::input_buffer<int32, adf::extents<adf::inherited_extent>>& __restrict in2,
                    adf::output_buffer<int32, adf::extents<adf::inherited_extent>>& __restrict out) {
  auto a = aie::begin_vector<VECTOR_LENGTH>(in1);
  auto b = aie::begin_vector<VECTOR_LENGTH>(in2);
  auto o = aie::begin_vector<VECTOR_LENGTH>(out);
  for (unsigned i = 0; i < out.size() / VECTOR_LENGTH; i++) *o++ = aie::sub(*a++, *b++);
}

template <int FrameLengthIn>
void DownConv_5_7_stream(input_stream<int32>* __restrict in, output_stream<int32>* __restrict out) {
  for (int i = 0; i < FrameLengthIn / 4; i++) {
    aie::vector<int32, 4> x = readincr_v<4>(in);
    if (i < FrameLengthIn * 5 / 7 / 4) writeincr(out, x);
  }
}

template <int FrameLengthIn>
void UpConv_7_5_stream(input_stream<int32>* __restrict in, output_stream<int32>* __restrict out) {
  for (int i = 0; i < FrameLengthIn / 4; i++) writeincr(out, readincr_v<4>(in));
  for (int i = FrameLengthIn; i < FrameLengthIn * 7 / 5; i++) writeincr(out, i);
}
