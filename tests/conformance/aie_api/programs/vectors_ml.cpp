// Vector intrinsics of AIE-ML: parts, broadcasts, conversions, shifts by bytes, shuffles.
#include <aie_api/aie.hpp>

#include "support.h"

int main() {
  const v32int16 a = aie::load_v<32>(take<int16>(32)), b = aie::load_v<32>(take<int16>(32));
  const v64int8 c = aie::load_v<64>(take<int8>(64)), d = aie::load_v<64>(take<int8>(64));
  give(extract_v16int16(a, 1));
  give(set_v32int16(1, extract_v16int16(a, 0)).extract<16>(1));
  give(insert(a, 0, extract_v16int16(b, 1)));
  give(broadcast_to_v32int16(extract_elem(a, 5)));
  give(broadcast_elem(b, 9));
  give(broadcast_zero_to_v16int32());
  give(srs_to_v32int16(ups_to_v32acc32(a, 3), 1));
  give(shift_bytes(a, b, 10));
  give(shuffle(a, T16_8x4));
  give(shuffle(a, T16_2x16));
  give(shuffle(c, T8_4x16));
  give(shuffle(a, b, T16_32x2_lo));
  give(shuffle(a, b, T16_32x2_hi));
  give(shuffle(a, b, T16_2x32_hi));
  give(shuffle(c, d, T8_64x2_lo));
  give(shuffle(c, d, T8_2x64_hi));
  give(shuffle(a, b, T512_1x2_hi));
  give(v32bfloat16(a));  // native types of a width convert to each other by their bits
  give(v16int32(v32bfloat16(b)));
  give(shuffle(extract_v16int16(a, 0), T16_4x4));
  give(shuffle(extract_v16int16(a, 1), T16_8x2));
  give(shuffle(extract_v32int8(c, 1), T8_4x8));
  give(shuffle(a, 28));  // AMD's number of T16_8x4
  give(shuffle(a, T16_1x2_flip));
  give(shuffle(a, b, DINTLV_hi_16o32));
  give(shuffle(c, d, INTLV_lo_8o16));
  alignas(32) int16 memory[34] = {};
  aie::store_unaligned_v<32>(memory + 1, a, 1);
  aie::store_v(memory, extract_v16int16(b, 0));
  give(aie::load_v<32>(memory));
  const aie::vector<cbfloat16, 8> x = aie::load_v<8>(take<cbfloat16>(8)), y = aie::load_v<8>(take<cbfloat16>(8));
  const cbfloat16 factor(2.0F, -1.0F);
  const aie::vector<cbfloat16, 8> product = aie::mul(x, y);
  give(product);
  give(aie::mac(aie::mul(x, factor), aie::conj(x), y).to_vector<cbfloat16>());
  give(aie::sub(aie::neg(x), aie::add(y, factor)));
  give(aie::to_float<cbfloat16>(extract_v16int16(a, 0).cast_to<cint16>(), 8));
  give(aie::abs_square(x));
  const v16bfloat16 real = x.cast_to<bfloat16>();
  give(to_v16bfloat16(aie::add(ups_to_v16accfloat(real), ups_to_v16accfloat(broadcast_one_to_v16bfloat16()))));
}
