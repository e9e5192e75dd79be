// Runners of a relay: what each takes and hands over differs, and a judge may have a factor and a report.
#pragma once
#include <adf.h>

constexpr int LEG = 8;
using track_in = adf::input_buffer<int32, adf::extents<LEG>>;
using track_out = adf::output_buffer<int32, adf::extents<LEG>>;

void run_alone(input_stream<int32>* start, output_stream<int32>* finish);
void run_first(input_stream<int32>* start, output_stream<acc48>* baton);
void run_between(input_stream<int32>* start, input_stream<acc48>* taken, output_stream<acc48>* baton);
void run_last(input_stream<int32>* start, input_stream<acc48>* taken, output_stream<int32>* finish);
template <int NUMBER>
void wear(input_stream<int32>* start, output_stream<int32>* finish);
void judge_silently(track_in& __restrict seen, track_out& __restrict noted);
void judge_by_factor(track_in& seen, track_out& noted, int32 factor, int32& report);
