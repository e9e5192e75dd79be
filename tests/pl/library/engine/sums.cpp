// Sums of two tensors, against exact quotients where rounding is by hand; parts of a table give the same sum.
#include "engine/sums.h"

#include <cmath>

using namespace aieloom::pl;

struct Layer {
  int zero_a, zero_b, zero_y, a_low, a_high, b_low, b_high, multiplier_y, shift_a, shift_b, shift_y, sum_low, sum_high;
};

double bounded(double value, double low, double high) { return std::fmin(high, std::fmax(low, value)); }

int main() {
  // A half and a quarter at 1 / 2^20, and back: twice the sum is rounded once.
  const IntegerScaling tflite = {-8, 3, 5, 1 << 30, 1 << 30, 1 << 30, 0, 1, 18, -100, 90};
  // The same in eighths of ONNX: factors that are float32's integers.
  const IntegerScaling onnx = {-8, 3, 5, 4, 2, 0, 0, 0, 3, -100, 90};
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const std::int8_t first = static_cast<std::int8_t>(a), second = static_cast<std::int8_t>(b);
      const double sum = a + 8.0 + (b - 3.0) / 2;
      if (TfliteSum::of(first, second, tflite) != bounded(std::round(sum) + 5, -100, 90)) {
        return 1;
      }
      if (OnnxSum::of(first, second, onnx) != bounded(std::nearbyint((a + 8.0) / 2 + (b - 3.0) / 4) + 5, -100, 90)) {
        return 2;
      }
      if (OnnxSum::joined(OnnxSum::part_a(first, onnx), OnnxSum::part_b(second, onnx), onnx) != OnnxSum::of(first, second, onnx)) {
        return 3;
      }
      if (NoSum::of(first, second, onnx) != first) {
        return 4;
      }
    }
  }
  const Scaling<float> bounds = {0, 0, 0, 0, 0, 0, 0, 0, 0, -1.0F, 2.0F};
  if (FloatSum<Floats>::of(0.5F, 0.25F, bounds) != 0.75F || FloatSum<Floats>::of(5.0F, 1.0F, bounds) != 2.0F ||
      FloatSum<Bfloats>::of(0x3F00, 0x3E80, bounds) != 0x3F40) {
    return 5;
  }
  const Layer l = {1, 2, 3, -4, 5, 6, -7, 8, 9, 10, 11, -12, 13};
  const IntegerScaling s = scaling_of<Integers>(l);
  const std::int64_t a = (std::int64_t{5} << 32) + 4294967292LL, b = -(std::int64_t{7} << 32) + 6;
  return s.a == a && s.b == b && wide(-4, 5) == a && s.zero == 3 && s.y == 8 && s.shift == 11 && s.low == -12 && s.high == 13 ? 0 : 6;
}
