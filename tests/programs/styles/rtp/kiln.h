// A kiln's gauge and a loom's pattern: what is told to kernels while they run, and what one of them tells.
#ifndef KILN_H
#define KILN_H
#include <adf.h>
using namespace adf;
template <int ZONES>
void gauge(input_buffer<int32>& readings, output_buffer<int32>& zones, const int32 (&limits)[ZONES], int32& hottest);
void shuttle(const int32 stride, output_buffer<cint16>& thread);
void dye(input_buffer<cint16>& thread, const int32 (&palette)[10], output_buffer<cint16>& cloth);
void bell(int32 strokes, output_stream<int32>* rung);
#endif
