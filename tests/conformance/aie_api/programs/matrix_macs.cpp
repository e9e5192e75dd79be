// MAC intrinsics of AIE-ML, each with a random accumulator.
#include <aie_api/aie.hpp>

#include "support.h"

template <typename Acc>
void give_lanes(const Acc& acc) {
  using T = std::conditional_t<std::is_same_v<Acc, v16accfloat>, float, int32>;
  give(acc.template to_vector<T>(0));
}

#define CASE(NAME, TA, NA, TB, NB, TACC, LANES, TAG)                       \
  {                                                                        \
    const auto a = aie::load_v<NA>(take<TA>(NA));                          \
    const auto b = aie::load_v<NB>(take<TB>(NB));                          \
    const aie::accum<TAG, LANES> acc(aie::load_v<LANES>(take<TACC>(LANES))); \
    give_lanes(mul_##NAME(a, b));                                          \
    give_lanes(negmul_##NAME(a, b));                                       \
    give_lanes(mac_##NAME(a, b, acc));                                     \
    give_lanes(msc_##NAME(a, b, acc));                                     \
  }

int main() {
  CASE(4x8_8x8, int8, 64, int8, 64, int32, 32, acc32)
  CASE(4x8_8x8, uint8, 64, int8, 64, int32, 32, acc32)
  CASE(4x4_4x8, int16, 32, int8, 64, int32, 32, acc32)
  CASE(2x8_8x8, int16, 32, uint8, 64, int32, 16, acc64)
  CASE(4x8_8x4, int16, 32, int8, 64, int32, 16, acc64)
  CASE(4x2_2x8, int16, 32, int16, 32, int32, 32, acc32)
  CASE(2x4_4x8, uint16, 32, int16, 32, int32, 16, acc64)
  CASE(4x4_4x4, int16, 32, int16, 32, int32, 16, acc64)
  CASE(4x2_2x4, int32, 16, int16, 32, int32, 16, acc64)
  CASE(elem_32_2, int8, 64, uint8, 64, int32, 32, acc32)
  CASE(elem_32, int16, 32, int16, 32, int32, 32, acc32)
  CASE(elem_16_2, int16, 32, int16, 32, int32, 16, acc64)
  CASE(conv_32x8, int8, 64, int8, 64, int32, 32, acc32)
  CASE(conv_16x4, int16, 32, int16, 32, int32, 16, acc64)
  CASE(4x8_8x4, bfloat16, 32, bfloat16, 32, float, 16, accfloat)
  CASE(elem_16_2, bfloat16, 32, bfloat16, 32, float, 16, accfloat)
}
