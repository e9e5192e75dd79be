// Turns sample n by n quarters to the right: (re, im) becomes (im, -re).
#include <adf.h>
#include "ping.h"

void quarter_turns(input_window_cint16* echo, output_window_cint16* turned) {
  cint16 s, t;
  for (unsigned n = 0; n < PING; n++) {
    window_readincr(echo, s);
    for (unsigned quarter = 0; quarter < n % 4; quarter++) {
      t.real = s.imag;
      t.imag = -s.real;
      s = t;
    }
    window_writeincr(turned, s);
  }
}
