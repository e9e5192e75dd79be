// MACs of AIE on conjugates, magnitudes and the larger or smaller of two numbers; floating point likewise.
#include <aie_api/aie.hpp>

#include "support.h"

template <typename Acc>
void give_lanes(const Acc& acc) {
  for (unsigned i = 0; i < Acc::size(); ++i) {
    if constexpr (requires { acc.at(i).real; }) {
      give(static_cast<std::int64_t>(acc.at(i).real));
      give(static_cast<std::int64_t>(acc.at(i).imag));
    } else {
      give(static_cast<std::int64_t>(acc.at(i)));
    }
  }
}

int main() {
  const v16cint16 x = aie::load_v<16>(take<cint16>(16)), y = aie::load_v<16>(take<cint16>(16));
  const v8cint16 z = aie::load_v<8>(take<cint16>(8));
  const v16int16 r = aie::load_v<16>(take<int16>(16));
  const v32int16 s = aie::load_v<32>(take<int16>(32)), t = aie::load_v<32>(take<int16>(32));
  const v16int32 w = aie::load_v<16>(take<int32>(16)), u = aie::load_v<16>(take<int32>(16));
  const v8int32 f = aie::load_v<8>(take<int32>(8));

  v4cacc48 a = mul4_cn(x, 3, 0x3210, 1, z, 2, 0x1100, 2);
  give_lanes(a);
  give_lanes(mac4_nc(a, x, 3, 0x3210, 1, z, 2, 0x1100, 2));
  give_lanes(msc4_cc(a, x, 1, 0x0246, 2, z, 0, 0x0000, 1));
  give_lanes(negmul8_c(x, 2, 0x76543210, 1, r, 3, 0x00000000, 1));
  give_lanes(mul8_c(w, 2, 0x76543210, z, 3, 0x01234567));
  give_lanes(mul4_sym_cn(x, 3, 0x3210, 1, y, 12, z, 1, 0x0000, 1));
  give_lanes(mac4_antisym_nc(a, x, 3, 0x3210, 1, y, 12, z, 1, 0x0000, 1));

  give_lanes(mul16_abs(s, 0, 0x03020100, 0x07060504, 0x2110, r, 0, 0, 0, 1));
  give_lanes(lmac8_abs(lmul8(w, 5, 0xfedcba98, f, 1, 0x01234567), w, 0, 0x11112222, f, 0, 0x76543210));
  give_lanes(mul16_max(s, 4, 0x03020100, 0x07060504, 0x2110, t, 18, 0x2312, r, 3, 0, 0, 1));
  give_lanes(mul8_min(s, 6, 0x03020100, 2, 0x2110, t, 20, 0x2312, r, 1, 0, 1));
  give_lanes(mul16_maxdiff(s, 4, 0x03020100, 0x07060504, 0x2110, 18, 0x2312, r, 3, 0, 0, 1));
  give_lanes(lmul8_max(w, 1, 0x76543210, u, 11, f, 2, 0x00000000));
  give_lanes(lnegmul8_min(w, 1, 0x76543210, 11, f, 2, 0x00000000));

  int32 total = 0;  // aie::end counts elements from a pointer, or an array's own
  const int16 numbers[3] = {1, 20, 300};
  for (const int16* p = aie::begin(numbers); p != aie::end(numbers); ++p) {
    total += *p;
  }
  give(total + static_cast<int32>(aie::cend(aie::cbegin(numbers), 2)[-1]));
  v16acc48 sums;
  sums = r;  // a vector is assigned as it is
  give(srs(sums, 0));
  unsigned word = 0;
  give(maxcmp32(s, 0, 0x06040200, 0x0e0c0a08, 0x3210, t, 0, 0x06040200, 0x0e0c0a08, 0x3210, word));
  give(word);
  give(mincmp16(w, 0, 0x76543210, 0xfedcba98, 4, 0x76543210, 0xfedcba98, word));
  give(word);
  give(abs16(w, 3, 0x76543210, 0xfedcba98));

  const v8float p = aie::load_v<8>(take<float>(8)), q = aie::load_v<8>(take<float>(8)), o = aie::load_v<8>(take<float>(8));
  give(fpabs_mul(p, q));
  give(fpneg_abs_mul(p, 1, 0x76543210, q, 0, 0x11111111));
  give(fpmac_abs(o, p, q));
  give(fpmsc_abs(o, p, 0, 0x01234567, q, 0, 0x76543210));
  give(fpadd_abs(o, p));
  give(fpsub_abs(o, p, 2, 0x76543210));
  give(fpmax_abs(o, p));
  give(fpmin_abs(o, p));
  give(fpneg_abs(p));
  give(fplt_abs(o, p));
  give(fpge_abs(o, p));
  const v4cfloat c = aie::vector_cast<cfloat>(p), d = aie::vector_cast<cfloat>(q), e = aie::vector_cast<cfloat>(o);
  give(fpmul_cn(c, d));
  give(fpmul_nc(c, d));
  give(fpmac_cc(e, c, d));
  give(fpmsc_cn(e, c, 1, 0x3210, d, 0, 0x0000));
  give(fpmul_c(c, 0, 0x3210, o, 0, 0x3210));
  give(fpmac_cn(e, c, 1, 0x3210, 0, 0x3210));  // both operands of one buffer: one of them is conjugated
  give(fpmul_nc(c, 0, 0x3210, 2, 0x3210));
  give(fpmul_cc(c, 0, 0x3210, 1, 0x3210));
}
