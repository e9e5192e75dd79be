// Four desks of a sorting office, each for letters of another type.
#ifndef DESKS_H
#define DESKS_H
#include <adf.h>
using namespace adf;
void express(input_pktstream* letters, output_pktstream* sealed);
void mirror(input_window_cint16* letters, output_window_cint16* turned);
void halve(input_buffer<float>& letters, output_buffer<float>& halves);
void rank(input_buffer<int32>& letters, output_buffer<int32>& ranks);
#endif
