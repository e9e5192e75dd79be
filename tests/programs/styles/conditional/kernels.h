// Kernels with and without cascades and parameters.
#pragma once
#include <adf.h>

void k0(input_stream<int32>*, output_stream<int32>*);
void k0_cascout(input_stream<int32>*, output_stream<acc48>*);
void k0_cascin_cascout(input_stream<int32>*, input_stream<acc48>*, output_stream<acc48>*);
void k0_cascin(input_stream<int32>*, input_stream<acc48>*, output_stream<int32>*);
void f0(adf::input_buffer<int32, adf::extents<8>>& __restrict, adf::output_buffer<int32, adf::extents<8>>& __restrict);
void f1(adf::input_buffer<int32, adf::extents<8>>&, adf::output_buffer<int32, adf::extents<8>>&, int32, int32&);
template <int ID>
void tagged(input_stream<int32>*, output_stream<int32>*);
