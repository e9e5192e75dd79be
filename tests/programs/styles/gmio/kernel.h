// One vector kernel between DDR ports.
#ifndef KERNEL_H
#define KERNEL_H
#include <adf.h>
void weighted_sum_with_margin(adf::input_buffer<int32, adf::extents<32>, adf::margin<8>>& in,
                              adf::output_buffer<int32, adf::extents<32>>& out);
void old_scale(input_stream_int32* in, output_stream_int32* out);
#endif
