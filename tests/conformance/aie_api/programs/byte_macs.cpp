// MACs of 8-bit data: UG1079's two matrix products, then any selection of lanes that the test gives.
#include <aie_api/aie.hpp>

#include "support.h"

template <typename TX, typename TZ>
void all() {
  const TX* x = take<TX>(128);
  const TZ* z = take<TZ>(32);
  const int* s = take<int>(8);
  const auto big = aie::load_v<128>(x);
  const auto small = aie::load_v<64>(x);
  const auto coeff = aie::load_v<32>(z);
  // Z 2x8 times X 8x8, Z 4x8 times X 8x4, as UG1079 Data Permute and MAC Examples writes them
  give(lsrs(mul16(small, 0, 0x11101110, 16, 0x3120, coeff, 0, 0x44440000, 2, 0x3210), 0));
  give(lsrs(mul16(small, 0, 0x00000000, 8, 0x3120, coeff, 0, 0xCC884400, 2, 0x3210), 0));
  // everything else by the formula
  const auto xo = static_cast<unsigned>(s[1]), zo = static_cast<unsigned>(s[5]);
  const auto xs = static_cast<unsigned>(s[3]), zs = static_cast<unsigned>(s[7]);
  v16acc48 acc = mul16(big, s[0], xo, s[2], xs, coeff, s[4], zo, s[6], zs);
  give(lsrs(acc, 0));
  acc = mac16(acc, small, s[0], xo, s[2], xs, coeff, s[4], zo, s[6], zs);
  give(lsrs(acc, 0));
  give(lsrs(msc16(acc, big, s[0], xo, s[2], xs, coeff, s[4], zo, s[6], zs), 0));
  v8acc48 half = mul8(big, s[0], xo, s[2], xs, coeff, s[4], zo, s[6], zs);
  give(lsrs(half, 0));
  half = mac8(half, big, s[0], xo, s[2], xs, coeff, s[4], zo, s[6], zs);
  give(lsrs(half, 0));
  give(lsrs(negmul8(small, s[0], xo, s[2], xs, coeff, s[4], zo, s[6], zs), 0));
}

int main() {
  all<int8, int8>();
  all<uint8, int8>();
  all<int8, uint8>();
  all<uint8, uint8>();
}
