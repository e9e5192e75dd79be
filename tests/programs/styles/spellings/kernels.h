// Kernels of each way to write a signature.
#pragma once
#include <adf.h>
void copyw(input_window<int32>* in, output_window<int32>* out);
void bufs(adf::input_buffer<int32, adf::extents<16>>& __restrict in, adf::output_buffer<int32, adf::extents<16>>& __restrict out);
void bufs2(adf::input_buffer<int16, adf::extents<adf::inherited_extent>>& in, adf::output_buffer<int16, adf::extents<adf::inherited_extent>>& out, int8 a, uint16 b, float c, const int16 (&d)[4], cint16 e, uint64 f);
void over(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void over(adf::input_buffer<int16>& in, adf::output_buffer<int16>& out);
