// The express desk handles packets itself, to the others only what is in them comes.
#include "desks.h"

#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

const uint32 kSealed = 0;

// A letter's running total, as long as the letter is.
void express(input_pktstream* letters, output_pktstream* sealed) {
  readincr(letters);  // the address it came with
  writeHeader(sealed, kSealed, getPacketid(sealed, 0));
  int32 total = 0;
  for (bool last = false; !last;) {
    total += readincr(letters, last);
    writeincr(sealed, total, last);
  }
}

// Each letter's mirror image: the sum with (imag, real).
void mirror(input_window_cint16* letters, output_window_cint16* turned) {
  for (int n = 0; n < 12; n++) {
    const cint16 x = window_readincr(letters);
    const cint16 image = {x.imag, x.real};
    window_writeincr(turned, x + image);
  }
}

void halve(input_buffer<float>& __restrict letters, output_buffer<float>& __restrict halves) {
  auto from = aie::begin(letters);
  auto to = aie::begin(halves);
  for (unsigned n = 0; n < letters.size(); n++) *to++ = 0.5f * *from++;
}

// How many words of the same letter are smaller.
void rank(input_buffer<int32>& __restrict letters, output_buffer<int32>& __restrict ranks) {
  auto to = aie::begin(ranks);
  for (unsigned n = 0; n < letters.size(); n++) {
    int32 smaller = 0;
    for (unsigned m = 0; m < letters.size(); m++) smaller += letters.data()[m] < letters.data()[n];
    *to++ = smaller;
  }
}
