// A thread that runs to and fro without any input, a dye that changes, and a bell that waits for each of its numbers.
#include <adf.h>

#include <aie_api/aie.hpp>

#include "kiln.h"

int32 position = 0;  // where the shuttle stopped

void shuttle(const int32 stride, output_buffer<cint16>& thread) {
  auto to = aie::begin(thread);
  for (unsigned n = 0; n < thread.size(); ++n) {
    *to++ = cint16{(int16)position, (int16)(7 - position)};
    position = (position + stride) % 53;
  }
}

void dye(input_buffer<cint16>& thread, const int32 (&palette)[10], output_buffer<cint16>& cloth) {
  auto from = aie::begin(thread);
  auto to = aie::begin(cloth);
  for (unsigned n = 0; n < thread.size(); ++n) {
    const cint16 x = *from++;
    *to++ = cint16{(int16)(x.real + palette[x.real % 10]), (int16)(x.imag * palette[x.real / 10])};
  }
}

void bell(int32 strokes, output_stream<int32>* rung) {
  for (int32 i = 0; i < 5; ++i) writeincr(rung, strokes * strokes - i);
}
