// Weighted sum of the last MARGIN + 1 samples; the weights are set once, by the initialization function.
#include <adf.h>
#include "include.h"

static int32 weights[MARGIN + 1];

void weighted_init(void) {
  for (int i = 0; i <= MARGIN; ++i) weights[i] = i + 1;
}

void weighted_sum(input_window_cint16* restrict in, output_window_cint32* restrict out) {
  for (unsigned i = 0; i < NUM_SAMPLES; i++) chess_prepare_for_pipelining chess_loop_range(NUM_SAMPLES, ) {
      cint32_t sum = {0, 0};
      for (unsigned j = 0; j <= MARGIN; j++) {
        cint16 d = window_readincr(in);
        sum.real += d.real * weights[j];
        sum.imag += d.imag * weights[j];
      }
      window_writeincr(out, sum);
      window_decr(in, MARGIN);
    }
}
