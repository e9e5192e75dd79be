// Parts beyond BITS bits stay at the largest that BITS bits hold; the imaginary part is a total, taken by its low bits.
#include <adf.h>

template <typename SAMPLE, int BITS>
void limiter(input_window<SAMPLE>* graded, output_window<SAMPLE>* shown) {
  const int32 most = (1 << BITS) - 1;
  for (unsigned n = 0; n < window_size(graded); n++) {
    SAMPLE s = window_read(graded);
    window_incr(graded, 1);
    if (s.real > most) s.real = most;
    s.imag = s.imag & most;
    window_write(shown, s);
    window_incr(shown, 1);
  }
}
