#include "kernels.h"

void count(adf::input_buffer<int32, adf::extents<8>>& in, adf::output_buffer<int32, adf::extents<8>>& out) {
  for (int i = 0; i < 8; ++i) {
    out.data()[i] = in.data()[i] + 1;
  }
}
