#include "kernels.h"

Conv3x3::Conv3x3(const bfloat16 (&weights)[9 * kIn * kOut]) : weights_(weights) {}

void Conv3x3::run(adf::input_buffer<bfloat16, adf::extents<kIn * kPadded * (kStrip + 2)>>& in,
                  adf::output_buffer<bfloat16, adf::extents<kOut * kWidth * kStrip>>& out) {
  using Mmul = aie::mmul<4, 8, 4, bfloat16, bfloat16>;  // 4 pixels x 8 inputs x 4 outputs
  aie::set_rounding(aie::rounding_mode::conv_even);
  for (unsigned row = 0; row < kStrip; ++row) {
    for (unsigned col = 0; col < kWidth; col += 4) {
      for (unsigned half = 0; half < 2; ++half) {
        Mmul sum;
        for (unsigned tap = 0; tap < 9; ++tap) {
          const bfloat16* pixels = in.data() + ((row + tap / 3) * kPadded + col + tap % 3) * kIn;
          const auto a = aie::load_unaligned_v<Mmul::size_A>(pixels, kIn);
          const auto b = aie::load_v<Mmul::size_B>(weights_ + (2 * tap + half) * Mmul::size_B);
          tap == 0 ? sum.mul(a, b) : sum.mac(a, b);
        }
        const auto y = sum.to_vector<bfloat16>();
        for (unsigned p = 0; p < 4; ++p) {
          for (unsigned c = 0; c < 4; ++c) {
            out.data()[((row * kWidth) + col + p) * kOut + 4 * half + c] = y.get(4 * p + c);
          }
        }
      }
    }
  }
}
