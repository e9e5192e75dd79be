#include "kernels.h"

void maxpool(adf::input_buffer<int8, adf::extents<kInner * kInner * kChannels>>& in,
             adf::output_buffer<int8, adf::extents<kFeatures>>& out) {
  for (unsigned row = 0; row < kPooled; ++row) {
    for (unsigned col = 0; col < kPooled; col += 2) {  // two results, 16 lanes, a time
      const int8* upper = in.data() + (2 * row * kInner + 2 * col) * kChannels;
      const auto tall = aie::max(aie::load_v<32>(upper), aie::load_v<32>(upper + kInner * kChannels));
      // pixels 0 1 2 3 of 8 channels: even ones against odd ones
      const auto wide = aie::max(aie::filter_even(tall, kChannels), aie::filter_odd(tall, kChannels));
      aie::store_v(out.data() + (row * kPooled + col) * kChannels, wide);
    }
  }
}
