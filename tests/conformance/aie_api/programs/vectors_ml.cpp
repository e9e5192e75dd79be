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
}
