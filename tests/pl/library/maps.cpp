// Layers over whole images, against loops that read the image as it is.
#include "maps.h"

#include <cmath>
#include <vector>

using namespace aieloom::pl;

/// What takes results, in place of a queue.
template <class Value>
struct Results {
  std::vector<Value> values;
  void write(Value value) { values.push_back(value); }
};

struct Sizes {
  static constexpr int kChannels = 3, kHeight = 4, kWidth = 5, kLargestCycles = 1, kSumCycles = 4;
  static float at(int channel) { return 0.5F * static_cast<float>(channel); }
};
struct Window : Sizes {
  static constexpr int kOutHeight = 2, kOutWidth = 3, kKernelY = 3, kKernelX = 2, kStrideY = 2, kStrideX = 2, kTop = 1;
  static constexpr int kLeft = 1, kTapCycles = 1;
};
struct Turn {  // rows and columns
  static constexpr int kChannel = 0, kRow = 2, kColumn = 1;
};
struct Pair : Sizes {  // the second has a value of each channel
  static constexpr int kStepChannel = 1, kStepY = 0, kStepX = 0;
};

int main() {
  float map[1][60], turned[1][60], one[1][3] = {{2.0F, -1.0F, 0.5F}};
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 5; ++x) {
        const float value = static_cast<float>((c * 37 + y * 11 + x * 23) % 19 - 9) * 0.25F;
        map[0][(c * 4 + y) * 5 + x] = value;
        turned[0][(c * 5 + x) * 4 + y] = value;
      }
    }
  }
  using Plain = Read<Image<3, 4, 5>>;
  using Turned = Read<Image<3, 5, 4>, Transpose<Turn>>;
  Results<float> straight, other, shares, logs, slopes, products, all;
  fold_map<Window, LargestFloat, Plain>(straight, map);
  fold_map<Window, LargestFloat, Turned>(other, turned);
  if (straight.values != other.values || straight.values.size() != 18) {
    return 1;
  }
  for (int i = 0; i < 18; ++i) {
    const int c = i / 6, y = i / 3 % 2 * 2 - 1, x = i % 3 * 2 - 1;
    float best = -100.0F;
    for (int row = y; row < y + 3; ++row) {
      for (int column = x; column < x + 2; ++column) {
        const bool inside = row >= 0 && row < 4 && column >= 0 && column < 5;
        best = inside && map[0][(c * 4 + row) * 5 + column] > best ? map[0][(c * 4 + row) * 5 + column] : best;
      }
    }
    if (straight.values[i] != best) {
      return 2;
    }
  }
  softmax_map<Sizes, FloatShares, Plain>(shares, map);
  log_softmax_map<Sizes, Plain>(logs, map);
  prelu_map<Sizes, Plain>(slopes, map);
  join_maps<Pair, Times>(products, map, one);
  join_channels<Unchanged, Relu>(all, map, one);
  for (int i = 0; i < 60; ++i) {
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
      sum += std::exp(static_cast<double>(map[0][c * 20 + i % 20]));
    }
    const double share = std::exp(static_cast<double>(map[0][i])) / sum;
    if (std::fabs(shares.values[i] - share) > 1e-6 || std::fabs(logs.values[i] - std::log(share)) > 1e-5) {
      return 3;
    }
    const float value = map[0][i];
    if (slopes.values[i] != (value > 0.0F ? value : value * 0.5F * static_cast<float>(i / 20)) ||
        products.values[i] != value * one[0][i / 20] || all.values[i] != value) {
      return 4;
    }
  }
  return all.values.size() == 63 && all.values[61] == 0.0F && all.values[60] == 2.0F ? 0 : 5;
}
