// Products of blocks, scaled and combined with C, in float32 and int8, whatever operators are made of; every result is exact.
#include "engine/matrix_engine.h"

using namespace aieloom::pl;
using namespace aieloom::pl::product;

template <class V, class... Ranges>
struct Small {
  using Values = V;
  using Places = Chain<Ranges...>;
  static constexpr int kM = 3, kN = 4, kK = 6;
};
using OfFloats = Small<FloatProducts, Range<0, 2, Dsp, Dsp>, Range<2, 3, Fabric, Dsp>, Range<3, 5, Dsp, Fabric>, Range<5, 6, Fabric, Fabric>>;
using OfIntegers = Small<IntegerProducts, Range<0, 4, Fabric, Dsp>, Range<4, 6, Fabric, Fabric>>;

extern "C" void top(const float* a, const float* b, const float* c, float* r, int m, int n, int k, float alpha, float beta) {
  engine<OfFloats>(a, b, c, r, m, n, k, alpha, beta);
}

int given(int i) { return static_cast<int>((static_cast<unsigned>(i) * 2654435761U >> 9) % 31) - 15; }

template <class T>
bool is_right(int m, int n, int k, int alpha, int beta) {
  using V = typename T::Values;
  using Scalar = typename V::Scalar;
  static typename V::Memory a[1000], b[1000];
  static Scalar c[1000], r[1000];
  for (int i = 0; i < 1000; ++i) {
    a[i] = static_cast<typename V::Memory>(given(i));
    b[i] = static_cast<typename V::Memory>(given(i + 5000));
    c[i] = static_cast<Scalar>(given(i + 9000));
    r[i] = 0;
  }
  engine<T>(a, b, c, r, m, n, k, static_cast<Scalar>(alpha), static_cast<Scalar>(beta));
  for (int row = 0; row < m * 3; ++row) {
    for (int column = 0; column < n * 4; ++column) {
      int sum = 0;
      for (int place = 0; place < k * 6; ++place) {
        const int of_a = ((row / 3 * k + place / 6) * 3 + row % 3) * 6 + place % 6, of_b = ((column / 4 * k + place / 6) * 6 + place % 6) * 4 + column % 4;
        sum += given(of_a) * given(of_b + 5000);
      }
      const int at = ((row / 3 * n + column / 4) * 3 + row % 3) * 4 + column % 4;
      if (r[at] != static_cast<Scalar>(alpha * sum + beta * given(at + 9000))) {
        return false;
      }
    }
  }
  return true;
}

int main() {
  const bool floats = is_right<OfFloats>(2, 3, 2, 1, 0) && is_right<OfFloats>(1, 2, 3, 3, -2);
  return floats && is_right<OfIntegers>(2, 3, 2, 1, 0) && is_right<OfIntegers>(3, 1, 1, -5, 7) ? 0 : 1;
}
