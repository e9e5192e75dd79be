// A tide gauge's kernels: the forecast reads blocks with the end of the block before, the older one words of a stream.
#ifndef TIDE_H
#define TIDE_H
#include <adf.h>
constexpr int DAY = 48;
constexpr int PAST = 8;
void forecast_error(adf::input_buffer<int32, adf::extents<DAY>, adf::margin<PAST>>& levels,
                    adf::output_buffer<int32, adf::extents<DAY>>& errors);
void rise(input_stream_int32* levels, output_stream_int32* changes);
#endif
