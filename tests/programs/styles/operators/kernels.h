#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

void widen(input_stream<int32>* in, output_cascade<acc48>* out);
void frame(input_cascade<acc48>* in, output_stream<int32>* out);
void measure(input_stream<int32>* in, adf::output_buffer<int32, adf::extents<32>>& out);
void overlap(adf::input_circular_buffer<int32, adf::extents<32>, adf::margin<8>>& in,
             adf::output_buffer<int32, adf::extents<40>>& out);
void again(adf::input_buffer<int32, adf::extents<40>>& in, adf::output_buffer<int32, adf::extents<48>>& out);
