// Stages of FFTs, alone and as whole transforms.
#include <aie_api/aie.hpp>

#include "cases.h"

namespace {

constexpr unsigned kShiftTw = 15;

template <typename In, typename Out, typename Tw>
void stage_2() {
  const In* x = take<In>(32);
  const Tw* tw = take<Tw>(4);
  alignas(32) Out y[32];
  aie::fft_dit_r2_stage<4>(x, tw, 32, kShiftTw, 16, false, y);
  for (const Out& one : y) {
    give(one);
  }
}

void stage_4() {
  const cint16* x = take<cint16>(32);
  const cint16* tw = take<cint16>(12);  // rates 1, 2, 3
  alignas(32) cint16 y[32];
  aie::set_rounding(aie::rounding_mode::conv_even);
  aie::set_saturation(aie::saturation_mode::saturate);
  aie::fft_dit_r4_stage<2>(x, tw + 4, tw, tw + 8, 32, kShiftTw, 16, true, y);
  for (const cint16& one : y) {
    give(one);
  }
}

/// The same two stages by fft_dit, vector by vector, from samples whose first half is all that AIE's radix 4 multiplies.
template <unsigned R, unsigned V>
void by_vectors() {
  using Fft = aie::fft_dit<V, R, cint16, cint32>;
  const cint16* x = take<cint16>(64);
  const cint16* tw = take<cint16>(64 / V / R * (R - 1));
  alignas(32) cint32 y[64];
  Fft fft;
  auto it = [&] {
    if constexpr (R == 2) {
      return fft.begin_stage(x, tw);
    } else {
      constexpr unsigned turns = 64 / V / R;
      return fft.begin_stage(x, tw + turns, tw, tw + 2 * turns);
    }
  }();
  for (unsigned j = 0; j < 64 / (R * Fft::out_vector_size); ++j) {
    const auto out = fft.dit(*it++, kShiftTw, 14, false);
    for (unsigned q = 0; q < R; ++q) {
      aie::store_v(y + q * (64 / R) + j * Fft::out_vector_size, out[q]);
    }
  }
  for (const cint32& one : y) {
    give(one);
  }
}

/// 32 points by radix 2, 4 and 4; n / V twiddles of every rate r < R follow one another.
template <typename T, typename Tw>
void whole() {
  const T* x = take<T>(32);
  const Tw* a = take<Tw>(1);
  const Tw* b = take<Tw>(6);
  const Tw* c = take<Tw>(24);
  const bool inverse = *take<int32>(1) != 0;
  alignas(32) T y[32], z[32];
  aie::set_rounding(aie::rounding_mode::conv_even);
  if constexpr (std::is_same_v<T, cint32>) {
    aie::fft_dit_r2_stage<16>(x, a, 32, kShiftTw, kShiftTw, inverse, y);
    aie::fft_dit_r4_stage<4>(y, b + 2, b, b + 4, 32, kShiftTw, kShiftTw, inverse, z);
    aie::fft_dit_r4_stage<1>(z, c + 8, c, c + 16, 32, kShiftTw, kShiftTw, inverse, y);
  } else {
    aie::fft_dit_r2_stage<16>(x, a, 32, inverse, y);
    aie::fft_dit_r4_stage<4>(y, b + 2, b, b + 4, 32, inverse, z);
    aie::fft_dit_r4_stage<1>(z, c + 8, c, c + 16, 32, inverse, y);
  }
  for (const T& one : y) {
    give(one);
  }
}

void odd_size() {
  alignas(32) cint16 x[32] = {}, y[32];
  aie::fft_dit_r2_stage<8>(x, x, 24, kShiftTw, 0, false, y);
}

const Case r2_case{"stage 2", stage_2<cint16, cint16, cint16>};
const Case r2_wide_case{"stage 2 wide", stage_2<cint16, cint32, cint16>};
const Case r4_case{"stage 4", stage_4};
const Case r2_vector_case{"vectors 2", by_vectors<2, 4>};
const Case r4_vector_case{"vectors 4", by_vectors<4, 4>};
const Case whole_case{"whole", whole<cint32, cint16>};
const Case odd_case{"odd size", odd_size};
#if __AIE_ARCH__ == 10
const Case float_case{"floats", whole<cfloat, cfloat>};
#else
const Case float_case{"cfloat", [] {
                        alignas(32) cfloat x[32] = {}, y[32];
                        aie::fft_dit_r2_stage<8>(x, x, 32, 0, 0, false, y);
                      }};
#endif

}  // namespace

int main(int count, char** values) { return run_case(count, values); }
