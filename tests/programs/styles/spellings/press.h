// The machines of a letterpress, each with its own way to write a signature.
#pragma once
#include <adf.h>

void proof(input_window<int32>* type, output_window<int32>* sheet);
void fold(adf::input_buffer<int32, adf::extents<32>>& __restrict flat,
          adf::output_buffer<int32, adf::extents<32>>& __restrict folded);
void mix(adf::input_buffer<int16, adf::extents<adf::inherited_extent>>& paper,
         adf::output_buffer<int16, adf::extents<adf::inherited_extent>>& tinted, const int16 (&inks)[4], float gloss,
         int8 strength, uint64 edition, cint16 shade, uint16 weight);
void trim(adf::input_buffer<int16>& rough, adf::output_buffer<int16>& neat);
void trim(adf::input_buffer<int32>& rough, adf::output_buffer<int32>& neat);
