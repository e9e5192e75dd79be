// Sums that become elements, against whole quotients rounded by their definitions.
#include "engine/finish.h"

#include <cmath>

using namespace aieloom::pl;

using Wide = __int128;

Wide floor_of(Wide value, Wide by) { return value >= 0 ? value / by : -((-value + by - 1) / by); }
Wide half_up(Wide value, Wide by) { return floor_of(2 * value + by, 2 * by); }
Wide half_away(Wide value, Wide by) { return value >= 0 ? (2 * value + by) / (2 * by) : -((-2 * value + by) / (2 * by)); }
Wide half_even(Wide value, Wide by) {
  const Wide below = floor_of(value, by), twice = 2 * (value - below * by);
  return twice > by || (twice == by && below % 2 != 0) ? below + 1 : below;
}
Wide bounded(Wide value, Wide low, Wide high) { return value < low ? low : value > high ? high : value; }

int main() {
  const IntegerFinish f = {5, 9, -100, 90};
  for (int sum = -70000; sum < 70000; sum += 7) {
    for (int shift = -7; shift < 3; ++shift) {
      const IntegerChannel c = {-33, 1518500250 + 1000 * shift, shift, 0};
      const Wide whole = sum + c.bias;
      const Wide left = whole * (shift > 0 ? 1 << shift : 1);
      const Wide scaled_once = half_up(left * c.multiplier, Wide{1} << 31);
      const Wide tflite = half_away(scaled_once, shift < 0 ? Wide{1} << -shift : 1);
      if (MultiplierFinish::of(sum, c, f) != bounded(tflite + f.zero, f.low, f.high)) {
        return 1;
      }
      const IntegerChannel short_one = {-33, 23170 + shift, shift, 0};
      const Wide by16 = half_up(whole * short_one.multiplier, Wide{1} << (15 - shift));
      if (Multiplier16Finish::of(sum, short_one, f) != bounded(by16 + f.zero, f.low, f.high)) {
        return 2;
      }
    }
    const IntegerChannel plain = {-33, 0, 0, 0};
    if (PowerOfTwoFinish::of(sum, plain, f) != bounded(half_up(sum - 33, 512), f.low, f.high)) {
      return 3;
    }
    for (int left = 0; left < 18; left += 3) {
      const IntegerChannel c = {-33, 3, left, 0};
      for (int shift = 0; shift < 31; shift += 5) {
        const IntegerFinish onnx = {5, shift, -100, 90};
        const Wide in_32_bits = bounded(Wide{sum - 33} << left, -2147483648LL, 2147483647LL);
        const Wide quotient = half_even(in_32_bits * c.multiplier, Wide{1} << shift);
        if (OnnxFinish::of(sum, c, onnx) != bounded(quotient + onnx.zero, onnx.low, onnx.high)) {
          return 4;
        }
      }
    }
  }
  const Finish<float> bounds = {0, 0, -1.5F, 2.5F};
  const Channel<float> real = {0.25F, 0, 0, 0};
  const Channel<float> filled = {0.25F, 0, 0, 1};
  const float nan = std::nanf("");
  if (FloatFinish<Floats>::of(1.0F, real, bounds) != 1.25F || FloatFinish<Floats>::of(-9.0F, real, bounds) != -1.5F ||
      FloatFinish<Floats>::of(9.0F, real, bounds) != 2.5F || FloatFinish<Floats>::of(nan, filled, bounds) != 0.0F ||
      FloatFinish<Floats>::of(nan, real, bounds) == FloatFinish<Floats>::of(nan, real, bounds)) {
    return 5;
  }
  return FloatFinish<Bfloats>::of(1.0F, real, bounds) == 0x3FA0 && FloatFinish<Bfloats>::of(1.0F, filled, bounds) == 0 ? 0 : 6;
}
