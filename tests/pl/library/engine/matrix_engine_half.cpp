// Products of float16, whose sums are exact here, on each kind of operator.
#include "engine/matrix_engine_half.h"

using namespace aieloom::pl;
using namespace aieloom::pl::product;

struct Small {
  using Values = HalfProducts;
  using Places = Chain<Range<0, 1, Dsp, Dsp>, Range<1, 2, Dsp, Fabric>, Range<2, 3, Fabric, Dsp>, Range<3, 4, Fabric, Fabric>>;
  static constexpr int kM = 2, kN = 2, kK = 4;
};

extern "C" void top(const float* a, const float* b, const float* c, float* r, float alpha, float beta) {
  engine<Small>(a, b, c, r, 1, 1, 1, alpha, beta);
}

int main() {
  const float a[8] = {1, -2, 0.5F, 3, 0.25F, 4, -1, 2}, b[8] = {2, 1, -0.5F, 3, 4, 0.125F, 1, -1}, c[4] = {1, 2, 3, 4};
  for (float beta : {0.0F, 2.0F}) {
    float r[4] = {};
    top(a, b, c, r, 0.5F, beta);
    for (int i = 0; i < 4; ++i) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) {
        sum += a[i / 2 * 4 + k] * b[k * 2 + i % 2];
      }
      if (r[i] != 0.5F * sum + beta * c[i]) {
        return 1;
      }
    }
  }
  return 0;
}
