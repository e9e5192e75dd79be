// A softmax over the channels of an image of one pixel: four tasks in a chain, each at its own pace, image after image.
//
//   beats --> largest --> [values] ----.            powers --> [raised] --> sums --> [kept] ----.
//                  `----> [largests] --+--> powers                            `----> [totals] --+--> shares --> beats
//
// Each task looks whether what begins an image has come, behind which all else of the image has, and waits for that
// only with nothing in its pipeline. A policy `Values` says what an element is: is_above(value, other), power_of(value,
// largest), share_of(power, total). II=1; sums one in kSumCycles, for a sum is back before the next value is added.
// Traits S, which inherit Elements<...> and WindowTraits: kChannels, kBeat, kSumCycles, and more steps than each task's
// pipeline is deep:
// kLargestDepth, kPowersDepth, kSumsDepth, kSharesDepth.
#pragma once

#include "line_buffer.h"

namespace aieloom {
namespace pl {

/// Passes values on and, behind an image's last, the largest of them.
template <class S, class Values, class Value = typename S::Element::Value>
void largest(hls::stream<Beat<S>>& beats, hls::stream<Value>& values, hls::stream<Value>& largests) {
  static_assert(ways<S>() == 1 && S::kHeight * S::kWidth == 1, "all channels of a pixel come one after another");
  Quiet<S::kLargestDepth> quiet;
  Value best = 0;
  for (;;) {
#pragma HLS pipeline II=1 style=flp
    const bool takes = quiet.enough() || !beats.empty();
    if (takes) {
      const Beat<S> beat = beats.read();
      const Value value = beat.value[0][0];
      if (beat.keep[0]) {
        best = beat.number == 0 || Values::is_above(value, best) ? value : best;
        values.write(value);
      }
      if (beat.keep[0] && beat.number == S::kChannels - 1) {
        largests.write(best);
      }
    }
    quiet.step(takes);
  }
}

/// Gives the exponential of each value's distance from the largest.
template <class S, class Values, class Value = typename S::Element::Value>
void powers(hls::stream<Value>& values, hls::stream<Value>& largests, hls::stream<float>& raised) {
  Quiet<S::kPowersDepth> quiet;
  Counter<S::kChannels> channel;
  Value best = 0;
  for (;;) {
#pragma HLS pipeline II=1 style=flp
    const bool takes = channel != 0 || quiet.enough() || !largests.empty();
    if (takes) {
      if (channel == 0) {
        best = largests.read();
      }
      raised.write(Values::power_of(values.read(), best));
      channel.step();
    }
    quiet.step(takes);
  }
}

/// Adds exponentials in order of channels and passes them on, then gives the sum.
template <class S>
void sums(hls::stream<float>& raised, hls::stream<float>& kept, hls::stream<float>& totals) {
  Quiet<S::kSumsDepth> quiet;
  Counter<S::kChannels> channel;
  float total = 0.0F;
  for (;;) {
#pragma HLS pipeline II=S::kSumCycles style=flp
    const bool takes = quiet.enough() || !raised.empty();
    if (takes) {
      const float power = raised.read();
      total = (channel == 0 ? 0.0F : total) + power;
      kept.write(power);
      if (channel.step()) {
        totals.write(total);
      }
    }
    quiet.step(takes);
  }
}

/// Gives each exponential's share of the sum, as a beat of `To`.
template <class S, class Values, class To>
void shares(hls::stream<float>& kept, hls::stream<float>& totals, hls::stream<Beat<To>>& results) {
  static_assert(ways<To>() == 1 && To::kBeat == 1, "a share is a beat");
  Quiet<S::kSharesDepth> quiet;
  Counter<S::kChannels> channel;
  float total = 1.0F;
  for (;;) {
#pragma HLS pipeline II=1 style=flp
    const bool takes = channel != 0 || quiet.enough() || !totals.empty();
    if (takes) {
      if (channel == 0) {
        total = totals.read();
      }
      Beat<To> beat;
      beat.value[0][0] = To::Function::of(Values::share_of(kept.read(), total));
      beat.keep[0] = true;
      beat.row = 0;
      beat.number = static_cast<int>(channel);
      beat.column = 0;
      results.write(beat);
      channel.step();
    }
    quiet.step(takes);
  }
}

}  // namespace pl
}  // namespace aieloom
