#include "kernels.h"

namespace {

using Mmul = aie::mmul<4, 2, 4, float, float>;
constexpr unsigned kTilesM = kM / Mmul::M, kTilesK = kK / Mmul::K, kTilesN = kN / Mmul::N;

}  // namespace

// A is tiled 4 x 2, B 2 x 4, Y 4 x 4; tiles lie row by row.
void multiply(adf::input_buffer<float, adf::extents<kM * kK>>& a, adf::input_buffer<float, adf::extents<kK * kN>>& b,
              adf::output_buffer<float, adf::extents<kM * kN>>& y) {
  float* __restrict to = y.data();
  for (unsigned i = 0; i < kTilesM; ++i) {
    for (unsigned j = 0; j < kTilesN; ++j) chess_prepare_for_pipelining chess_loop_range(1, ) {
      const float* __restrict pa = a.data() + i * kTilesK * Mmul::size_A;
      const float* __restrict pb = b.data() + j * Mmul::size_B;
      Mmul sum;
      sum.mul(aie::load_v<Mmul::size_A>(pa), aie::load_v<Mmul::size_B>(pb));
      for (unsigned k = 1; k < kTilesK; ++k) {
        pa += Mmul::size_A;
        pb += kTilesN * Mmul::size_B;
        sum.mac(aie::load_v<Mmul::size_A>(pa), aie::load_v<Mmul::size_B>(pb));
      }
      aie::store_v(to, sum.template to_vector<float>());
      to += Mmul::size_C;
    }
  }
}
