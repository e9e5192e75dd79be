// Functions of values, one after another.
#include "functions.h"

using namespace aieloom::pl;

struct Bounds {
  static constexpr float kLow = -1.5F, kHigh = 2.0F, kAlpha = 0.25F;
};
struct Twice {
  static float of(float x) { return 2.0F * x; }
};

int main() {
  const float nan = as_float(0x7FC00000U);
  if (Relu::of(-0.5F) != 0.0F || Relu::of(0.5F) != 0.5F || Relu::of(nan) == Relu::of(nan) ||
      float_bits(Relu::of(-0.0F)) != 0x80000000U) {
    return 1;  // -0 is not below 0
  }
  if (LeakyRelu<Bounds>::of(-2.0F) != -0.5F || LeakyRelu<Bounds>::of(3.0F) != 3.0F) {
    return 2;
  }
  if (HardSwish::of(-3.0F) != 0.0F || HardSwish::of(-4.0F) != 0.0F || HardSwish::of(3.0F) != 3.0F * (6.0F * 0.166666672F) ||
      HardSwish::of(0.0F) != 0.0F) {
    return 3;
  }
  if (AtLeast<Bounds>::of(-2.0F) != -1.5F || AtLeast<Bounds>::of(9.0F) != 9.0F || AtMost<Bounds>::of(9.0F) != 2.0F ||
      AtMost<Bounds>::of(-9.0F) != -9.0F || Between<Bounds>::of(-9.0F) != -1.5F || Between<Bounds>::of(9.0F) != 2.0F) {
    return 4;
  }
  if (Chain<Relu, Twice, Between<Bounds>>::of(0.75F) != 1.5F || Chain<Twice, Relu>::of(-1.0F) != 0.0F ||
      Unchanged::of(7) != 7) {
    return 5;
  }
  return Plus::of(1.0F, 2.0F) == 3.0F && Minus::of(1.0F, 2.0F) == -1.0F && Times::of(3.0F, 2.0F) == 6.0F &&
                 Over::of(3.0F, 2.0F) == 1.5F
             ? 0
             : 6;
}
