#include "kernels.h"

Dense::Dense(const int8 (&weights)[kFeatures * kClasses]) : weights_(weights) {}

void Dense::run(adf::input_buffer<int8, adf::extents<kFeatures>>& in, adf::output_buffer<int32, adf::extents<kClasses>>& out) {
  using Mmul = aie::mmul<2, 8, 8, int8, int8>;  // the second row stays empty
  aie::set_rounding(aie::rounding_mode::symmetric_inf);
  aie::set_saturation(aie::saturation_mode::saturate);
  Mmul sum;
  for (unsigned k = 0; k < kFeatures / 8; ++k) {
    const auto a = aie::load_v<16>(in.data() + k / 2 * 16);
    const auto features = k % 2 == 0 ? a : aie::shuffle_down(a, 8);
    alignas(32) int8 rows[16] = {};
    for (unsigned i = 0; i < 8; ++i) {
      rows[i] = features.get(i);
    }
    const auto b = aie::load_v<Mmul::size_B>(weights_ + k * Mmul::size_B);
    k == 0 ? sum.mul(aie::load_v<16>(rows), b) : sum.mac(aie::load_v<16>(rows), b);
  }
  const auto scores = sum.to_vector<int32>(kDenseShift);
  aie::store_v(out.data(), scores.extract<8>(0));
}
