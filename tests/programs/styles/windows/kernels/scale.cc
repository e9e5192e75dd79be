// A template that its source defines and the graph instantiates.
#include <adf.h>
#include "include.h"

template <typename T, int SHIFT>
void scale(input_window<T>* in, output_window<T>* out) {
  for (unsigned i = 0; i < window_size(in); i++) {
    T x = window_read(in);
    window_incr(in, 1);
    x.real = x.real >> SHIFT;
    x.imag = x.imag >> SHIFT;
    window_write(out, x);
    window_incr(out, 1);
  }
}
