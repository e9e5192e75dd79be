// Sum and difference of the two halves of each complex sample.
#include <adf.h>
#include "include.h"

void butterfly(input_window_cint16* in, output_window_cint16* out) {
  cint16 c1, c2;
  for (unsigned i = 0; i < NUM_SAMPLES; i++) {
    window_readincr(in, c1);
    c2.real = c1.real + c1.imag;
    c2.imag = c1.real - c1.imag;
    window_writeincr(out, c2);
  }
}
