#include "kernels.h"

Conv::Conv(const int8 (&weights)[kPatch * kChannels]) : weights_(weights) {}

void Conv::run(adf::input_buffer<int8, adf::extents<kSide * kSide>>& in,
               adf::output_buffer<int8, adf::extents<kInner * kInner * kChannels>>& out) {
  using Mmul = aie::mmul<2, 8, 8, int8, int8>;  // 2 pixels x 8 taps x 8 channels
  aie::set_rounding(aie::rounding_mode::symmetric_inf);
  aie::set_saturation(aie::saturation_mode::saturate);
  alignas(32) int8 patch[kPatch / 8][2][8] = {};
  for (unsigned row = 0; row < kInner; ++row) {
    for (unsigned col = 0; col < kInner; col += 2) {
      for (unsigned t = 0; t < kTaps * kTaps; ++t) {
        for (unsigned p = 0; p < 2; ++p) {
          patch[t / 8][p][t % 8] = in.data()[(row + t / kTaps) * kSide + col + p + t % kTaps];
        }
      }
      Mmul sum;
      for (unsigned k = 0; k < kPatch / 8; ++k) {
        const auto a = aie::load_v<Mmul::size_A>(&patch[k][0][0]);
        const auto b = aie::load_v<Mmul::size_B>(weights_ + k * Mmul::size_B);
        k == 0 ? sum.mul(a, b) : sum.mac(a, b);
      }
      const auto y = aie::max(sum.to_vector<int8>(kConvShift), aie::zeros<int8, Mmul::size_C>());
      aie::store_v(out.data() + (row * kInner + col) * kChannels, y);
    }
  }
}
