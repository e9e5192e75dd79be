// Real parts count by how many thresholds the sum of both parts passes; imaginary parts add up over all pings.
#include "grade.h"

Grade::Grade(int32 (&levels)[THRESHOLDS], uint32 samples) : thresholds(levels), length(samples) {
  seen.real = 0;
  seen.imag = 0;
}

void Grade::weigh(input_window<cint32>* held, output_window<cint32>* graded) {
  for (unsigned n = 0; n < length; n++) {
    cint32 s = window_readincr(held);
    int32 passed = 0;
    for (int level : thresholds) passed += s.real + s.imag >= level;
    seen.imag += s.imag;
    cint32 y = {s.real * passed, seen.imag};
    window_writeincr(graded, y);
  }
}
