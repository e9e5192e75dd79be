// Holds the largest real and the smallest imaginary part of the last REACH + 1 samples, never below the noise floor.
#include <adf.h>
#include "ping.h"

static int32 noise_floor;

void set_floor(void) { noise_floor = 35; }

void hold_extremes(input_window_cint16* restrict turned, output_window_cint32* restrict held) {
  for (unsigned n = 0; n < PING; n++) chess_prepare_for_pipelining chess_loop_range(PING, ) {
      cint32_t extreme = {noise_floor, -noise_floor};
      for (int back = REACH; back >= 0; back--) {
        cint16 s = window_readincr(turned);
        if (s.real > extreme.real) extreme.real = s.real;
        if (s.imag < extreme.imag) extreme.imag = s.imag;
      }
      window_decr(turned, REACH);
      window_writeincr(held, extreme);
    }
}
