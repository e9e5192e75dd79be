// What the other programs leave out: lazy operations one by one, widths at which sums wrap, small and short types.
#include <aie_api/aie.hpp>
#include <aie_api/operators.hpp>

#include "cases.h"

namespace {

template <typename Acc>
void give_lanes(const Acc& acc) {
  for (unsigned i = 0; i < Acc::size(); ++i) {
    give(static_cast<std::int64_t>(acc.at(i)));
  }
}

void lazy() {
  const auto a = aie::load_v<16>(take<int16>(16)), b = aie::load_v<16>(take<int16>(16));
  const auto ab = aie::mul(a, b);
  give_lanes(aie::mac(aie::op_add(ab), a, b));
  give_lanes(aie::mac(aie::op_none(ab), a, b));
  give_lanes(aie::mac(aie::op_zero(ab, false), a, b));
  give_lanes(aie::msc(aie::op_sub(ab), a, b));
  give_lanes(aie::mul(aie::op_abs(a), aie::op_none(b)));
  give_lanes(aie::mul(aie::op_neg(a), aie::op_neg(b)));
  give_lanes(aie::negmul(aie::op_neg(a), b));
  give_lanes(aie::mul(aie::op_max(a, b), b));
  give_lanes(aie::mul(aie::op_min(a, int16(5)), aie::op_max(a, b)));
}

void vectors() {
  auto v = aie::load_v<16>(take<int16>(16));
  give(v.grow_extract<32>(0).extract<16>(0));
  give(v.grow_extract<8>(1));
  const auto parts = v.split<8>();
  give(std::get<1>(parts));
  give(static_cast<int32>(aie::equal(v, v)) + 2 * static_cast<int32>(aie::not_equal(v, aie::reverse(v))));
  v.upd_all(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  give(v);
  give(aie::vector<int32, 4>(9, 8, 7, 6));
  give(aie::vector_cast<int32>(v));
  give(aie::unpack(aie::pack(v)));
  using namespace aie::operators;
  v += v;
  v -= aie::broadcast<int16, 16>(1);
  give(v);
  give((v < int16(5)).to_uint32());
  give((int16(12) & v) | (v ^ v));
  give(v << 2);
  give(~v >> 1);
}

void floats() {
  const auto x = aie::load_v<8>(take<float>(8));
  give(aie::reduce_mul(x));
  give(aie::reduce_add(x));
  give(aie::reduce_add_v(x, x).extract<4>(0).get(1));
  give(aie::accum<accfloat, 8>(x).to_vector<float>(7));
}

/// Sums wrap at the accumulator's own width, not at that of the number the emulator keeps them in.
template <typename Tag>
void widths() {
  const auto v = aie::load_v<8>(take<int32>(8));
  const int shift = *take<int>(1);
#if __AIE_ARCH__ == 10  // which adds no accumulators
  const aie::accum<Tag, 8> acc(v, shift + 3);
#else
  aie::accum<Tag, 8> acc(v, shift);
  for (unsigned i = 0; i < 3; ++i) {
    acc = aie::add(acc, acc);
  }
#endif
  for (unsigned i = 0; i < 8; ++i) {
    give(static_cast<aie::detail::int128>(acc.at(i)));
  }
  give(acc.template to_vector<int32>(shift));
}

#if __AIE_ARCH__ == 20
void nibbles() {
  const auto* memory = reinterpret_cast<const int4*>(take<int8>(32));
  const auto v = aie::load_v<64>(memory);
  give(v.unpack());
  give(v.unpack().pack());
  give(v.extract<32>(1).unpack());
  give(static_cast<int8>(v.get(3)));
  auto w = v;
  w.set(int4(-8), 2);
  give(w);
  give(v.cast_to<uint4>().unpack());
}

void bfloat16s() {
  const auto a = aie::load_v<16>(take<bfloat16>(16)), b = aie::load_v<16>(take<bfloat16>(16));
  aie::set_rounding(aie::rounding_mode::conv_even);
  give(aie::add(a, b));
  give(aie::sub(a, b));
  give(aie::mul(a, b).to_vector<float>());
  give(aie::mac(aie::mul(a, b), a, b).to_vector<bfloat16>());
  give(aie::max(a, b));
  give(aie::min(a, bfloat16(0.5F)));
  give(aie::abs(a));
  give(aie::neg(a));
  give(aie::lt(a, b).to_uint32());
  give(aie::to_fixed<int16>(a, 4));
  give(aie::to_float<bfloat16>(aie::to_fixed<int16>(a, 4), 4));
  constexpr bfloat16 third = 1.0F / 3.0F;
  give(third);
}
#endif

}  // namespace

static const Case lazy_case{"lazy", lazy};
static const Case vector_case{"vectors", vectors};
static const Case float_case{"floats", floats};
#if __AIE_ARCH__ == 10
static const Case width_48{"width 48", widths<acc48>};
static const Case width_80{"width 80", widths<acc80>};
#else
static const Case width_32{"width 32", widths<acc32>};
static const Case width_64{"width 64", widths<acc64>};
static const Case nibble_case{"nibbles", nibbles};
static const Case bfloat_case{"bfloat16", bfloat16s};
#endif

int main(int count, char** values) { return run_case(count, values); }
