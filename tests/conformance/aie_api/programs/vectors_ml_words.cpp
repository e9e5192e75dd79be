// Comparisons, selections, logic, sums and shifts of AIE-ML by intrinsic; MACs of two accumulators and of chosen signs.
#include <aie_api/aie.hpp>

#include "support.h"

template <typename T, unsigned N>
void words() {
  using V = aie::vector<T, N>;
  const V a = aie::load_v<N>(take<T>(N)), b = aie::load_v<N>(take<T>(N));
  std::conditional_t<(N > 32), unsigned long long, unsigned> word{};
  const auto both = [&word](const V& v) {
    give(v);
    give(static_cast<unsigned long long>(word));
  };
  for (const bool sgn : {false, true}) {
    both(sub_lt(a, b, sgn, word));
    both(sub_ge(a, b, sgn, word));
    both(maxdiff_lt(a, b, sgn, word));
    both(min_ge(a, b, sgn, word));
    both(max_lt(a, b, sgn, word));
    both(abs_gtz(a, sgn, word));
    both(bneg_ltz(a, sgn, word));
    for (const auto found : {lt(a, b, sgn), le(a, b, sgn), gt(a, b, sgn), ge(a, b, sgn), ltz(a, sgn), gtz(a, sgn)}) {
      give(static_cast<unsigned long long>(found));
    }
    give(max(a, b, sgn));
    give(min(a, b, sgn));
    give(maxdiff(a, b, sgn));
    give(abs(a, sgn));
  }
  both(max_lt(a, b, word));
  word = lt(a, b);
  both(aie::select(a, b, lt(a, b)));
  word = ~lt(a, b);
  both(sel(a, b, ge(a, b)));
  give(static_cast<unsigned long long>(eqz(a)));
  give(static_cast<unsigned long long>(eq(a, b)));
  give(static_cast<unsigned long long>(ne(a, b)));
  give(addsub(a, b, static_cast<decltype(word)>(0xaaaaaaaaaaaaaaaaULL)));
  give(band(a, b));
  give(bor(a, b));
  give(bxor(a, b));
  give(bneg(a));
  give(shift(a, b, 3));
  give(shiftl_elem(a, 7));
  give(shiftr_elem(a, 7));
  give(insert(a, 5, 9));
}

void floats() {
  const v32bfloat16 a = aie::load_v<32>(take<bfloat16>(32)), b = aie::load_v<32>(take<bfloat16>(32));
  unsigned word = 0;
  give(max_lt(a, b, word));
  give(word);
  give(min_ge(a, b, word));
  give(word);
  give(band(a, b));
  give(sel(a, b, 0x0f0f00ffU));
  give(ltz(a) ^ gtz(b) ^ eqz(a));
  const v16float x = aie::load_v<16>(take<float>(16)), y = aie::load_v<16>(take<float>(16));
  give(max_lt(x, y, word));
  give(word);
  give(min_ge(x, y, word));
  give(word);
}

void sums() {
  const v64int8 a = aie::load_v<64>(take<int8>(64)), b = aie::load_v<64>(take<int8>(64));
  const v32int16 h = aie::load_v<32>(take<int16>(32)), g = aie::load_v<32>(take<int16>(32));
  const v32acc32 c(aie::load_v<32>(take<int32>(32))), d(aie::load_v<32>(take<int32>(32)));
  const v16acc64 e(aie::load_v<16>(take<int32>(16))), f(aie::load_v<16>(take<int32>(16)));
  const auto give32 = [](const auto& acc) { give(acc.template to_vector<int32>(0)); };
  give32(addmac_4x8_8x8(a, b, c, d));
  give32(addmsc_4x8_8x8(a, b, c, d));
  give32(submac_4x8_8x8(a, b, c, d));
  give32(submsc_4x8_8x8(a, b, c, d));
  give32(mul_4x8_8x8(a, 0, b, 1));
  give32(mac_elem_32_2(a, 1, b, 0, c));
  give32(mul_4x8_8x8_conf(a, b, 1));
  give32(mac_4x8_8x8_conf(a, b, c, 1, 0, 0, 0));
  give32(msc_4x8_8x8_conf(a, 0, b, 0, c, 0, 0, 1, 1));
  give32(addmac_conv_16x4_conf(h, 0, g, 1, e, f, 0, 1, 1, 1, 0));
  give32(submac_conv_16x4_conf(h, g, e, f, 0, 1, 0, 1));
  give32(mac_conv_8x8_4ch(a, b, c));
  give32(mul_conv_4x4_8ch(a, b));
  give32(add(c, d));
  give32(sub(c, d));
  give32(negadd(c, d));
  set_sat();
  give(lsrs(c, 4));
  give(ulsrs(c, 4));
  give(ssrs(c, 8, 0));
  give(lsrs_conf(e, 0, 1, rnd_conv_even));
  give(srs_to_v32int16(c, 4, 0));
  give32(sups(h, 2));
  give32(lups(aie::vector<int16, 16>(h.extract<16>(0)), 3, 0));
  give(broadcast_s16(-5));
  give(broadcast_u8(200));
  give(broadcast_s64(0x0000000500000007LL));
  give(broadcast_one_s32());
}

int main() {
  words<int8, 64>();
  words<uint8, 64>();
  words<int16, 32>();
  words<uint16, 32>();
  words<int32, 16>();
  words<uint32, 16>();
  floats();
  sums();
}
