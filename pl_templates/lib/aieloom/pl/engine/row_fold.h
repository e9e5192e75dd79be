// Windows of int8 that a row of chains folds beside its products: the largest, averages, depthwise convolutions.
//
//   lines, a copy for each part of K --> fold_band: kParts taps a cycle --> end_band --> made
//
// II: kParts taps of a word a cycle; an element's scaling every kFoldInterval cycles. Cost: a product for each of kParts x kLanes lanes where layers have
// weights; what makes kLanes / kFoldInterval elements (finish.h, fold.h).
#pragma once

#include "../words.h"
#include "finish.h"
#include "fold.h"
#include "places.h"
#include "row_layer.h"

namespace aieloom {
namespace pl {
namespace row {

using LinePacket = Axis<128>;  // kLanes channels of a pixel
using LineBits = ap_uint<128>;

/// A band's rows of the input, once for each part of K; where the windows of its pixels begin; the words of a window.
template <class T>
using Lines = LineBits[T::kParts][T::kLineWords];
template <class T>
using Corners = Corner[T::kBandPixels];
template <class T>
using Places = WindowWord[T::kParts][T::kPlaces];

/// What lies outside of an image.
inline LineBits around(int element) {
  LineBits word;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    word.range(8 * i + 7, 8 * i) = element & 0xFF;
  }
  return word;
}

/// A word of the lines, of the pixel `dy`, `dx` from a window's corner.
inline LineBits seen(const LineBits* lines, const Layer& l, int first, const Corner& corner, const WindowWord& place, const LineBits& outside) {
#pragma HLS inline
  const int row = corner.row + place.dy;
  const int column = corner.column + place.dx;
  const bool inside = 0 <= first + row && first + row < l.height && 0 <= column && column < l.width;
  return inside ? lines[(corner.row * l.width + corner.column) * l.tap_words + place.offset] : outside;
}

/// Folds of a word of a pixel, and how many places of the image they saw.
struct Folds {
  std::int32_t lane[kLanes];
  int count, word;
};

/// Nothing is multiplied.
struct Untrained {
  template <class T>
  struct Kept {
    std::int32_t tap_of(int operation, std::int8_t value, int, int, const IntegerScaling& s) const { return IntegerFold::counted(operation, value, s); }
    std::int8_t ended(int operation, const Folds& folds, int lane, const IntegerScaling& s) const {
      return IntegerFold::of(operation, folds.lane[lane], folds.count, s);
    }
  };
};

/// Weights and channels of layers in which every channel sees itself alone, of kMostWords words of a pixel and kMostWeights of weights.
struct Depthwise {
  template <class T>
  struct Kept {
    Word<std::int8_t> weights[T::kMostWeights];  // tap after tap
    IntegerChannel channels[T::kMostWords][kLanes];

    /// Takes them: a word for each channel, then the weights.
    void take(hls::stream<LinePacket>& from, const Layer& l) {
      const bool is_depthwise = l.opcode == kFold && l.operation == kDepthwise;
      const int count = is_depthwise ? l.words * kLanes : 0;
      for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
        const LineBits word = from.read().data;
        channels[i / kLanes][i % kLanes] = {word.range(31, 0).to_int(), word.range(63, 32).to_int(), word.range(95, 64).to_int(), 0};
      }
      const int others = is_depthwise ? l.kernel_y * l.kernel_x * l.words : 0;
      for (int i = 0; i < others; ++i) {
#pragma HLS pipeline II=1
        const LineBits word = from.read().data;
        for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
          weights[i].lane[lane] = static_cast<std::int8_t>(word.range(8 * lane + 7, 8 * lane).to_uint());
        }
      }
    }

    std::int32_t tap_of(int operation, std::int8_t value, int tap_word, int lane, const IntegerScaling& s) const {
      const std::int32_t product = std::int32_t(value) * weights[operation == kDepthwise ? tap_word : 0].lane[lane];
      return operation == kDepthwise ? product : IntegerFold::counted(operation, value, s);
    }

    std::int8_t ended(int operation, const Folds& folds, int lane, const IntegerScaling& s) const {
      const IntegerFinish f = {s.zero, s.shift, s.low, s.high};
      return operation == kDepthwise ? T::Finished::of(folds.lane[lane], channels[folds.word][lane], f)
                                     : IntegerFold::of(operation, folds.lane[lane], folds.count, s);
    }
  };
};

template <class T>
using Trained = typename T::Trained::template Kept<T>;

/// Folds the windows of a band: kParts taps in a cycle, each from its copy of the lines. One loop goes over all pixels, words and taps, so
/// that it never drains; a cycle's taps are folded to one, side by side the largest and the sum, before what is kept is looked at.
template <class T>
void fold_band(const Lines<T>& lines, const Corners<T>& corners, const Trained<T>& trained, const Layer& l, const IntegerScaling& s, int group,
               int band, hls::stream<Folds>& to) {
  constexpr int kParts = T::kParts;
  constexpr std::int32_t kLeast = Int8::kLeast;
  const int taps = l.kernel_y * l.kernel_x;
  const int steps = (taps + kParts - 1) / kParts;
  const int first = band * l.rows * l.stride_y - l.top;
  const int turns = l.opcode == kFold ? pixels_of(l, band) * l.tap_words * steps : 0;
  const LineBits outside = around(l.operation == kMaximum ? kLeast : l.counts_padding != 0 ? s.zero_a : 0);
  std::int32_t sum[kLanes];
  std::int32_t largest[kLanes];
#pragma HLS array_partition variable=sum type=complete
#pragma HLS array_partition variable=largest type=complete
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    sum[i] = 0;
    largest[i] = kLeast;
  }
  int begin_y[kParts];  // a part's first tap
  int begin_x[kParts];
  int dy[kParts];  // and where it is
  int dx[kParts];
#pragma HLS array_partition variable=begin_y type=complete
#pragma HLS array_partition variable=begin_x type=complete
#pragma HLS array_partition variable=dy type=complete
#pragma HLS array_partition variable=dx type=complete
  int step_y = 0;  // from a tap to the one kParts behind it
  int step_x = 0;
  for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
    begin_y[part] = dy[part] = step_y;
    begin_x[part] = dx[part] = step_x;
    ++step_x;
    if (step_x == l.kernel_x) {
      step_x = 0;
      ++step_y;
    }
  }
  const int room = l.kernel_x - step_x;
  int pixel = 0;
  int word = 0;
  int tap = 0;
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS pipeline II=1
    const bool ends = tap + kParts >= taps;
    const Corner corner = corners[pixel];
    LineBits bits[kParts];
    for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
      const WindowWord place = {(dy[part] * l.width + dx[part]) * l.tap_words + word, dy[part], dx[part]};
      bits[part] = seen(lines[part], l, first, corner, place, outside);
      const bool wraps = dx[part] >= room;
      dy[part] = ends ? begin_y[part] : dy[part] + step_y + (wraps ? 1 : 0);
      dx[part] = ends ? begin_x[part] : wraps ? dx[part] - room : dx[part] + step_x;
    }
    Folds folds;
    folds.word = group * l.tap_words + word;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      std::int32_t all = 0;
      std::int32_t most = kLeast;
      for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
        const std::int8_t value = static_cast<std::int8_t>(bits[part].range(8 * i + 7, 8 * i).to_uint());
        const std::int32_t one = trained.tap_of(l.operation, value, (tap + part) * l.words + folds.word, i, s);
        const bool is_tap = tap + part < taps;
        all += is_tap ? one : 0;
        most = is_tap && one > most ? one : most;
      }
      all += sum[i];
      most = most > largest[i] ? most : largest[i];
      folds.lane[i] = l.operation == kMaximum ? most : all;
      sum[i] = ends ? 0 : all;
      largest[i] = ends ? kLeast : most;
    }
    tap += kParts;
    if (ends) {
      const int there = inside_of(first + corner.row, l.kernel_y, l.height) * inside_of(corner.column, l.kernel_x, l.width);
      folds.count = l.counts_padding != 0 ? taps : there > 0 ? there : 1;
      to.write(folds);
      tap = 0;
      ++word;
    }
    if (word == l.tap_words) {
      word = 0;
      ++pixel;
    }
  }
}

/// Makes elements of a band's folds: largest elements are that, others are scaled.
template <class T>
void end_band(hls::stream<Folds>& from, const Trained<T>& trained, const Layer& l, const IntegerScaling& s, int band, hls::stream<LinePacket>& made) {
  const int words = l.opcode == kFold ? pixels_of(l, band) * l.tap_words : 0;
  for (int i = 0; i < (l.operation == kMaximum ? words : 0); ++i) {
#pragma HLS pipeline II=1
    const Folds folds = from.read();
    ap_uint<128> bits;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      bits.range(8 * lane + 7, 8 * lane) = folds.lane[lane] & 0xFF;
    }
    made.write(axis_of(bits, false));
  }
  for (int i = 0; i < (l.operation == kMaximum ? 0 : words); ++i) {
#pragma HLS pipeline II=T::kFoldInterval
    const Folds folds = from.read();
    ap_uint<128> bits;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      bits.range(8 * lane + 7, 8 * lane) = trained.ended(l.operation, folds, lane, s) & 0xFF;
    }
    made.write(axis_of(bits, false));
  }
}

/// A band's folds and elements, side by side.
template <class T>
void fold_and_end(const Lines<T>& lines, const Corners<T>& corners, const Trained<T>& trained, const Layer& l, const IntegerScaling& s, int group,
                  int band, hls::stream<LinePacket>& to) {
#pragma HLS dataflow
  hls::stream<Folds, 4> folds;
  fold_band<T>(lines, corners, trained, l, s, group, band, folds);
  end_band<T>(folds, trained, l, s, band, to);
}

/// Rows that fold.
struct FoldsBands {
  template <class T>
  static void fold(const Lines<T>& lines, const Corners<T>& corners, const Trained<T>& trained, const Layer& l, int group, int band,
                   hls::stream<LinePacket>& made) {
    fold_and_end<T>(lines, corners, trained, l, scaling_of<Integers>(l), group, band, made);
  }
};

/// And rows that do not.
struct FoldsNothing {
  template <class T>
  static void fold(const Lines<T>&, const Corners<T>&, const Trained<T>&, const Layer&, int, int, hls::stream<LinePacket>&) {}
};

}  // namespace row
}  // namespace pl
}  // namespace aieloom
