// Norms, softmaxes, factors and offsets of rows of int8 with a tail that does not count, against numbers in double precision.
#include "engine/row_integers.h"

#include <cmath>
#include <cstring>

using namespace aieloom::pl;
using namespace aieloom::pl::rows;

struct Small {
  using Values = Integers;
  static constexpr int kMostWords = 4, kNumbers = 15, kPowers = 256, kFraction = 12, kSpread = 8;
};

constexpr int kRows = 6, kWords = 2, kValid = 27, kZeroX = -3, kZero = 4;
using Bytes = Word<std::int8_t>;

void put(Bytes& word, int at, int number) { std::memcpy(&word.lane[4 * at], &number, 4); }
int given(int i) { return static_cast<int>((static_cast<unsigned>(i) * 2654435761U >> 9) % 101) - 50; }

extern "C" void top(const Bytes* x, const Bytes* w, Bytes* y, const int (&n)[15]) { IntegerRows::layer<Small>(x, w, y, n, 0, 1); }

int main() {
  static Bytes x[kRows * kWords + 2], y[kRows * kWords + 2], w[256];
  for (int i = 0; i < kRows * kWords; ++i) {
    for (int q = 0; q < 16; ++q) {
      x[i].lane[q] = static_cast<std::int8_t>(given(16 * i + q));
    }
  }
  const auto element = [](int row, int c) { return static_cast<double>(x[row * kWords + c / 16].lane[c % 16]); };
  const auto numbers = [](int operation, int shift) {
    put(w[0], 0, shift);
    put(w[0], 1, 1 << 20);  // of the spread's 2^8 n^2
    put(w[0], 2, 0);
    static int n[15];
    const int all[15] = {3, 0, 0, 0, operation, 1, kRows, kWords, kValid, 1, 0, kZeroX, kZero, 0, 0};
    std::memcpy(n, all, sizeof(n));
    return &n;
  };
  // Factors and offsets behind the head: 2^shift of them is 1.
  const auto scales = [](int factor, int step, int offset) {
    for (int c = 0; c < kWords * 16; ++c) {
      put(w[1 + c / 2], c % 2 * 2, factor + step * c);
      put(w[1 + c / 2], c % 2 * 2 + 1, offset * c);
    }
  };
  scales(300, 10, 17);
  top(x, w, y, *numbers(kAffine, 8));
  for (int row = 0; row < kRows; ++row) {
    for (int c = 0; c < kValid; ++c) {
      const double value = std::floor(((element(row, c) - kZeroX) * (300 + 10 * c) + 17 * c) / 256 + 0.5) + kZero;
      if (y[row * kWords + c / 16].lane[c % 16] != std::fmin(127, std::fmax(-128, value))) {
        return 1;
      }
    }
  }
  scales(1 << 16, 0, 0);  // normalised values of 12 bits behind the point, times 16: 2^16 / 2^24
  top(x, w, y, *numbers(kNorm, 24));
  for (int row = 0; row < kRows; ++row) {
    double mean = 0, variance = 0;
    for (int c = 0; c < kValid; ++c) {
      mean += element(row, c) / kValid;
    }
    for (int c = 0; c < kValid; ++c) {
      variance += (element(row, c) - mean) * (element(row, c) - mean) / kValid;
    }
    variance += static_cast<double>(1 << 20) / 256 / kValid / kValid;
    for (int c = 0; c < kValid; ++c) {
      const double value = (element(row, c) - mean) / std::sqrt(variance) * 16 + kZero;
      if (std::fabs(y[row * kWords + c / 16].lane[c % 16] - value) > 0.6) {
        return 2;
      }
    }
  }
  for (int i = 0; i < 256; ++i) {  // exponentials of the distance from the largest, the largest's last
    put(w[1 + i / 4], i % 4, static_cast<int>(std::exp((i - 255) / 16.0) * (1 << 20)));
  }
  top(x, w, y, *numbers(kShares, 200));
  for (int row = 0; row < kRows; ++row) {
    double largest = -128, total = 0;
    for (int c = 0; c < kValid; ++c) {
      largest = std::fmax(largest, element(row, c));
    }
    for (int c = 0; c < kValid; ++c) {
      total += std::exp((element(row, c) - largest) / 16);
    }
    for (int c = 0; c < kValid; ++c) {
      const double share = std::exp((element(row, c) - largest) / 16) / total * 200 + kZero;
      if (std::fabs(y[row * kWords + c / 16].lane[c % 16] - share) > 0.6) {
        return 3;
      }
    }
  }
  // A mask of its own for the image: elements whose mask is the zero point have no share.
  for (int c = 0; c < 32; ++c) {
    x[kRows * kWords + c / 16].lane[c % 16] = static_cast<std::int8_t>(c % 3 == 0 ? kZeroX : 5);
  }
  int masked[15];
  std::memcpy(masked, *numbers(kShares, 200), sizeof(masked));
  masked[13] = kRows * kWords;
  masked[14] = 1;
  top(x, w, y, masked);
  for (int row = 0; row < kRows; ++row) {
    int all = 0;
    for (int c = 0; c < kValid; ++c) {
      const int share = y[row * kWords + c / 16].lane[c % 16] - kZero;
      all += share;
      if (c % 3 == 0 && share != 0) {
        return 4;
      }
    }
    if (all < 190 || all > 210) {
      return 5;
    }
  }
  return 0;
}
