// Pools: a fold says what is kept of values, a stage which values a window has.
//
//   rows, a word a step --> folds[channel] --> after the image: a beat with each channel's result
//
// pool_image: a word in kTakeCycles cycles, for a channel's fold must be back before its next word; then a result a cycle.
// LUTs: a fold for each value of a word, and kChannels folds in LUTs as memory.
#pragma once

#include "line_buffer.h"

namespace aieloom {
namespace pl {

/// The average of `kCount` integers, halves away from zero.
template <class Element, int kCount>
struct Average {
  using Value = typename Element::Value;
  ap_int<Element::kBits + bits_for(kCount - 1)> sum = 0;
  void take(Value value) { sum += value; }
  Value result() const {
    const int whole = sum.to_int();
    const int half = whole > 0 ? kCount / 2 : -(kCount / 2);
    return static_cast<Value>((whole + half) / kCount);
  }
};

/// Folds an image in rows as it comes, then gives each channel's result as a beat of `To`, to every writer.
/// Traits: the image's Element, kChannels, kHeight, kWidth, the rows' kBits, and kTakeCycles.
template <class T, class Fold, class To>
void pool_image(hls::stream<Row<T::kBits>>& rows, hls::stream<Beat<To>> results[To::kOutGroups]) {
  constexpr int kLanes = T::kBits / T::Element::kBits;
  constexpr int kAcross = T::kWidth / kLanes;
  static_assert(T::kWidth % kLanes == 0, "a word is a part of one row");
  static_assert(T::kTakeCycles > 0, "a word takes a cycle at least");
  static_assert(To::kReaders == 1 && To::kTogether == 1 && To::kBeat == 1, "a result is a beat: kTogether and kBeat are 1");
  Fold folds[T::kChannels];
#pragma HLS aggregate variable=folds
#pragma HLS bind_storage variable=folds type=ram_s2p impl=lutram
  for (int y = 0; y < T::kHeight; ++y) {
    for (int channel = 0; channel < T::kChannels; ++channel) {
      for (int across = 0; across < kAcross; ++across) {
#pragma HLS pipeline II=T::kTakeCycles
        const Row<T::kBits> word = rows.read();
        Fold kept = y == 0 && across == 0 ? Fold() : folds[channel];
        for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
          kept.take(lane_of<typename T::Element>(word, i));
        }
        folds[channel] = kept;
      }
    }
  }
  for (int channel = 0; channel < T::kChannels; ++channel) {
#pragma HLS pipeline II=1
    Beat<To> beat;
    beat.value[0][0] = folds[channel].result();
    beat.keep[0] = true;
    beat.row = 0;
    beat.number = channel;
    beat.column = 0;
    for (int writer = 0; writer < To::kOutGroups; ++writer) {
#pragma HLS unroll
      results[writer].write(beat);
    }
  }
}

}  // namespace pl
}  // namespace aieloom
