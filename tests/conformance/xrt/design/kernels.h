// The array's side: words that come in are scaled by a run-time parameter; numbers from memory are counted up.
#pragma once

#include <adf.h>

void scale(adf::input_buffer<int32, adf::extents<8>>& in, adf::output_buffer<int32, adf::extents<8>>& out, int factor);
void count(adf::input_buffer<int32, adf::extents<8>>& in, adf::output_buffer<int32, adf::extents<8>>& out);
