#include "kernels.h"

void add(adf::input_buffer<float, adf::extents<kM * kN>>& a, adf::input_buffer<float, adf::extents<kM * kN>>& b,
         adf::output_buffer<float, adf::extents<kM * kN>>& y) {
  for (unsigned i = 0; i < kM * kN; i += 8) {
    aie::store_v(y.data() + i, aie::add(aie::load_v<8>(a.data() + i), aie::load_v<8>(b.data() + i)));
  }
}
