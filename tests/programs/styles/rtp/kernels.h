// Kernels that are told what to do while they run.
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
using namespace adf;
template <int SIZE>
void vect_add(input_buffer<int32>& in, output_buffer<int32>& out, const int32 (&value)[SIZE], int32& iter);
void sine(const int32 phase_in, output_buffer<cint16>& owin);
void fir(input_buffer<cint16>& cb_input, const int32 (&coefficients)[12], output_buffer<cint16>& cb_output);
void trigger(int32 size, output_stream<int32>* out);
#endif
