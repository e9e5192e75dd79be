// Native types and intrinsics of AIE, used as published kernels do.
#include <aie_api/aie.hpp>

#include "cases.h"

namespace {

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

void floats() {
  const float* p = take<float>(24);
  v16float x = concat(*reinterpret_cast<const v8float*>(p), *reinterpret_cast<const v8float*>(p + 8));
  v8float z = aie::load_v<8>(p + 16);
  v8float acc = fpmul(x, 3, 0x76543210, z, 1, 0x00112233);
  give(acc);
  acc = fpmac(acc, x, 9, 0x02468ace, z, 5, 0x77777777);
  give(acc);
  give(fpmsc(acc, x, 0, 0x11111111, z, 0, 0x76543210));
  give(fpmac(acc, z, z));
  give(fpadd(acc, x, 2, 0x76543210));
  give(fpsub(acc, x, 2, 0x76543210));
  give(fpmax(acc, x, 0, 0x01234567));
  give(fpmin(acc, x, 0, 0x01234567));
  give(fpneg(z));
  give(fpabs(x, 4, 0x76543210));
  give(fplt(acc, x, 0, 0x76543210));
  give(fpselect(0x5a, x, 0, 0x76543210, 8, 0x76543210));
  give(fpmul(null_v8float(), z));
  give(fpmul(x, 1, 0x76543210, 9, 0x11111111));
  give(fpmac(acc, x, 8, 0x76543210, 0, 0x01234567));
  give(aie::sqrt(aie::accum<accfloat, 8>(fpabs(z))).to_vector());
  give(select8(0x0f, acc, z));
  give(aie::broadcast<float, 8>(static_cast<float>(aie::detail::utils::log2(1000))));
}

void parts() {
  const int16* p = take<int16>(64);
  v16int16 w = aie::load_v<16>(p);
  v32int16 x = concat(w, aie::load_v<16>(p + 16));
  x = upd_w(x, 1, w);
  x = upd_v(x, 1, ext_v(x, 0));
  give(x);
  give(ext_w(x, 1));
  give(upd_elem(w, 3, 77));
  give(shft_elem(w, 55));
  give(static_cast<int32>(ext_elem(w, 9)));
  give(as_v8int32(w));
  v16acc48 acc = ups(w, 4);
  give_lanes(acc);
  give(srs(acc, 4));
  give(srs(ext_hi(acc), 4));
  give(lsrs(upd_lo(acc, ext_hi(acc)), 2));
  set_sat();
  set_rnd(rnd_conv_even);
  give(bsrs(acc, 6));
  give(ubsrs(acc, 6));
  give(get_sat() * 100 + get_rnd());
  clr_sat();
  give(bsrs(acc, 6));
  give_lanes(mul(w, w));
  give_lanes(mac(acc, w, w));
}

void macs_int16() {
  const v64int16 x = aie::load_v<64>(take<int16>(64));
  const v16int16 z = aie::load_v<16>(take<int16>(16));
  v8acc48 a8 = mul8(x, 2, 0x24130200, 4, 0x2103, z, 3, 0x76543210, 2);
  give_lanes(a8);
  a8 = mac8(a8, x, 0, 0x03020100, 2, 0x3210, z, 0, 0x00000000, 1);
  give_lanes(a8);
  give_lanes(msc8(a8, x, 0, 0x03020100, 2, 0x3210, z, 0, 0x00000000, 1));
  v16acc48 a16 = mul16(x, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
  give_lanes(a16);
  a16 = mac16(a16, x, 8, 0x00112233, 0x44556677, 0x3120, z, 2, 0x12345678, 0x9abcdef0, 3);
  give_lanes(a16);
}

void macs_wide() {
  const v16int32 x = aie::load_v<16>(take<int32>(16));
  const v16int16 z16 = aie::load_v<16>(take<int16>(16));
  const v8int32 z = aie::load_v<8>(take<int32>(8));
  const v16cint16 cx = aie::load_v<16>(take<cint16>(16));
  const v8cint16 cz = aie::load_v<8>(take<cint16>(8));
  give_lanes(mul8(x, 1, 0x76543210, 2, z16, 3, 0x00001111, 1));
  give_lanes(lmac8(lmul8(x, 5, 0xfedcba98, z, 1, 0x01234567), x, 0, 0x11111111, z, 0, 0x76543210));
  give_lanes(lmul4(x, 3, 0x3210, 4, z, 2, 0x0246, 1));
  give_lanes(mac4(mul4(cx, 2, 0x3210, 1, cz, 0, 0x1100, 2), cx, 0, 0x0123, 3, cz, 1, 0x3210, 1));
  give_lanes(mul8(cx, 2, 0x76543210, cz, 3, 0x00000000));
  give_lanes(mul8(cx, 2, 0x76543210, 1, z16, 3, 0x00000000, 1));
}

void symmetric_macs() {
  const v16cint16 x = aie::load_v<16>(take<cint16>(16));
  const v16cint16 y = aie::load_v<16>(take<cint16>(16));
  const v16int16 z = aie::load_v<16>(take<int16>(16));
  const v16int32 w = aie::load_v<16>(take<int32>(16));
  const v8int32 wz = aie::load_v<8>(take<int32>(8));
  v4cacc48 acc = mul4_sym(x, 3, 0x3210, 1, 12, z, 4, 0x0000, 1);
  give_lanes(acc);
  acc = mac4_sym(acc, x, 6, 0x6420, 2, y, 8, z, 0, 0x3210, 2);
  give_lanes(acc);
  give_lanes(msc4_antisym(acc, x, 1, 0x0123, 3, y, 14, z, 1, 0x0000, 1));
  give_lanes(mul4_sym_ct(x, 14, 0x6420, 2, y, 0, 5, z, 8, 0x0000, 1));
  give_lanes(mac4_sym_ct(acc, x, 2, 0x3210, 1, 9, 4, z, 3, 0x0000, 1));
  give_lanes(negmul8_antisym(x, 5, 0x76543210, 1, 2, z, 0, 0x0000, 1));
  give_lanes(lmul4_sym(w, 1, 0x3210, 2, 11, wz, 2, 0x0000, 1));
}

void symmetric_int16() {
  const v32int16 x = aie::load_v<32>(take<int16>(32));
  const v32int16 y = aie::load_v<32>(take<int16>(32));
  const v16int16 z = aie::load_v<16>(take<int16>(16));
  const v16int32 w = aie::load_v<16>(take<int32>(16));
  v16acc48 acc = mul16_sym(x, 4, 0x03020100, 0x07060504, 0x2110, y, 18, 0x2312, z, 3, 0x00000000, 0x00000000, 1);
  give_lanes(acc);
  acc = mac16_sym(acc, x, 8, 0x00112233, 0x44556677, 0x3120, 30, 0x1203, z, 2, 0x12345678, 0x9abcdef0, 3);
  give_lanes(acc);
  give_lanes(msc16_antisym(acc, x, 0, 0x03020100, 0x07060504, 0x3210, y, 2, 0x3210, z, 0, 0, 0, 1));
  v8acc48 half = mul8_sym(x, 6, 0x03020100, 2, 0x2110, y, 20, 0x2312, z, 1, 0x00000000, 1);
  give_lanes(half);
  give_lanes(mac8_antisym(half, x, 2, 0x24130200, 4, 0x2103, 28, 0x3210, z, 0, 0x76543210, 2));
  give_lanes(lmul8_sym_ct(w, 3, 0x76543210, 12, 5, z, 2, 0x00000000, 1));
}

void compares() {
  const v16int32 x = aie::load_v<16>(take<int32>(16));
  const v16int32 y = aie::load_v<16>(take<int32>(16));
  const v32int16 s = aie::load_v<32>(take<int16>(32));
  const v32int16 t = aie::load_v<32>(take<int16>(32));
  for (const unsigned bits : {eq16(x, y), ne16(x, y), lt16(x, y), le16(x, y), gt16(x, y), ge16(x, y),
                              ge16(x, 3, 0x76543210, 0xfedcba98, 1, 0x02020202, 0x11111111),
                              lt16(x, 2, 0x76543210, 0xfedcba98, y, 5, 0x01234567, 0x89abcdef),
                              eq32(s, t), ne32(s, t), lt32(s, t),
                              gt32(s, 4, 0x06040200, 0x0e0c0a08, 0x3210, t, 0, 0x06040200, 0x0e0c0a08, 0x2103)}) {
    give(bits);
  }
  give(max16(x, 2, 0x76543210, 0xfedcba98, y, 5, 0x01234567, 0x89abcdef));
}

void pairs_of_floats() {
  const v8float x = aie::load_v<8>(take<float>(8));
  const v16cfloat c = aie::load_v<16>(take<cfloat>(16));
  give(upd_elem(x, 3, 7.5f, -2.5f));
  give(fpselect8(0x0c, c, 1, 0x76543210, 8, 0x01234567));
  const v4cfloat product = fpmul(c, 2, 0x3210, x, 1, 0x0246);
  give(product);
  give(fpmac(product, c, 5, 0x1111, x, 0, 0x3210));
  const aie::detail::accum<aie::detail::AccumClass::FP, 32, 8> sum(x);
  give(as_v8int32(sum));
}

void widths() {
  const v8int32 v = aie::load_v<8>(take<int32>(8));
  const v16int8 b = aie::load_v<16>(take<int8>(16));
  const v8cint16 c = aie::load_v<8>(take<cint16>(8));
  const v8acc48 narrow = ups(v, 3);
  give_lanes(narrow);
  const v8acc80 wide = lups(v, 40);
  give(srs(wide, 40));
  const v16acc48 bytes = ups(b, 2);
  give_lanes(bytes);
  const v8cacc48 pairs = ups(c, 0);
  give(srsI(pairs, 0));
  const v16uint8 unsigned_bytes = aie::load_v<16>(take<uint8>(16));
  give((aie::vector<int16, 16>)unpack(unsigned_bytes));
}

void float_shuffles() {
  const v16float x = aie::load_v<16>(take<float>(16));
  give(fpshuffle16(x, 2, 0x76543210, 0x00112233));
  give(fpselect16(0xa5f0, x, 0, 0x76543210, 0xfedcba98, 1, 0x11111111, 0x22222222));
}

void float_choices() {
  const v16float x = aie::load_v<16>(take<float>(16));
  const v8float z = aie::load_v<8>(take<float>(8));
  const v8float acc = aie::load_v<8>(take<float>(8));
  give(fpmul_conf(x, 2, 0x00000000, z, 0, 0x76543210, false, false, fpadd_mixadd, 0x00, fpcmp_nrm));
  give(fpmac_conf(acc, x, 1, 0x11111111, z, 0, 0x67452301, false, false, fpadd_mixsub, 0x0f, fpcmp_nrm));
  give(fpmac_conf(acc, x, 4, 0x76543210, 8, 0x76543210, false, false, fpadd_sub, 0x00, fpcmp_nrm));
  unsigned kept = 0;
  give(fpmac_conf(acc, x, 0, 0x76543210, z, 0, 0x76543210, true, true, fpadd_add, 0x00, fpcmp_lt, kept));
  give(static_cast<float>(kept));
  give(fpmac_conf(acc, x, 0, 0x76543210, z, 0, 0x76543210, false, false, fpadd_add, 0x00, fpcmp_ge));
}

void selects() {
  const v16int32 x = aie::load_v<16>(take<int32>(16));
  const v32int16 s = aie::load_v<32>(take<int16>(32));
  give(shuffle16(x, 3, 0x76543210, 0xfedcba98));
  give(shuffle8(x, 1, 0x02468ace));
  give(select16(0xff00, x, 0, 0x76543210, 0xfedcba98, 1, 0x11111111, 0x22222222));
  give(select8(0x0f, x, 0, 0x76543210, 8, 0x76543210));
  give(shuffle32(s, 4, 0x03020100, 0x10203040, 0x2103));
  give(max16(x, shuffle16(x, 1, 0x76543210, 0xfedcba98)));
  give(abs32(s));
  give(max32(concat(s, s), 0, 0x06040200, 0x0e0c0a08, 0x3210, 4, 0x06040200, 0x0e0c0a08, 0x2103));
  give(sub16(x, 3, 0x76543210, 0xfedcba98, 1, 0x02020202, 0x11111111));
}

}  // namespace

static const Case float_case{"float", floats};
static const Case parts_case{"parts", parts};
static const Case int16_case{"int16", macs_int16};
static const Case wide_case{"wide", macs_wide};
static const Case symmetric_case{"symmetric", symmetric_macs};
static const Case symmetric_16_case{"symmetric int16", symmetric_int16};
static const Case compare_case{"compare", compares};
static const Case pairs_case{"pairs of floats", pairs_of_floats};
static const Case widths_case{"widths", widths};
static const Case shuffle_case{"float shuffles", float_shuffles};
static const Case choices_case{"float choices", float_choices};
static const Case select_case{"select", selects};

int main(int count, char** values) { return run_case(count, values); }
