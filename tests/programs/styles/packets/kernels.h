// Four kernels behind one packet stream, each with another type.
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
using namespace adf;
void aie_core1(input_buffer<int32>& in, output_buffer<int32>& out);
void aie_core2(input_buffer<float>& in, output_buffer<float>& out);
void aie_core3(input_window_cint16* in, output_window_cint16* out);
void aie_core4(input_pktstream* in, output_pktstream* out);
#endif
