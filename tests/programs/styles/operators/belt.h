// Stations of a conveyor belt: parts come as words, travel as sums, in packets and in buffers.
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

constexpr int PALLETS = 6;  // of eight parts, in a shift

void load_up(input_stream<int32>* parts, output_cascade<acc48>* pallets);
void pack(input_cascade<acc48>* pallets, output_stream<int32>* parcels);
void weigh(input_stream<int32>* parcels, adf::output_buffer<int32, adf::extents<8 * PALLETS>>& slips);
void spot(adf::input_circular_buffer<int32, adf::extents<8 * PALLETS>, adf::margin<8>>& slips,
          adf::output_buffer<int32, adf::extents<8 * PALLETS + 16>>& changes);
void stow(adf::input_buffer<int32, adf::extents<8 * PALLETS + 16>>& changes,
          adf::output_buffer<int32, adf::extents<8 * PALLETS + 24>>& stowed);
