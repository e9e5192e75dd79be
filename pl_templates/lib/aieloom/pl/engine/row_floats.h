// Layers of whole rows in floats: norms, softmaxes, factors and offsets, functions of a value, in three passes.
//
//   words > look -- values ----------> raise -- raised ---------> make > words
//             '-- sums > tell -- told --^  '-- sums > settle -- told --^
//
//   norm      sum / n;  c = x - mean, sum of c c;  (c (1 / sqrt(sum / n + epsilon))) factor + offset
//   softmax   largest;  e = exp((x - largest) factor), sum of e;  e (1 / sum), 0 where the sum is 0
//
// Each operation rounds once, and sums have one order, which is that of aieloom/sequential/float_rows.py. II: a word every kInterval cycles. Cost: an
// exponential, a quotient and five sums for each element of a cycle (some 60 DSPs, estimate).
#pragma once

#include <hls_math.h>

#include "../exponential.h"
#include "rows.h"

namespace aieloom {
namespace pl {
namespace rows {
namespace floats {

constexpr int kTurns = 4;  // sums of a row, which take turns: an adder has so many words' time

/// A word's values; those that only fill it up are 0.
struct Lanes {
  float lane[kLanes];
};

/// A word behind the first pass: with a bit for each value that counts, so that one process alone reads which do.
struct Looked {
  Lanes values;
  std::uint16_t counted;
};

/// A layer's rows: `inner` of them, `step` rows apart, for each of the factors that are read.
struct Rows {
  int operation;
  int inner, step;
  int words, valid;  // of a row: the words are filled up
  float epsilon;     // beside a variance
  float factor;      // of what a softmax raises
};

/// What a row's words are together: their sums, or the largest.
struct Seen {
  float sums[kTurns];
  float largest;
};

/// What a row's values are told: what is subtracted from each, or what each is multiplied by.
using Told = float;

/// Factor and offset of a channel.
struct Scale {
  float factor, offset;
};

template <class T>
using Scales = Scale[T::kMostWords][kLanes];
template <class T>
using Counts = std::uint16_t[T::kMostWords];  // a bit for each element of a row that counts

/// The sum of a word: neighbours, then neighbouring sums.
inline float sum_of(const Lanes& values) {
  float part[kLanes];
#pragma HLS array_partition variable=part type=complete
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    part[i] = values.lane[i];
  }
  for (int wide = kLanes / 2; wide > 0; wide /= 2) {
#pragma HLS unroll
    for (int i = 0; i < wide; ++i) {
#pragma HLS unroll
      part[i] = part[2 * i] + part[2 * i + 1];
    }
  }
  return part[0];
}

/// Adds a word's sum to the oldest of a row's sums; all are 0 before the first.
inline void take_turns(bool first, float value, Seen& seen) {
  const float before = first ? 0.0F : seen.sums[kTurns - 1];
  for (int k = kTurns - 1; k > 0; --k) {
#pragma HLS unroll
    seen.sums[k] = first ? 0.0F : seen.sums[k - 1];
  }
  seen.sums[0] = before + value;
}

/// The sum of a row.
inline float total_of(const Seen& seen) { return (seen.sums[0] + seen.sums[1]) + (seen.sums[2] + seen.sums[3]); }

/// A function of a value: of each one exponential of what is not above 0, and one quotient.
/// gelu's tail is Abramowitz and Stegun's 7.1.26, within 1.5e-7 of the error function; its other form has tanh of
/// sqrt(2 / pi) (x + 0.044715 x x x).
inline float function_of(int operation, float x) {
  const float size = magnitude(x);
  const float z = size * 0.70710677F;  // the root of 1/2
  const float inner = 1.5957692F * (x + 0.044715F * x * x * x);
  const float below = operation == kGelu ? z * z : operation == kGeluTanh ? magnitude(inner) : operation == kTanh ? 2.0F * size : size;
  const float power = exponential(-below);
  const bool negative = operation == kGeluTanh ? inner < 0.0F : x < 0.0F;
  const float above = operation == kGelu ? 1.0F : operation == kTanh ? 1.0F - power : negative ? power : 1.0F;
  const float t = above / (1.0F + (operation == kGelu ? 0.3275911F * z : power));
  float tail = 1.0614054F;
  tail = tail * t + -1.4531521F;
  tail = tail * t + 1.4214138F;
  tail = tail * t + -0.28449672F;
  tail = tail * t + 0.2548296F;
  tail = tail * t * power;
  const float gelu = 0.5F * x * (x < 0.0F ? tail : 2.0F - tail);
  const float found = operation == kGelu ? gelu : operation == kSigmoid ? t : operation == kTanh ? (x < 0.0F ? -t : t) : x * t;
  return x == x ? found : x;
}

/// The first pass: a row's sum, and its largest value.
template <class T>
void look(const Rows& r, const Counts<T>& counts, hls::stream<WordOf<T>>& words, hls::stream<Looked>& values, hls::stream<Seen>& seen) {
  Seen found;
  int j = 0;
  for (int n = 0; n < r.inner * r.words; ++n) {
#pragma HLS pipeline II=T::kInterval
    const WordOf<T> word = words.read();
    Lanes row;
    const unsigned counted = counts[j];
    Lanes compared;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      const bool is_there = ((counted >> i) & 1U) != 0;
      const float value = T::Values::value_of(word.lane[i]);
      row.lane[i] = is_there ? value : 0.0F;
      compared.lane[i] = is_there ? value : -1.0F / 0.0F;
    }
    values.write({row, static_cast<std::uint16_t>(counted)});
    const float largest = largest_of<float>(compared.lane);
    found.largest = j > 0 && found.largest > largest ? found.largest : largest;
    take_turns(j == 0, sum_of(row), found);
    if (j == r.words - 1) {
      seen.write(found);
    }
    j = j == r.words - 1 ? 0 : j + 1;
  }
}

/// What a row's values are told before the second pass: its mean, or its largest value.
inline void tell(const Rows& r, hls::stream<Seen>& seen, hls::stream<Told>& told) {
  for (int row = 0; row < r.inner; ++row) {
#pragma HLS pipeline II=1
    const Seen s = seen.read();
    told.write(r.operation == kShares ? s.largest : total_of(s) / static_cast<float>(r.valid));
  }
}

/// The second pass: what is left of values without their mean, exponentials, or functions; and the sum of squares, or of exponentials.
template <class T>
void raise(const Rows& r, hls::stream<Looked>& values, hls::stream<Told>& told, hls::stream<Lanes>& raised, hls::stream<Seen>& seen) {
  Seen found;
  found.largest = 0.0F;
  Told t = 0.0F;
  int j = 0;
  for (int n = 0; n < r.inner * r.words; ++n) {
#pragma HLS pipeline II=T::kInterval
    if (j == 0) {
      t = told.read();
    }
    const Looked looked = values.read();
    Lanes made;
    Lanes summed;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      const bool is_there = ((static_cast<unsigned>(looked.counted) >> i) & 1U) != 0;
      const float value = looked.values.lane[i];
      const float left = is_there ? value - t : 0.0F;
      float here;
      if (r.operation == kNorm) {
        here = left;
      } else if (r.operation == kShares) {
        here = exponential(left * r.factor);
      } else {
        here = r.operation == kAffine ? value : function_of(r.operation, value);
      }
      made.lane[i] = is_there ? here : 0.0F;
      summed.lane[i] = r.operation == kNorm ? made.lane[i] * made.lane[i] : made.lane[i];
    }
    raised.write(made);
    take_turns(j == 0, sum_of(summed), found);
    if (j == r.words - 1) {
      seen.write(found);
    }
    j = j == r.words - 1 ? 0 : j + 1;
  }
}

/// What a row's values are multiplied by in the third pass.
inline void settle(const Rows& r, hls::stream<Seen>& seen, hls::stream<Told>& told) {
  for (int row = 0; row < r.inner; ++row) {
#pragma HLS pipeline II=1
    const float total = total_of(seen.read());
    const float spread = r.operation == kShares ? total : hls::sqrt(total / static_cast<float>(r.valid) + r.epsilon);
    const bool none = r.operation == kShares && total == 0.0F;  // no element counts
    told.write(none ? 0.0F : r.operation == kNorm || r.operation == kShares ? 1.0F / spread : 1.0F);
  }
}

/// The third pass: elements.
template <class T>
void make(const Rows& r, const Scales<T>& scales, hls::stream<Lanes>& raised, hls::stream<Told>& told, hls::stream<WordOf<T>>& results) {
  const bool is_scaled = r.operation == kNorm || r.operation == kAffine;
  Told t = 0.0F;
  int j = 0;
  for (int n = 0; n < r.inner * r.words; ++n) {
#pragma HLS pipeline II=T::kInterval
    if (j == 0) {
      t = told.read();
    }
    const Lanes row = raised.read();
    WordOf<T> word;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      const bool is_there = j * kLanes + i < r.valid;
      const float value = row.lane[i] * t;
      const float product = value * scales[j][i].factor;
      word.lane[i] = T::Values::element_of(!is_there ? 0.0F : is_scaled ? product + scales[j][i].offset : value);
    }
    results.write(word);
    j = j == r.words - 1 ? 0 : j + 1;
  }
}

/// All passes over rows: those of neighbouring rows overlap.
template <class T>
void rows_of(const WordOf<T>* x, const Rows& r, const Counts<T>& counts, const Scales<T>& scales, WordOf<T>* y) {
#pragma HLS dataflow
  constexpr int kWait = wait_of<T>();
  hls::stream<WordOf<T>, kWait> words;
  hls::stream<Looked, kWait> values;
  hls::stream<Seen, 8> seen;
  hls::stream<Told, 64> told;
  hls::stream<Lanes, kWait> raised;
  hls::stream<Seen, 8> sums;
  hls::stream<Told, 64> settled;
  hls::stream<WordOf<T>, kWait> results;
  load(x, r, words);
  look<T>(r, counts, words, values, seen);
  tell(r, seen, told);
  raise<T>(r, values, told, raised, sums);
  settle(r, sums, settled);
  make<T>(r, scales, raised, settled, results);
  store(r, results, y);
}

/// Reads factors and offsets of a row's channels.
template <class T>
void take_scales(const WordOf<T>* w, int words, Scales<T>& scales) {
  constexpr int kChannels = T::Values::kWordNumbers / 2;  // of a word
  for (int i = 0; i < words * kLanes / kChannels; ++i) {
#pragma HLS pipeline II=1
    const WordOf<T> word = w[i];
    for (int k = 0; k < kChannels; ++k) {
#pragma HLS unroll
      scales[kChannels * i / kLanes][kChannels * i % kLanes + k] = {T::Values::number_at(word, 2 * k), T::Values::number_at(word, 2 * k + 1)};
    }
  }
}

/// Which elements of a row count: `valid` of them, of a mask those that are not 0.
template <class T>
void take_counts(const WordOf<T>* mask, bool masked, int words, int valid, Counts<T>& counts) {
  for (int j = 0; j < words; ++j) {
#pragma HLS pipeline II=1
    const WordOf<T> word = masked ? mask[j] : WordOf<T>();
    unsigned counted = 0;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      const bool is_there = j * kLanes + i < valid && (!masked || T::Values::value_of(word.lane[i]) != 0.0F);
      counted |= static_cast<unsigned>(is_there) << i;
    }
    counts[j] = static_cast<std::uint16_t>(counted);
  }
}

/// A layer of whole rows: images from `first` on; `n` as the command list has its numbers.
template <class T>
void layer(const WordOf<T>* x, const WordOf<T>* w, WordOf<T>* y, const int (&n)[T::kNumbers], int first, int images) {
  static Scales<T> scales;
#pragma HLS array_partition variable=scales type=complete dim=2
  static Counts<T> counts;
  const RowNumbers l = RowNumbers::of<T>(n);
  const WordOf<T> head = w[l.table_at];
  const WordOf<T>* const table = w + l.table_at + 1;
  const int rows = l.rows_of_part(images);
  const Rows r = {l.operation, rows, l.each ? l.pixels : 1, l.words, l.valid, T::Values::number_at(head, 0), T::Values::number_at(head, 1)};
  const std::int64_t skipped = static_cast<std::int64_t>(first) * l.pixels * l.rows * l.words;
  for (int part = 0; part < l.parts(images); ++part) {
    if (r.operation == kNorm || r.operation == kAffine) {
      take_scales<T>(table + static_cast<std::int64_t>(part) * r.words * 2 * kLanes / T::Values::kWordNumbers, r.words, scales);
    }
    take_counts<T>(x + l.mask_at + static_cast<std::int64_t>(first + part) * r.words, l.masked, r.words, r.valid, counts);
    const std::int64_t at = skipped + static_cast<std::int64_t>(part) * (l.masked ? rows : 1) * r.words;
    rows_of<T>(x + l.x_at + at, r, counts, scales, y + l.y_at + at);
  }
}

}  // namespace floats

/// The rows of a unit.
struct FloatRows {
  template <class T>
  static void layer(const WordOf<T>* x, const WordOf<T>* w, WordOf<T>* y, const int (&n)[T::kNumbers], int first, int images) {
#pragma HLS inline
    floats::layer<T>(x, w, y, n, first, images);
  }
};

}  // namespace rows
}  // namespace pl
}  // namespace aieloom
