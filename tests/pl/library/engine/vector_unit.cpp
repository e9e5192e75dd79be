// Sums, pools, tables and depthwise layers of a unit that is started, and of one of two that a sequencer tells; in int8, and in floats.
#include "engine/vector_unit.h"

#include <cmath>

using namespace aieloom::pl;

struct LowBits {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& c, const IntegerFinish& f) { return static_cast<std::int8_t>(sum + c.bias + f.zero); }
};
struct Small {
  using Values = Integers;
  using Sums = OnnxSum;
  using Trained = vector::IntegerWeights<LowBits, 64>;
  static constexpr int kInterval = 1, kApart = 4, kUnits = 2, kNumbers = 48;
};
struct OfFloats : Small {
  using Values = Floats;
  using Sums = FloatSum<Floats>;
  using Trained = vector::FloatWeights<64>;
};
struct Alone : Small {
  using Trained = vector::Untrained;
};

extern "C" void top(const Word<std::int8_t>* a, const Word<std::int8_t>* b, const Word<std::int8_t>* table, Word<std::int8_t>* y, int unit,
                    hls::stream<Control>& control, hls::stream<Control>& done) {
  vector::told<Small>(a, b, table, y, unit, control, done);
}

constexpr int kMost = 2048, kImages = 3, kHeight = 5, kWidth = 4, kWords = 2, kChannels = 16 * kWords;
int given(int i) { return static_cast<int>((static_cast<unsigned>(i) * 2654435761U >> 9) % 251) - 125; }
double bounded(double value) { return std::fmin(90, std::fmax(-100, value)); }

struct Case {
  int operation, kernel, stride, counts_padding;
};

int out_of(int size, const Case& c) { return (size + 2 * (c.kernel / 2) - c.kernel) / c.stride + 1; }

/// What an element is, by definition.
template <class Memory>
double wanted(const Case& c, const Memory* a, const Memory* b, const Memory* table, bool of_floats, int image, int y, int x, int channel) {
  const auto at = [&](const Memory* m, int row, int column) {
    return static_cast<double>(m[((image * kHeight + row) * kWidth + column) * kWords + channel / 16].lane[channel % 16]);
  };
  if (c.operation == kAdd) {
    const double sum = of_floats ? at(a, y, x) + at(b, y, x) : std::nearbyint((at(a, y, x) + 8) / 2 + (at(b, y, x) - 3) / 4) + 5;
    return bounded(sum);
  }
  if (c.operation == kTable) {
    const int place = static_cast<int>(at(a, y, x)) + 128;
    return table[place / 16].lane[place % 16];
  }
  if (c.operation == kBounds) {
    return bounded(at(a, y, x));
  }
  double largest = of_floats ? -INFINITY : -128, sum = 0;
  int there = 0;
  const int biases = of_floats ? kChannels / 16 : kChannels;  // words of them
  for (int tap = 0; tap < c.kernel * c.kernel; ++tap) {
    const int row = y * c.stride - c.kernel / 2 + tap / c.kernel, column = x * c.stride - c.kernel / 2 + tap % c.kernel;
    const bool inside = 0 <= row && row < kHeight && 0 <= column && column < kWidth;
    const double outside = !of_floats && c.counts_padding != 0 ? -8 : 0;
    const double value = inside ? at(a, row, column) : outside;
    there += inside ? 1 : 0;
    largest = inside && value > largest ? value : largest;
    sum += c.operation == kDepthwise ? value * table[biases + tap * kWords + channel / 16].lane[channel % 16] : value;
  }
  if (c.operation == kMaximum) {
    return largest;
  }
  const int count = c.counts_padding != 0 ? c.kernel * c.kernel : there;
  if (c.operation == kAverage) {
    return of_floats ? static_cast<double>(static_cast<float>(sum) / static_cast<float>(count)) : std::round(sum / count);
  }
  if (of_floats) {
    return bounded(sum + table[channel / 16].lane[channel % 16]);
  }
  const std::int32_t bias = Integers::number_at(reinterpret_cast<const Word<std::int8_t>*>(table)[channel], 0);
  return static_cast<std::int8_t>(static_cast<int>(sum) + bias + 5);
}

template <class T, class Run>
int checked(const Case& c, Run run) {
  using Element = typename T::Values::Element;
  static Word<Element> a[kMost], b[kMost], table[kMost], y[kMost];
  for (int i = 0; i < kMost; ++i) {
    for (int q = 0; q < 16; ++q) {
      a[i].lane[q] = static_cast<Element>(given(16 * i + q));
      b[i].lane[q] = static_cast<Element>(given(16 * i + q + 99999));
      table[i].lane[q] = static_cast<Element>(given(16 * i + q + 55555) / 8);
      y[i].lane[q] = 77;
    }
  }
  run(a, b, table, y, c);
  const int height = out_of(kHeight, c), width = out_of(kWidth, c);
  for (int n = 0; n < kImages * height * width * kChannels; ++n) {
    const int channel = n % kChannels, pixel = n / kChannels, image = pixel / (height * width);
    const double value = wanted(c, a, b, table, sizeof(Element) == 4, image, pixel / width % height, pixel % width, channel);
    if (y[pixel * kWords + channel / 16].lane[channel % 16] != static_cast<Element>(value)) {
      return 1;
    }
  }
  return 0;
}

/// Tells both units a layer and the end.
template <class T>
void told(const Word<typename T::Values::Element>* a, const Word<typename T::Values::Element>* b, const Word<typename T::Values::Element>* table,
          Word<typename T::Values::Element>* y, const Case& c) {
  float low = -100, high = 90;
  const bool of_floats = sizeof(typename T::Values::Element) == 4;
  const int pad = c.kernel / 2;
  int numbers[48] = {2, 0, 0, 0, 0, c.operation, kImages, kHeight, kWidth, kWords, out_of(kHeight, c), out_of(kWidth, c), c.kernel, c.kernel, c.stride,
                     c.stride, pad, pad, c.counts_padding, -8, 3, 5, 4, 0, 2, 0, 0, 0, 0, c.operation == kDepthwise ? 0 : 3,
                     of_floats ? static_cast<int>(float_bits(low)) : -100, of_floats ? static_cast<int>(float_bits(high)) : 90};
  for (int unit = 0; unit < 2; ++unit) {
    static hls::stream<Control> control, done;
    for (int number : numbers) {
      control.write(control_of(number));
    }
    for (int i = 0; i < 48; ++i) {
      control.write(control_of(kEnd));
    }
    vector::told<T>(a, b, table, y, unit, control, done);
    done.read();
  }
}

int main() {
  const Case cases[] = {{kAdd, 1, 1, 1}, {kMaximum, 3, 2, 0}, {kAverage, 3, 1, 0}, {kAverage, 3, 2, 1}, {kDepthwise, 3, 1, 0}};
  for (const Case& c : cases) {
    const int number = static_cast<int>(&c - cases);
    if (checked<Small>(c, told<Small>) != 0) {
      return 1 + number;
    }
    if (checked<OfFloats>(c, told<OfFloats>) != 0) {
      return 11 + number;
    }
  }
  if (checked<Small>({kTable, 1, 1, 1}, told<Small>) != 0 || checked<OfFloats>({kBounds, 1, 1, 1}, told<OfFloats>) != 0) {
    return 20;
  }
  const auto started = [](const Word<std::int8_t>* a, const Word<std::int8_t>* b, const Word<std::int8_t>* table, Word<std::int8_t>* y, const Case& c) {
    vector::started<Alone>(a, b, &table[0].lane[0], y, 0, 0, 0, 0, c.operation, kImages, kHeight, kWidth, kWords, out_of(kHeight, c), out_of(kWidth, c),
                           c.kernel, c.kernel, c.stride, c.stride, c.kernel / 2, c.kernel / 2, c.counts_padding, -8, 3, 5, 4, 2, 0, 0, 0, 3, -100, 90);
  };
  for (const Case& c : {Case{kAdd, 1, 1, 1}, Case{kMaximum, 3, 2, 0}, Case{kTable, 1, 1, 1}, Case{kAverage, 3, 1, 1}}) {
    if (checked<Alone>(c, started) != 0) {
      return 30 + c.operation;
    }
  }
  return 0;
}
