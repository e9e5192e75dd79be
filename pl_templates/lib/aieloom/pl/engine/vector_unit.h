// Sums of two tensors, pools, depthwise convolutions, functions by table and bounds, of tensors in device memory: a word of kLanes elements
// every kInterval cycles.
//
//   a --> load ----- taps -----> fold -- folds --> finish -- words --> store --> y
//   b --> load -- of a sum's second tensor ----------^
//
// Cost: of each lane three products of 32 bits where layers add, a product and what makes an element of a sum where layers have weights; the folds of
// kBlock words; a table for two lanes.
#pragma once

#include <hls_fence.h>
#include <hls_stream.h>

#include "control.h"
#include "finish.h"
#include "fold.h"

namespace aieloom {
namespace pl {
namespace vector {

constexpr int kBlock = 128;          // words of a pixel that are folded together
constexpr int kQueue = 2 * kBlock;   // words between loads, folds and stores
constexpr int kEntries = 256;        // of a table
constexpr int kCopies = kLanes / 2;  // of a table: each has two ports, for two lanes

/// A layer, from the registers or the sequencer.
struct Layer {
  int operation;
  int images, height, width, words;  // of the input; words of a pixel
  int out_height, out_width;
  int kernel_y, kernel_x, stride_y, stride_x, top, left;
  bool counts_padding;
};

/// A layer as the sequencer sends it, its numbers in their order; others follow that are not the unit's.
struct Told {
  int opcode, a_at, b_at, table_at, y_at;
  int operation, images, height, width, words, out_height, out_width, kernel_y, kernel_x, stride_y, stride_x, top, left, counts_padding;
  int zero_a, zero_b, zero, a_low, a_high, b_low, b_high, multiplier_y, shift_a, shift_b, shift, low, high;
};

template <int kNumbers>
Told told_of(const int (&n)[kNumbers]) {
  static_assert(kNumbers * sizeof(int) >= sizeof(Told), "the sequencer sends all of a layer");
  return {n[0],  n[1],  n[2],  n[3],  n[4],  n[5],  n[6],  n[7],  n[8],  n[9],  n[10], n[11], n[12], n[13], n[14], n[15],
          n[16], n[17], n[18], n[19], n[20], n[21], n[22], n[23], n[24], n[25], n[26], n[27], n[28], n[29], n[30], n[31]};
}

template <class T>
using WordOf = Word<typename T::Values::Element>;
template <class T>
using ScalingOf = Scaling<typename T::Values::Sum>;
template <class T>
using Table = typename T::Values::Element[kCopies][kEntries];

/// What becomes of values: here of floats.
template <class T, class V = typename T::Values>
struct Arithmetic {
  using Element = typename V::Element;

  /// What lies outside the image: minus infinity to a maximum, 0 to an average.
  static Element outside_of(int operation, bool, const Scaling<float>&) { return V::element_of(operation == kMaximum ? -1.0F / 0.0F : 0.0F); }

  /// What a place counts for in a window's fold.
  static float counted(int, Element value, const Scaling<float>&) { return V::value_of(value); }

  /// A window's fold with its next tap; NaN is larger than any number.
  static float folded(int operation, bool first, float before, float value) {
    const float best = first ? -1.0F / 0.0F : before;
    if (operation == kMaximum) {
      return value > best || value != value ? value : best;
    }
    return (first ? 0.0F : before) + value;
  }

  static Element finished(int operation, float fold, Element value, Element other, int count, const Element (&)[kEntries], const Scaling<float>& s) {
    if (operation == kAdd) {
      return T::Sums::of(value, other, s);
    }
    if (operation == kAverage) {
      return V::element_of(fold / static_cast<float>(count));
    }
    if (operation == kBounds) {
      return V::element_of(held(V::value_of(value), s.low, s.high));
    }
    return V::element_of(fold);
  }
};

/// And of int8.
template <class T>
struct Arithmetic<T, Integers> {
  using Element = std::int8_t;
  using Sum = std::int32_t;

  /// What lies outside the image: the smallest element to a maximum; to an average the zero point, or 0 where it does not count.
  static Element outside_of(int operation, bool counts_padding, const IntegerScaling& s) {
    return operation == kMaximum ? Element(Int8::kLeast) : Element(counts_padding ? s.zero_a : 0);
  }

  static Sum counted(int operation, Element value, const IntegerScaling& s) { return IntegerFold::counted(operation, value, s); }

  static Sum folded(int operation, bool first, Sum before, Sum tap) {
    if (operation == kMaximum) {
      return first || tap > before ? tap : before;
    }
    return (first ? 0 : before) + tap;
  }

  static Element finished(int operation, Sum fold, Element value, Element other, int count, const Element (&table)[kEntries], const IntegerScaling& s) {
    if (operation == kAdd) {
      return T::Sums::of(value, other, s);
    }
    if (operation == kTable) {
      return table[value - Int8::kLeast];
    }
    return operation == kAverage || operation == kMean ? IntegerFold::of(operation, fold, count, s) : Element(fold);
  }
};

/// What layers were trained to: nothing here.
struct Untrained {
  template <class T>
  struct Kept {
    using Element = typename T::Values::Element;
    using Sum = typename T::Values::Sum;

    void take(const WordOf<T>*, const Layer&) {}
    Sum tap_of(int operation, Element value, int, int, const ScalingOf<T>& s) const { return Arithmetic<T>::counted(operation, value, s); }
    Element ended(int operation, Sum fold, Element value, Element other, int count, const Element (&table)[kEntries], int, int,
                  const ScalingOf<T>& s) const {
      return Arithmetic<T>::finished(operation, fold, value, other, count, table, s);
    }
  };
};

/// Weights, and a channel's numbers, of int8 layers in which every channel sees itself alone; Made makes elements of sums.
template <class Made, int kMostWeights>
struct IntegerWeights {
  template <class T>
  struct Kept {
    Word<std::int8_t> weights[kMostWeights];  // tap after tap
    IntegerChannel channels[kBlock][kLanes];

    /// Reads them: a word for each channel, then the weights.
    void take(const Word<std::int8_t>* from, const Layer& l) {
      const int count = l.operation == kDepthwise ? l.words * kLanes : 0;
      for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
        const Word<std::int8_t> word = from[i];
        channels[i / kLanes][i % kLanes] = {Integers::number_at(word, 0), Integers::number_at(word, 1), Integers::number_at(word, 2), 0};
      }
      const int others = l.operation == kDepthwise ? l.kernel_y * l.kernel_x * l.words : 0;
      for (int i = 0; i < others; ++i) {
#pragma HLS pipeline II=1
        weights[i] = from[count + i];
      }
    }

    std::int32_t tap_of(int operation, std::int8_t value, int tap_word, int lane, const IntegerScaling& s) const {
      const std::int32_t product = std::int32_t(value) * weights[operation == kDepthwise ? tap_word : 0].lane[lane];
      return operation == kDepthwise ? product : Arithmetic<T>::counted(operation, value, s);
    }

    std::int8_t ended(int operation, std::int32_t fold, std::int8_t value, std::int8_t other, int count, const std::int8_t (&table)[kEntries],
                      int word, int lane, const IntegerScaling& s) const {
      const IntegerFinish f = {s.zero, s.shift, s.low, s.high};
      return operation == kDepthwise ? Made::of(fold, channels[word][lane], f)
                                     : Arithmetic<T>::finished(operation, fold, value, other, count, table, s);
    }
  };
};

/// The same of floats.
template <int kMostWeights>
struct FloatWeights {
  template <class T>
  struct Kept {
    using V = typename T::Values;
    using Element = typename V::Element;
    Word<Element> weights[kMostWeights];  // tap after tap
    float biases[kBlock][kLanes];

    /// Reads them: a bias for each channel, then the weights.
    void take(const Word<Element>* from, const Layer& l) {
      constexpr int kNumbers = V::kWordNumbers;
      const int count = l.operation == kDepthwise ? l.words * kLanes / kNumbers : 0;
      for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
        const Word<Element> word = from[i];
        for (int k = 0; k < kNumbers; ++k) {
#pragma HLS unroll
          biases[kNumbers * i / kLanes][kNumbers * i % kLanes + k] = V::number_at(word, k);
        }
      }
      const int others = l.operation == kDepthwise ? l.kernel_y * l.kernel_x * l.words : 0;
      for (int i = 0; i < others; ++i) {
#pragma HLS pipeline II=1
        weights[i] = from[count + i];
      }
    }

    float tap_of(int operation, Element value, int tap_word, int lane, const Scaling<float>&) const {
      const float product = V::value_of(value) * V::value_of(weights[operation == kDepthwise ? tap_word : 0].lane[lane]);
      return operation == kDepthwise ? product : V::value_of(value);
    }

    Element ended(int operation, float fold, Element value, Element other, int count, const Element (&table)[kEntries], int word, int lane,
                  const Scaling<float>& s) const {
      const float sum = fold + biases[operation == kDepthwise ? word : 0][lane];
      return operation == kDepthwise ? V::element_of(held(sum, s.low, s.high))
                                     : Arithmetic<T>::finished(operation, fold, value, other, count, table, s);
    }
  };
};

template <class T>
using Trained = typename T::Trained::template Kept<T>;

/// Reads what each pixel of the result sees, tap after tap: bursts of a tap's words.
template <class Element>
void load(const Word<Element>* x, const Layer& l, Element outside, hls::stream<Word<Element>>& to) {
  Word<Element> around;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    around.lane[i] = outside;
  }
  for (int n = 0; n < l.images; ++n) {
    for (int y = 0; y < l.out_height; ++y) {
      for (int column = 0; column < l.out_width; ++column) {
        for (int word = 0; word < l.words; word += kBlock) {
          const int some = l.words - word < kBlock ? l.words - word : kBlock;
          for (int dy = 0; dy < l.kernel_y; ++dy) {
            for (int dx = 0; dx < l.kernel_x; ++dx) {
              const int from_y = y * l.stride_y + dy - l.top;
              const int from_x = column * l.stride_x + dx - l.left;
              const bool inside = 0 <= from_y && from_y < l.height && 0 <= from_x && from_x < l.width;
              const std::int64_t from = ((static_cast<std::int64_t>(n) * l.height + from_y) * l.width + from_x) * l.words + word;
              for (int j = 0; j < some; ++j) {
#pragma HLS pipeline II=1
                to.write(inside ? x[from + j] : around);
              }
            }
          }
        }
      }
    }
  }
}

/// The folds of a word of a pixel, its last tap, and how many places of the image were seen.
template <class T>
struct Folds {
  typename T::Values::Sum lane[kLanes];
  WordOf<T> value;
  int count;
};

/// Folds the taps of each word. One loop goes over all of them, so that it never drains. Two taps of a word come kApart turns or more one behind
/// the other, in which its fold is back: a pixel of fewer words has turns in which nothing comes.
template <class T>
void fold(hls::stream<WordOf<T>>& xs, const Trained<T>& trained, const Layer& l, const ScalingOf<T>& s, hls::stream<Folds<T>>& to) {
  using Sum = typename T::Values::Sum;
  static_assert(T::kInterval > 0 && T::kApart > 0, "a word takes a turn, and its fold is back some turns later");
  static Sum folds[kBlock][kLanes];
#pragma HLS array_partition variable=folds type=complete dim=2
  const int taps = l.kernel_y * l.kernel_x;
  const int least = taps > 1 ? T::kApart : 1;
  const int blocks = (l.words + kBlock - 1) / kBlock;
  const int rest = l.words - (blocks - 1) * kBlock;  // words of a pixel's last block, and its turns
  const int short_turns = rest < least ? least : rest;
  const int turns = l.images * l.out_height * l.out_width * taps * ((blocks - 1) * kBlock + short_turns);
  int y = -l.top;  // the window's first row and column
  int x = -l.left;
  int column = 0;
  int row = 0;
  int block = 0;
  bool last_block = blocks == 1;
  int some = last_block ? rest : kBlock;
  int last = (last_block ? short_turns : kBlock) - 1;  // turn of the tap
  int tap = 0;
  int j = 0;
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS pipeline II=T::kInterval
#pragma HLS dependence variable=folds type=inter dependent=false  // kApart turns lie between
    const bool ends_tap = j == last;
    const bool last_tap = tap == taps - 1;
    if (j < some) {
      Folds<T> made;
      made.value = xs.read();
      const int seen = inside_of(y, l.kernel_y, l.height) * inside_of(x, l.kernel_x, l.width);
      const int counted_places = l.counts_padding ? taps : seen;
      made.count = counted_places > 0 ? counted_places : 1;
      for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
        const Sum one = trained.tap_of(l.operation, made.value.lane[i], tap * l.words + block * kBlock + j, i, s);
        made.lane[i] = Arithmetic<T>::folded(l.operation, tap == 0, folds[j][i], one);
        folds[j][i] = made.lane[i];
      }
      if (last_tap) {
        to.write(made);
      }
    }
    j = ends_tap ? 0 : j + 1;
    if (ends_tap) {
      tap = last_tap ? 0 : tap + 1;
    }
    if (ends_tap && last_tap) {
      const bool last_next = blocks == 1 || block == blocks - 2;
      if (last_block) {
        const bool last_column = column == l.out_width - 1;
        const bool last_row = row == l.out_height - 1;
        column = last_column ? 0 : column + 1;
        x = last_column ? -l.left : x + l.stride_x;
        if (last_column) {
          row = last_row ? 0 : row + 1;
          y = last_row ? -l.top : y + l.stride_y;
        }
      }
      block = last_block ? 0 : block + 1;
      some = last_next ? rest : kBlock;
      last = (last_next ? short_turns : kBlock) - 1;
      last_block = last_next;
    }
  }
}

/// Makes the elements of words that are folded, or of two tensors.
template <class T>
void finish(hls::stream<Folds<T>>& folds, hls::stream<WordOf<T>>& others, const Table<T>& table, const Trained<T>& trained, const Layer& l,
            const ScalingOf<T>& s, hls::stream<WordOf<T>>& results) {
  const int words = l.images * l.out_height * l.out_width * l.words;
  int word = 0;
  for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=T::kInterval
    const Folds<T> made = folds.read();
    WordOf<T> other = made.value;
    if (l.operation == kAdd) {
      other = others.read();
    }
    WordOf<T> result;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      result.lane[lane] =
          trained.ended(l.operation, made.lane[lane], made.value.lane[lane], other.lane[lane], made.count, table[lane / 2], word, lane, s);
    }
    results.write(result);
    word = word == l.words - 1 ? 0 : word + 1;
  }
}

/// Writes words one after another.
template <class Element>
void store(hls::stream<Word<Element>>& results, const Layer& l, Word<Element>* y) {
  const std::int64_t count = static_cast<std::int64_t>(l.images) * l.out_height * l.out_width * l.words;
  for (std::int64_t i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    y[i] = results.read();
  }
}

/// All of a layer: loads, folds and stores overlap.
template <class T>
void layer(const WordOf<T>* a, const WordOf<T>* b, const Table<T>& table, const Trained<T>& trained, const Layer& l, const Layer& second,
           const ScalingOf<T>& s, WordOf<T>* y) {
#pragma HLS dataflow
  hls::stream<WordOf<T>, kQueue> xs;
  hls::stream<WordOf<T>, kQueue> others;
  hls::stream<Folds<T>> folds;
  hls::stream<WordOf<T>, kQueue> results;
  load(a, l, Arithmetic<T>::outside_of(l.operation, l.counts_padding, s), xs);
  load(b, second, typename T::Values::Element(0), others);
  fold<T>(xs, trained, l, s, folds);
  finish<T>(folds, others, table, trained, l, s, results);
  store(results, l, y);
}

/// Computes a layer that the processor starts. Tensors lie in device memory pixel by pixel, kLanes channels in a word, the last word of a pixel
/// filled up. `*_at` are words from the beginning of a buffer, `table_at` bytes.
template <class T>
void started(const WordOf<T>* a, const WordOf<T>* b, const typename T::Values::Element* table, WordOf<T>* y, unsigned a_at, unsigned b_at,
             unsigned table_at, unsigned y_at, int operation, int images, int height, int width, int words, int out_height, int out_width,
             int kernel_y, int kernel_x, int stride_y, int stride_x, int top, int left, int counts_padding, int zero_a, int zero_b, int zero,
             std::int64_t multiplier_a, std::int64_t multiplier_b, int multiplier_y, int shift_a, int shift_b, int shift,
             typename T::Values::Sum low, typename T::Values::Sum high) {
#pragma HLS inline
  using Element = typename T::Values::Element;
  Table<T> values;
#pragma HLS array_partition variable=values type=complete dim=1
  for (int i = 0; i < kEntries; ++i) {
#pragma HLS pipeline II=1
    const Element value = operation == kTable ? table[table_at + i] : Element(0);
    for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
      values[copy][i] = value;
    }
  }
  const Trained<T> trained{};
  const Layer l = {operation, images,   height,   width,    words, out_height, out_width,
                   kernel_y,  kernel_x, stride_y, stride_x, top,   left,       counts_padding != 0};
  Layer second = l;
  second.images = operation == kAdd ? images : 0;
  const ScalingOf<T> s = {zero_a, zero_b, zero, multiplier_a, multiplier_b, multiplier_y, shift_a, shift_b, shift, low, high};
  layer<T>(a + a_at, b + b_at, values, trained, l, second, s, y + y_at);
}

/// Computes unit `unit`'s share of the images of layer after layer as the sequencer sends them, and tells it when one lies in memory.
template <class T>
void told(const WordOf<T>* a, const WordOf<T>* b, const WordOf<T>* table, WordOf<T>* y, int unit, hls::stream<Control>& control,
          hls::stream<Control>& done) {
#pragma HLS inline
  for (;;) {
    int n[T::kNumbers];
    read_numbers(control, n);
    const Told told = told_of(n);
    if (told.opcode == kEnd) {
      break;
    }
    Table<T> values;
#pragma HLS array_partition variable=values type=complete dim=1
    const int entries = told.operation == kTable ? kEntries : 0;
    WordOf<T> word = {};
    for (int i = 0; i < entries; ++i) {
#pragma HLS pipeline II=1
      if (i % kLanes == 0) {
        word = table[told.table_at + i / kLanes];
      }
      for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
        values[copy][i] = word.lane[i % kLanes];
      }
    }
    const Share share = Share::of(told.images, T::kUnits, unit);
    const Layer l = {told.operation, share.images,  told.height,   told.width,    told.words, told.out_height, told.out_width,
                     told.kernel_y,  told.kernel_x, told.stride_y, told.stride_x, told.top,   told.left,       told.counts_padding != 0};
    Layer second = l;
    second.images = l.operation == kAdd ? l.images : 0;
    const ScalingOf<T> s = {told.zero_a,       told.zero_b,  told.zero,    wide(told.a_low, told.a_high), wide(told.b_low, told.b_high),
                            told.multiplier_y, told.shift_a, told.shift_b, told.shift,                    T::Values::number_of(told.low),
                            T::Values::number_of(told.high)};
    const std::int64_t skipped = share.images > 0 ? static_cast<std::int64_t>(share.first) * l.height * l.width * l.words : 0;
    const std::int64_t made = share.images > 0 ? static_cast<std::int64_t>(share.first) * l.out_height * l.out_width * l.words : 0;
    static Trained<T> trained;
    trained.take(table + told.table_at, l);
    layer<T>(a + told.a_at + skipped, b + told.b_at + skipped, values, trained, l, second, s, y + told.y_at + made);
    hls::fence(y, done);  // the results are in memory before the token leaves [UG1399 hls::fence]
    done.write(token());
  }
}

}  // namespace vector
}  // namespace pl
}  // namespace aieloom
