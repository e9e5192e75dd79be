// Kernels of one phase of a filter that reads two streams: first, middle and last of a row of cascades.
#pragma once
#include <adf.h>

namespace DoubleStream {

template <int NSamples, int ShiftAcc>
class FIR_cout {
 private:
  alignas(32) cint16 weights[8];
  alignas(32) cint16 delay_line[16];

 public:
  FIR_cout(const cint16 (&taps)[4]) {
    for (int i = 0; i < 4; i++) weights[i] = taps[i];
    for (int i = 0; i < 16; i++) delay_line[i] = (cint16){0, 0};
  };
  void filter(input_stream_cint16* restrict sin1, input_stream_cint16* restrict sin2, output_stream_cacc48* cout);
  static void registerKernelClass() { REGISTER_FUNCTION(FIR_cout::filter); };
};

template <int NSamples, int ShiftAcc>
class FIR_cin {
 private:
  alignas(32) cint16 weights[8];
  alignas(32) cint16 delay_line[16];

 public:
  FIR_cin(const cint16 (&taps)[4]) {
    for (int i = 0; i < 4; i++) weights[i] = taps[i];
    for (int i = 0; i < 16; i++) delay_line[i] = (cint16){0, 0};
  };
  void filter(input_stream_cint16* restrict sin1, input_stream_cint16* restrict sin2, input_stream_cacc48* cin,
              output_stream_cint16* restrict sout1, output_stream_cint16* restrict sout2);
  static void registerKernelClass() { REGISTER_FUNCTION(FIR_cin::filter); };
};

/// Drops the first Delay samples, in groups of four, so that the second row of the cascade is ahead.
template <int Delay>
void FIRinit();

}  // namespace DoubleStream
