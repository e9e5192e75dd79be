// Kernels that leave the sizes to the graph, but for the copy.
#pragma once
#include <adf.h>

template <typename T>
using blocks_in = adf::input_buffer<T, adf::extents<adf::inherited_extent, adf::inherited_extent>>;
template <typename T>
using blocks_out = adf::output_buffer<T, adf::extents<adf::inherited_extent, adf::inherited_extent>>;

template <typename NARROW, typename WIDE, int DOWN>
void multiply_blocks(blocks_in<NARROW>& __restrict left, blocks_in<NARROW>& __restrict right,
                     blocks_out<WIDE>& __restrict product);

template <int WORDS>
void copy_words(adf::input_buffer<int32, adf::extents<WORDS>>& __restrict from,
                adf::output_buffer<int32, adf::extents<WORDS>>& __restrict to);

void send_quadruple(adf::input_buffer<cint16>& __restrict crate, output_cascade<cacc64>* four);
void add_to_quadruple(adf::input_buffer<cint16>& __restrict crate, input_cascade<cacc64>* four,
                      adf::output_buffer<cint16>& five);
