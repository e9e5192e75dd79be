// Half-band and accumulating symmetric filters, floats between accumulators and vectors, masks of words, parts of
// complex numbers, sines of integers, loops as functions, printing.
#include <aie_api/aie.hpp>
#include <aie_api/utils.hpp>

#include "cases.h"

namespace {

template <typename Acc>
void give_lanes(const Acc& acc) {
  for (unsigned i = 0; i < Acc::size(); ++i) {
    give(static_cast<std::int64_t>(acc.at(i)));
  }
}

void words() {
  give(aie::mask<64>(0x89abcdefU, 0x01234567U).to_uint64());
  give(aie::mask<64>(0x0123456789abcdefULL).to_uint64());
  give(static_cast<std::uint64_t>(aie::mask<16>(true).to_uint32()));
  give(static_cast<std::uint64_t>(aie::mask<16>(false).count()));
  give(static_cast<std::uint64_t>(aie::mask<64>(0x89abcdefU, 0x01234567U).get_submask<16>(2).to_uint32()));
  give(static_cast<std::uint64_t>(aie::mask<64>(7U, 9U).data()[1]));
}

void floats() {
  const auto x = aie::load_v<8>(take<float>(8));
  aie::accum<accfloat, 8> acc;
  acc = x;
  const aie::vector<float, 8> twice = aie::add(acc, acc);
  give(twice);
  give(aie::to_vector<float>(aie::from_vector<accfloat>(x)));
  give(acc.grow_replicate<16>().extract<8>(1).to_vector<float>());
  aie::vector<float, 8> y = x;
  give(y.push(x[7]));
  give(fix2float(aie::broadcast<int16, 8>(-3), 1));
  const auto sum = acc + acc - x;  // accumulators need no aie::operators
  give(sum.to_vector());
  give(aie::broadcast<float, 8>(max(x[0], min(x[1], 3))));
  const auto [low, high] = x.split<4>();
  give(aie::concat(std::make_pair(high, low)));
}

void parts() {
  const auto c = aie::load_v<8>(take<cint16>(8));
  give(aie::real(c));
  give(aie::imag(c));
  const auto [re, im] = aie::detail::unzip_complex(aie::mul(c, c));  // of AMD's own detail: its DSP library calls them
  give(re.template to_vector<int32>(0));
  give(im.template to_vector<int32>(0));
  give(aie::detail::combine_into_complex(im, re).template to_vector<cint32>(0));
  const auto a = aie::load_v<16>(take<int16>(16));
  give(aie::to_vector<int16>(aie::from_vector<acc32>(a, 3), 4));
}

void loops() {
  aie::vector<int32, 8> v = aie::zeros<int32, 8>();
  aie::unroll_for<int, 0, 8>([&](auto i) { v[i] = decltype(i)::value * 2; });
  give(v);
  int32 sum = 0;
  aie::unroll_for_2d<int, 0, 4, 2, 3, 0, -1>([&](int y, int x) { sum = sum * 3 + y * x; });
  aie::unroll_times<3>([&] { ++sum; });
  aie::pipelined_loop<2>(5, [&](unsigned i) { sum += static_cast<int32>(i); });
  aie::peeled_loop<2, aie::loop_options{.peel_front = 1}>(5, [&] { sum += 100; });
  give(sum);
  static_assert(aie::arch::version == __AIE_ARCH__ && aie::arch::is(aie::arch::Gen1) == (__AIE_ARCH__ == 10));
  auto here = aie::tile::current();
  here.set_rounding(aie::rounding_mode::conv_even);
  here.set_saturation(aie::saturation_mode::saturate);
  give(static_cast<int32>(here.get_rounding() == aie::get_rounding()));
}

void too_few() {
  aie::pipelined_loop<4>(3, [] {});
}

void prints() {
  const auto v = aie::load_v<8>(take<int32>(8));
  aie::print_matrix(v, 4, "m ");
  aie::print_fixed(v, 1, true, "f ");
}

const Case words_case{"words", words};
const Case floats_case{"floats", floats};
const Case parts_case{"parts", parts};
const Case loops_case{"loops", loops};
const Case few_case{"too few", too_few};
const Case prints_case{"prints", prints};

void bits() {
  const float* x = take<float>(4);
  for (unsigned i = 0; i < 4; ++i) {
    give(as_int32(x[i]));
  }
  for (unsigned i = 0; i < 4; ++i) {
    give(as_int32(as_float(as_int32(x[i]))));
  }
  for (unsigned i = 0; i < 4; ++i) {
    give(static_cast<int32>(as_uint32(as_cint16(as_int32(x[i])))));
  }
  for (unsigned i = 0; i < 4; ++i) {
    const cint16 c = as_cint16(static_cast<unsigned>(as_int32(x[i])));
    give(static_cast<int32>(c.real));
    give(static_cast<int32>(c.imag));
  }
#if __AIE_ARCH__ != 10
  for (unsigned i = 0; i < 4; ++i) {
    give(static_cast<float>(as_bfloat16(static_cast<short>(as_int32(x[i]) >> 16))));
  }
  for (unsigned i = 0; i < 4; ++i) {
    give(static_cast<int32>(as_int64(as_double(as_int64(x[i]))) >> 32));
  }
#endif
}
const Case bits_case{"bits", bits};

#if __AIE_ARCH__ == 10
void angles() {
  const auto v = aie::load_v<8>(take<int32>(8));
  for (unsigned i = 0; i < 8; ++i) {
    const auto [s, c] = aie::sincos(v.get(i));
    static_assert(std::is_same_v<decltype(s), const int16>);
    const cint16 both = aie::sincos_complex(v.get(i));
    give(static_cast<int32>(s));
    give(static_cast<int32>(c));
    give(static_cast<int32>(both.real == c && both.imag == s));
  }
  give(aie::imag(aie::sincos_complex(v)));
  give(aie::sin(v));
}
void scalars() {
  const int32* x = take<int32>(4);
  for (unsigned i = 0; i < 4; ++i) {
    const int v = x[i];
    give(static_cast<int32>(clb(v)));
    give(static_cast<int32>(clb(static_cast<unsigned>(v))));
    give(static_cast<int32>(clb(static_cast<long long>(v) * 65536)));
    give(static_cast<int32>(scalar_abs(v)));
    give(static_cast<int32>(bitget(static_cast<unsigned>(v), 3)));
    give(static_cast<int32>(bitset(static_cast<unsigned>(v), 1, 3)));
    give(static_cast<int32>(select(v > 0, v, 7)));
    const cint16 turn = sincos(static_cast<unsigned>(v));
    give(static_cast<int32>(turn.real == aie::cos(v) && turn.imag == aie::sin(v)));
  }
  give(static_cast<int32>(inv(8, 2, 10)));      // 1 / 2
  give(static_cast<int32>(sqrt(64, 4, 8)));     // 2
  give(static_cast<int32>(invsqrt(64, 4, 8)));  // 1 / 2
  const auto four = aie::broadcast<float, 8>(4.0F);
  const aie::vector<float, 8> quarter = aie::inv(aie::accum<accfloat, 8>(four));
  const aie::vector<float, 8> half = aie::invsqrt(aie::accum<accfloat, 8>(four));
  give(static_cast<int32>(quarter[3] == 0.25F && half[5] == 0.5F && aie::div(1.0F, 4.0F) == 0.25F));
  give(static_cast<int32>(aie::abs_square(cint16{30, -40})));
}
const Case scalars_case{"scalars", scalars};
const Case angles_case{"angles", angles};
#endif

}  // namespace

int main(int count, char** values) { return run_case(count, values); }
