// An LSTM and both forms of a GRU over several steps and images, forwards and backwards, with weights on the chip and in memory, in double precision.
#include "engine/recurrent_unit.h"

#include <cmath>
#include <vector>

using namespace aieloom::pl;
using namespace aieloom::pl::recurrent;

struct Held {
  using HeldStorage = Uram;
  static constexpr int kImages = 2, kMostGates = 80, kMostHidden = 32, kLeastWords = 9, kMostWords = 9, kHeldWords = 512, kCellCycles = 1;
};
struct InMemory : Held {
  using HeldStorage = Bram;
  static constexpr int kHeldWords = 1;
};

constexpr int kHidden = 19, kSteps = 4, kCount = 3, kRow = 9;  // rows of weights are filled up to so many words

extern "C" void top(const FloatWord* x, const FloatWord* w, FloatWord* y, int cell, int reverse) {
  unit<Held>(x, w, y, 1, 2, 3, kCount, kSteps, kHidden, cell, reverse);
}

float given(int i) { return static_cast<float>(static_cast<int>((static_cast<unsigned>(i) * 2654435761U >> 9) % 2001) - 1000) / 2048.0F; }
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

template <class Run>
bool is_right(int cell, int reverse, Run run) {
  static FloatWord x[512], w[1024], y[512];
  for (int i = 0; i < 1024; ++i) {
    for (int q = 0; q < 16; ++q) {
      w[i].lane[q] = given(16 * i + q + 4711);
      x[i % 512].lane[q] = given(16 * i + q);
    }
  }
  run(x, w, y, cell, reverse);
  const int gates = cell == kLstm ? 4 : 3, x_words = (gates * kHidden + 15) / 16, bias = 2 + kHidden * kRow;
  // Weight of feature `from` for gate place `to`; of a GRU whose reset gate comes first n's rows stand behind those of r and z.
  const auto weight = [&](int from, int to) {
    const bool is_second = cell == kGruBefore && to >= 2 * kHidden;
    const int at = is_second ? 2 + kHidden * kRow + from * kRow : 2 + from * kRow, place = is_second ? to - 2 * kHidden : to;
    return static_cast<double>(w[at + place / 16].lane[place % 16]);
  };
  for (int image = 0; image < kCount; ++image) {
    std::vector<double> h(kHidden), c(kHidden);
    for (int step = 0; step < kSteps; ++step) {
      const int t = reverse != 0 ? kSteps - 1 - step : step;
      const auto in = [&](int gate) { return static_cast<double>(x[1 + (image * kSteps + t) * x_words + gate / 16].lane[gate % 16]); };
      const auto sum = [&](const std::vector<double>& of, int gate) {
        double found = 0;
        for (int k = 0; k < kHidden; ++k) {
          found += weight(k, gate) * of[k];
        }
        return found;
      };
      std::vector<double> next(kHidden), gated(kHidden);
      for (int j = 0; j < kHidden; ++j) {
        gated[j] = sigmoid_of(in(j) + sum(h, j)) * h[j];
      }
      for (int j = 0; j < kHidden; ++j) {
        const double first = sigmoid_of(in(j) + sum(h, j)), second = sigmoid_of(in(kHidden + j) + sum(h, kHidden + j));
        if (cell == kLstm) {
          c[j] = second * c[j] + first * std::tanh(in(2 * kHidden + j) + sum(h, 2 * kHidden + j));
          next[j] = sigmoid_of(in(3 * kHidden + j) + sum(h, 3 * kHidden + j)) * std::tanh(c[j]);
        } else {
          const double beside = w[bias + j / 16].lane[j % 16];
          const double fresh = cell == kGru ? first * (sum(h, 2 * kHidden + j) + beside) : sum(gated, 2 * kHidden + j);
          next[j] = (1 - second) * std::tanh(in(2 * kHidden + j) + fresh) + second * h[j];
        }
      }
      h = next;
      for (int j = 0; j < kHidden; ++j) {
        if (std::fabs(y[3 + (image * kSteps + t) * 2 + j / 16].lane[j % 16] - h[j]) > 2e-6) {
          return false;
        }
      }
    }
  }
  return true;
}

int main() {
  const auto in_memory = [](const FloatWord* x, const FloatWord* w, FloatWord* y, int cell, int reverse) {
    unit<InMemory>(x, w, y, 1, 2, 3, kCount, kSteps, kHidden, cell, reverse);
  };
  for (int cell : {kLstm, kGru, kGruBefore}) {
    for (int reverse = 0; reverse < 2; ++reverse) {
      if (!is_right(cell, reverse, top) || !is_right(cell, reverse, in_memory)) {
        return 1 + 2 * cell + reverse;
      }
    }
  }
  return 0;
}
