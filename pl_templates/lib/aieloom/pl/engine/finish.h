// How an engine's sums become elements: a bias and a scale for each output channel, bounds for the layer.
//
//   sum + bias --x multiplier, shift-- + zero -- held between low and high
//
// II=1. A product of 32 x 64 bits for each element of a cycle, of some 6 DSPs (estimate); of a power of two and of floats none.
#pragma once

#include "../requantise.h"
#include "values.h"

namespace aieloom {
namespace pl {

/// What an output channel needs beside its weights.
template <class Number>
struct Channel {
  Number bias;
  int multiplier;  // of integers
  int shift;
  int fills;  // of floats: not 0 where it only fills a word up
};

/// What all channels of a layer share.
template <class Number>
struct Finish {
  int zero, shift;
  Number low, high;
};

using IntegerChannel = Channel<std::int32_t>;
using IntegerFinish = Finish<std::int32_t>;

inline std::int8_t within(std::int64_t value, const IntegerFinish& f) {
#pragma HLS inline
  return static_cast<std::int8_t>(held<std::int64_t>(value, f.low, f.high));
}

/// TensorFlow Lite's scaling: times the channel's multiplier / 2^31, halves up, then by a power of two, halves away from zero.
struct MultiplierFinish {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& channel, const IntegerFinish& f) {
    const int left = channel.shift > 0 ? channel.shift : 0;
    const int right = channel.shift < 0 ? -channel.shift : 0;
    const std::int64_t whole = static_cast<std::int64_t>(sum + channel.bias) * (std::int64_t{1} << left);
    return within(scaled(whole, channel.multiplier, right) + f.zero, f);
  }
};

/// TensorFlow Lite's scaling by a 16-bit multiplier / 2^15 and a power of two, halves up.
struct Multiplier16Finish {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& channel, const IntegerFinish& f) {
    const int total = 15 - channel.shift;
    const std::int64_t whole = static_cast<std::int64_t>(sum + channel.bias) * channel.multiplier;
    return within(((whole + (std::int64_t{1} << (total - 1))) >> total) + f.zero, f);
  }
};

/// The sum, in which the zero point is, by 2^shift, halves up.
struct PowerOfTwoFinish {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& channel, const IntegerFinish& f) {
    const std::int64_t half = (std::int64_t{1} << f.shift) >> 1;
    return within((static_cast<std::int64_t>(sum + channel.bias) + half) >> f.shift, f);
  }
};

/// ONNX's scaling: within 32 bits, times the channel's multiplier / 2^shift, a float32 quotient of scales, rounded once, halves to even.
struct OnnxFinish {
  static std::int8_t of(std::int32_t sum, const IntegerChannel& channel, const IntegerFinish& f) {
    const std::int64_t wide = static_cast<std::int64_t>(sum + channel.bias) * (std::int64_t{1} << channel.shift);
    const std::int64_t in_32_bits = held<std::int64_t>(wide, -2147483648LL, 2147483647LL);
    return within(to_even(in_32_bits * channel.multiplier, f.shift) + f.zero, f);
  }
};

/// The sum with its bias, within the layer's bounds, rounded once; NaN stays NaN. A channel that only fills a word up is 0: its
/// weights of 0 made NaN of an infinity, which the next layer's weights of 0 would bring into real channels.
template <class Values>
struct FloatFinish {
  static typename Values::Element of(float sum, const Channel<float>& channel, const Finish<float>& f) {
    return Values::element_of(channel.fills != 0 ? 0.0F : held(sum + channel.bias, f.low, f.high));
  }
};

}  // namespace pl
}  // namespace aieloom
