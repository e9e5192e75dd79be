// Clerks who note their number on each file, first word last.
#pragma once
#include <adf.h>
constexpr int PAGES = 8;
template <int CLERK>
void note(adf::input_buffer<int32>& file, adf::output_buffer<int32>& noted);
