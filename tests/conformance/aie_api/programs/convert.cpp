// Conversions between accumulators and vectors in every mode, fixed and floating point, sliding products, tables.
#include <aie_api/aie.hpp>

#include "cases.h"

namespace {

constexpr aie::rounding_mode kModes[] = {
    aie::rounding_mode::floor,           aie::rounding_mode::ceil,           aie::rounding_mode::positive_inf,
    aie::rounding_mode::negative_inf,    aie::rounding_mode::symmetric_inf,  aie::rounding_mode::symmetric_zero,
    aie::rounding_mode::conv_even,       aie::rounding_mode::conv_odd,
#if __AIE_ARCH__ == 20
    aie::rounding_mode::symmetric_floor, aie::rounding_mode::symmetric_ceil,
#endif
};
constexpr aie::saturation_mode kSaturations[] = {aie::saturation_mode::none, aie::saturation_mode::saturate,
                                                 aie::saturation_mode::symmetric};

/// Every mode, saturation and shift for accumulators made of the given 64-bit numbers (cut to the tag's width).
template <typename Tag, typename T>
void srs() {
  constexpr unsigned N = 32;
  const std::int64_t* x = take<std::int64_t>(N);
  const unsigned shifts = *take<unsigned>(1);
  const int* shift = take<int>(shifts);
  aie::accum<Tag, N> acc;
  for (unsigned i = 0; i < N; ++i) {
    acc.lanes_[i] = static_cast<typename aie::accum<Tag, N>::lane>(x[i]);
  }
  for (const auto mode : kModes) {
    aie::set_rounding(mode);
    for (const auto saturation : kSaturations) {
      aie::set_saturation(saturation);
      for (unsigned s = 0; s < shifts; ++s) {
        give(acc.template to_vector<T>(shift[s]));
      }
    }
  }
}

template <typename Tag, typename T>
void round_trip() {
  const auto v = aie::load_v<32>(take<T>(32));
  aie::accum<Tag, 32> acc;
  acc.from_vector(v, 5);
  for (unsigned i = 0; i < 32; ++i) {
    give(static_cast<std::int64_t>(acc.at(i)));
  }
  give(acc.template to_vector<T>(5));
  give(acc.template to_vector_sign<T>(true, 5));
  give(acc.template extract<16>(1).template to_vector<T>(5));
  give(aie::concat(acc, acc).template to_vector<T>(5));
}

void registers() {
  give(static_cast<unsigned>(aie::get_rounding()));
  give(static_cast<unsigned>(aie::get_saturation()));
  give(static_cast<unsigned>(aie::swap_rounding(aie::rounding_mode::conv_even)));
  give(static_cast<unsigned>(aie::swap_saturation(aie::saturation_mode::symmetric)));
  give(static_cast<unsigned>(aie::get_saturation()));
  for (const auto mode : kModes) {
    give(static_cast<unsigned>(mode));
  }
}

template <typename TC, typename TD, unsigned Lanes, unsigned Points, int CS, int DSX, int DSY, unsigned NC, unsigned ND>
void sliding() {
  const auto c = aie::load_v<NC>(take<TC>(NC));
  const auto d = aie::load_v<ND>(take<TD>(ND));
  auto acc = aie::sliding_mul<Lanes, Points, CS, DSX, DSY>(c, 3, d, DSY == 2 ? 4 : 5);  // AIE's 16-bit data that step begin at even places
  using Out = std::conditional_t<std::is_same_v<TD, float>, float, std::int64_t>;
  for (unsigned l = 0; l < Lanes; ++l) {
    give(static_cast<Out>(acc.at(l)));
  }
  acc = aie::sliding_mac<Lanes, Points, CS, DSX, DSY>(acc, c, 1, d, 2);
  for (unsigned l = 0; l < Lanes; ++l) {
    give(static_cast<Out>(acc.at(l)));
  }
}

template <typename Acc>
void give_wide(const Acc& acc) {
  for (unsigned l = 0; l < Acc::size(); ++l) {
    give(static_cast<std::int64_t>(acc.at(l)));
  }
}

#if __AIE_ARCH__ == 10
void trigonometry() {
  const auto x = aie::load_v<8>(take<float>(8));
  give(aie::sin(x));
  give(aie::cos(x));
  const auto [s, c] = aie::sincos(x);
  give(s);
  give(c);
}
#else
template <unsigned Outputs, unsigned Channels, unsigned Points>
void channels() {
  const auto c = aie::load_v<64>(take<int8>(64));
  const auto d = aie::load_v<128>(take<int8>(128));
  give_wide(aie::sliding_mul_ch_ops<Outputs, Channels, Points, 1, 1, 1, int8, int8>::mul(c, 1, d, 2));
}

void bfloat16_rounding() {
  const auto x = aie::load_v<16>(take<float>(16));
  aie::accum<accfloat, 16> acc(x);
  for (const auto mode : kModes) {
    aie::set_rounding(mode);
    give(acc.to_vector<bfloat16>());
  }
}

void tables() {
  const auto v = aie::load_v<16>(take<int16>(16));
  const int16* once = take<int16>(16);
  const int16* twice = take<int16>(32);
  const int16* again = take<int16>(32);
  give(aie::parallel_lookup<int16, aie::lut<1, int16> >(aie::lut<1, int16>(16, once), 2, 8).fetch(v));
  give(aie::parallel_lookup<int16, aie::lut<2, int16> >(aie::lut<2, int16>(16, twice), 2, 8).fetch(v));
  const aie::lut<4, int16> four(16, twice, again);
  give(aie::parallel_lookup<int16, aie::lut<4, int16> >(four, 2, 8).fetch(v));
  give(aie::parallel_lookup<int16, aie::lut<4, int16>, aie::lut_oor_policy::truncate>(four, 2, 8).fetch(v));
  aie::linear_approx<int16, aie::lut<4, int16, int16> > line(aie::lut<4, int16, int16>(8, twice, again), 3, 4, 2);
  give_wide(line.compute(v));
}

void tensors() {
  const int16* p = take<int16>(512);
  auto s = aie::make_tensor_buffer_stream(
      p, aie::make_tensor_descriptor<int16, 16>(aie::tensor_dim(2U, 8), aie::tensor_dim(3U, 2)));
  for (unsigned i = 0; i < 5; ++i) {
    give(s.pop());
  }
  aie::vector<int16, 16> last;
  s >> last;
  give(last);
  auto deep = aie::make_tensor_buffer_stream(
      p, aie::make_tensor_descriptor<int16, 16>(aie::tensor_dim(2U, 16), aie::tensor_dim(1U, 0), aie::tensor_dim(2U, 3),
                                                aie::tensor_dim(2U, 1)));
  for (unsigned i = 0; i < 2; ++i) {
    auto inner = deep.pop();
    for (unsigned j = 0; j < 4; ++j) {
      give(inner.pop());
    }
  }
  (void)s.pop();  // one too many
}
#endif

#if __AIE_ARCH__ == 10
void linear_phase() {
  const auto c = aie::load_v<16>(take<int16>(16));
  const cint16* d = take<cint16>(27);
  aie::vector<cint16, 16> left, right;  // d[0..15] and d[11..26]
  for (unsigned i = 0; i < 16; ++i) {
    left[i] = d[i];
    right[i] = d[11 + i];
  }
  auto acc = aie::sliding_mul_sym<4, 4>(c, 0, left, 0, right, 12);
  acc = aie::sliding_mac_sym<4, 4>(acc, c, 4, left, 4, right, 8);
  acc = aie::sliding_mac_sym<4, 4>(acc, c, 8, left, 8, right, 4);
  for (unsigned l = 0; l < 4; ++l) {
    give(static_cast<std::int64_t>(acc.at(l).real));
    give(static_cast<std::int64_t>(acc.at(l).imag));
  }
}
#endif

void fixed_and_float() {
  const auto x = aie::load_v<8>(take<float>(8));
  give(aie::to_fixed<int32>(x, 4));
  give(aie::to_fixed<int16>(aie::concat(x, x), 2));
  give(aie::to_float(aie::to_fixed<int32>(x, 4), 4));
  give(aie::inv(x));
  give(aie::sqrt(aie::abs(x)));
  give(aie::invsqrt(aie::abs(x)));
  give(aie::div(x, aie::reverse(x)));
}

}  // namespace

#if __AIE_ARCH__ == 10
#define WIDE acc48
static const Case srs_80{"srs acc80 int32", srs<acc80, int32>};
static const Case sliding_16{"sliding int16", sliding<int16, int16, 8, 4, 1, 1, 1, 16, 32>};
static const Case sliding_step{"sliding steps", sliding<int16, int16, 16, 2, 2, 1, 2, 16, 64>};
static const Case sliding_32{"sliding int32", sliding<int32, int32, 4, 2, 1, 2, 1, 8, 16>};
static const Case sliding_mixed{"sliding mixed", sliding<int16, int32, 8, 2, 1, 1, 1, 16, 16>};
static const Case sliding_float{"sliding float", sliding<float, float, 8, 3, 1, 1, 1, 8, 16>};
static const Case linear_phase_24{"linear phase", linear_phase};
static const Case sine{"trigonometry", trigonometry};
#else
#define WIDE acc64
static const Case sliding_8{"sliding int8", sliding<int8, int8, 32, 8, 1, 1, 1, 16, 64>};
static const Case sliding_16{"sliding int16", sliding<int16, int16, 16, 4, 1, 2, 2, 16, 64>};
static const Case sliding_few{"sliding few lanes", sliding<int16, int16, 8, 4, 1, 1, 1, 16, 64>};
static const Case sliding_float{"sliding float", sliding<float, float, 32, 1, 1, 1, 1, 8, 32>};
static const Case channels_8{"channels 4 8 4", channels<4, 8, 4>};
static const Case channels_4{"channels 8 4 8", channels<8, 4, 8>};
static const Case bfloat{"bfloat16", bfloat16_rounding};
static const Case lookup{"tables", tables};
static const Case tensor{"tensors", tensors};
static const Case srs_u16{"srs uint16", srs<acc64, uint16>};
static const Case srs_32{"srs acc32 int8", srs<acc32, int8>};
#endif
static const Case srs_8{"srs int8", srs<WIDE, int8>};
static const Case srs_u8{"srs uint8", srs<WIDE, uint8>};
static const Case srs_16{"srs int16", srs<WIDE, int16>};
static const Case srs_32bit{"srs int32", srs<WIDE, int32>};
static const Case trip{"round trip", round_trip<WIDE, int16>};
static const Case modes{"registers", registers};
static const Case fixed_float{"fixed", fixed_and_float};

int main(int count, char** values) { return run_case(count, values); }
