// Norms, softmaxes, functions, factors and offsets of rows of floats with a tail that does not count, against double precision.
#include "engine/row_floats.h"

#include <cmath>

using namespace aieloom::pl;
using namespace aieloom::pl::rows;

struct Small {
  using Values = Floats;
  static constexpr int kMostWords = 4, kNumbers = 15, kInterval = 1;
};
struct Short : Small {
  using Values = Bfloats;
};

constexpr int kRows = 5, kWords = 2, kValid = 27;
float given(int i) { return static_cast<float>(static_cast<int>((static_cast<unsigned>(i) * 2654435761U >> 9) % 2001) - 1000) / 256.0F; }

extern "C" void top(const Word<float>* x, const Word<float>* w, Word<float>* y, const int (&n)[15]) { FloatRows::layer<Small>(x, w, y, n, 0, 1); }

double function(int operation, double x) {
  switch (operation) {
    case kGelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case kGeluTanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case kSilu:
      return x / (1 + std::exp(-x));
    case kSigmoid:
      return 1 / (1 + std::exp(-x));
    default:
      return std::tanh(x);
  }
}

template <class T, class Element>
int checked(Word<Element> (&x)[kRows * kWords], double tolerance) {
  using V = typename T::Values;
  static Word<Element> y[kRows * kWords], w[64];
  const auto number = [](int at, float value) {  // number `at` of the table
    if (sizeof(Element) == 4) {
      w[at / 16].lane[at % 16] = static_cast<Element>(value);
    } else {
      w[at / 8].lane[2 * (at % 8)] = static_cast<Element>(float_bits(value) & 0xFFFF);
      w[at / 8].lane[2 * (at % 8) + 1] = static_cast<Element>(float_bits(value) >> 16);
    }
  };
  number(0, 0.01F);  // epsilon, and what a softmax raises is times a half
  number(1, 0.5F);
  constexpr int kHead = V::kWordNumbers;
  for (int c = 0; c < 32; ++c) {
    number(kHead + 2 * c, 1.0F + 0.125F * static_cast<float>(c));
    number(kHead + 2 * c + 1, 0.25F * static_cast<float>(c));
  }
  for (int operation : {kNorm, kAffine, kShares, kGelu, kGeluTanh, kSilu, kSigmoid, kTanh}) {
    const int n[15] = {3, 0, 0, 0, operation, 1, kRows, kWords, kValid, 1, 0, 0, 0, 0, 0};
    FloatRows::layer<T>(x, w, y, n, 0, 1);
    for (int row = 0; row < kRows; ++row) {
      const auto element = [&](int c) { return static_cast<double>(V::value_of(x[row * kWords + c / 16].lane[c % 16])); };
      double mean = 0, variance = 0, largest = -1e30, total = 0;
      for (int c = 0; c < kValid; ++c) {
        mean += element(c) / kValid;
        largest = std::fmax(largest, element(c));
      }
      for (int c = 0; c < kValid; ++c) {
        variance += (element(c) - mean) * (element(c) - mean) / kValid;
        total += std::exp((element(c) - largest) / 2);
      }
      for (int c = 0; c < 32; ++c) {
        const double value = element(c), factor = 1 + 0.125 * c, offset = 0.25 * c;
        const double made = operation == kNorm     ? (value - mean) / std::sqrt(variance + 0.01F) * factor + offset
                            : operation == kAffine ? value * factor + offset
                            : operation == kShares ? std::exp((value - largest) / 2) / total
                                                   : function(operation, value);
        const double wanted = c < kValid ? made : 0;
        const double found = V::value_of(y[row * kWords + c / 16].lane[c % 16]);
        if (std::fabs(found - wanted) > tolerance * std::fmax(1, std::fabs(wanted))) {
          return 1 + operation;
        }
      }
    }
  }
  return 0;
}

int main() {
  static Word<float> x[kRows * kWords];
  static Word<std::uint16_t> shorts[kRows * kWords];
  for (int i = 0; i < kRows * kWords; ++i) {
    for (int q = 0; q < 16; ++q) {
      x[i].lane[q] = given(16 * i + q);
      shorts[i].lane[q] = Bfloats::element_of(given(16 * i + q));
    }
  }
  const int floats = checked<Small>(x, 2e-6);
  return floats != 0 ? floats : 10 * checked<Short>(shorts, 0.005);
}
