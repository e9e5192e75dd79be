// Kernels behind a splitter, before an ordered merger.
#pragma once
#include <adf.h>
template <int ADD>
void add(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void join(adf::input_buffer<int32>& in, output_stream<int32>* out);
