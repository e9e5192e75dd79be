// Film to video and back: five pictures for four, four for five. A picture is a vector, or a word of a stream.
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>

constexpr unsigned PICTURE = 8;
constexpr unsigned REEL = 40 * PICTURE;  // a whole number of fours and of fives

using reel_in = adf::input_buffer<int32, adf::extents<adf::inherited_extent>>;
using reel_out = adf::output_buffer<int32, adf::extents<adf::inherited_extent>>;

void subgraph(reel_in& __restrict film, reel_out& __restrict video);
void squeeze(reel_in& __restrict video, reel_out& __restrict film);
void compare(reel_in& __restrict one, reel_in& __restrict other, reel_out& __restrict difference);
void label(reel_in& __restrict part, reel_out& __restrict labelled);
template <int WORDS>
void subgraph_words(input_stream<int32>* __restrict film, output_stream<int32>* __restrict video);
template <int WORDS>
void squeeze_words(input_stream<int32>* __restrict video, output_stream<int32>* __restrict film);
