// Layers of whole rows in int8: norms, softmaxes, factors and offsets, in three passes of integers.
//
//   words > look -- elements -------> raise -- normalised, or exponentials ---> make > words
//             '-- sums > tell -- told --^  '-- their sum -----------------------^
//
//   norm      sum and sum of squares; 1 / sqrt(variance) as root / 2^shift; (n x - sum) root factor + offset
//   softmax   largest; exponentials of a table by the distance from it; a share by a divider of 8 bits
//
// II: a word a cycle. Cost: two products of 32 bits and a divider of 8 bits for each element of a cycle, a table for two lanes; one root and one quotient
// of 32 bits (some 10 DSPs, 6,000 LUTs, estimates).
#pragma once

#include "rows.h"

namespace aieloom {
namespace pl {
namespace rows {
namespace integers {

constexpr int kAbsent = -1024;  // further below every element than the table of exponentials reaches

/// Elements of a word; those that do not count are kAbsent.
struct Lanes {
  std::int16_t lane[kLanes];
};

/// What the passes make of a word.
struct Wide {
  int lane[kLanes];
};

/// A layer's rows: `inner` of them, `step` rows apart, for each of the factors that are read.
struct Rows {
  int operation;
  int inner, step;
  int words, valid;  // of a row: the words are filled up
  int zero_x, zero;
  int shift;             // of factors; of shares the steps
  std::int64_t epsilon;  // beside a variance
};

/// What a row's first pass finds.
struct Seen {
  int total, squares, largest;
};

/// What a row's elements are told: the sum, and 1 / sqrt(variance) as root / 2^shift; or the largest.
struct Told {
  int total, root, shift, largest;
};

/// Factor and offset of a channel.
struct Scale {
  int factor, offset;
};

using IntegerWord = Word<std::int8_t>;
template <class T>
using Scales = Scale[T::kMostWords][kLanes];
template <class T>
using Powers = int[kLanes / 2][T::kPowers];  // a copy for two lanes
template <class T>
using Counts = IntegerWord[T::kMostWords];  // which elements of a row count: not 0

/// The first pass: what a row's elements are together.
template <class T>
void look(const Rows& r, const Counts<T>& counts, hls::stream<IntegerWord>& words, hls::stream<Lanes>& values, hls::stream<Seen>& seen) {
  Seen found = {0, 0, 0};
  int j = 0;
  for (int n = 0; n < r.inner * r.words; ++n) {
#pragma HLS pipeline II=1
    const IntegerWord word = words.read();
    const IntegerWord counted = counts[j];
    Seen here = {0, 0, 0};
    Lanes row;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      const bool is_there = counted.lane[i] != 0;
      const int value = is_there ? word.lane[i] : 0;
      here.total += value;
      here.squares += value * value;
      row.lane[i] = static_cast<std::int16_t>(is_there ? value : kAbsent);
    }
    here.largest = largest_of<int>(row.lane);
    const int before = j == 0 ? Int8::kLeast : found.largest;
    found = {(j == 0 ? 0 : found.total) + here.total, (j == 0 ? 0 : found.squares) + here.squares, here.largest > before ? here.largest : before};
    values.write(row);
    if (j == r.words - 1) {
      seen.write(found);
    }
    j = j == r.words - 1 ? 0 : j + 1;
  }
}

/// The largest integer whose square is not above m.
inline unsigned root_of(std::uint64_t m) {
  unsigned root = 0;
  for (int bit = 15; bit >= 0; --bit) {
#pragma HLS unroll
    const unsigned tried = root | 1U << bit;
    root = static_cast<std::uint64_t>(tried) * tried <= m ? tried : root;
  }
  return root;
}

/// Of a row's sums the factor of its elements: one root and one quotient.
template <class T>
void tell(const Rows& r, hls::stream<Seen>& seen, hls::stream<Told>& told) {
  for (int row = 0; row < r.inner; ++row) {
#pragma HLS pipeline II=1
    const Seen s = seen.read();
    const std::int64_t variance = static_cast<std::int64_t>(r.valid) * s.squares - static_cast<std::int64_t>(s.total) * s.total;
    const std::int64_t spread = (variance << T::kSpread) + r.epsilon;
    const std::uint64_t v = spread > 1 ? static_cast<std::uint64_t>(spread) : 1;
    int bits = 0;
    for (int i = 0; i < 56; ++i) {
#pragma HLS unroll
      bits = (v >> i) != 0 ? i + 1 : bits;
    }
    const int half = (bits + 1) / 2 - 16;
    const std::uint64_t mantissa = half >= 0 ? v >> (2 * half) : v << (-2 * half);
    const int root = static_cast<int>((std::uint64_t{1} << 32) / root_of(mantissa));
    told.write({s.total, root, 32 - T::kFraction - T::kSpread / 2 + half, s.largest});
  }
}

/// The second pass: normalised values, elements above their zero point, or exponentials and their sum.
template <class T>
void raise(const Rows& r, const Powers<T>& powers, hls::stream<Lanes>& values, hls::stream<Told>& told, hls::stream<Wide>& raised,
           hls::stream<std::int64_t>& totals) {
  Told t = {0, 0, 1, 0};
  std::int64_t total = 0;
  int j = 0;
  for (int n = 0; n < r.inner * r.words; ++n) {
#pragma HLS pipeline II=1
    if (j == 0) {
      t = told.read();
    }
    const Lanes row = values.read();
    std::int64_t here = 0;
    Wide wide;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      const int value = row.lane[i];
      const std::int64_t normal = (static_cast<std::int64_t>(r.valid * value - t.total) * t.root + (std::int64_t{1} << (t.shift - 1))) >> t.shift;
      const int below = t.largest - value;
      const int power = 0 <= below && below < T::kPowers ? powers[i / 2][T::kPowers - 1 - below] : 0;
      wide.lane[i] = r.operation == kNorm ? static_cast<int>(normal) : r.operation == kAffine ? value - r.zero_x : power;
      here += power;
    }
    raised.write(wide);
    total = (j == 0 ? 0 : total) + here;
    if (j == r.words - 1) {
      totals.write(total);
    }
    j = j == r.words - 1 ? 0 : j + 1;
  }
}

/// rest / by, rounded down, 255 at most.
inline int quotient_of(std::uint64_t rest, std::uint64_t by) {
  int found = 0;
  const bool beyond = rest >= by << 8;
  for (int bit = 7; bit >= 0; --bit) {
#pragma HLS unroll
    const bool fits = rest >= by << bit;
    rest = fits ? rest - (by << bit) : rest;
    found |= static_cast<int>(fits) << bit;
  }
  return beyond ? 255 : found;
}

/// The third pass: elements.
template <class T>
void make(const Rows& r, const Scales<T>& scales, hls::stream<Wide>& raised, hls::stream<std::int64_t>& totals, hls::stream<IntegerWord>& results) {
  std::uint64_t total = 0;
  int j = 0;
  for (int n = 0; n < r.inner * r.words; ++n) {
#pragma HLS pipeline II=1
    if (j == 0) {
      total = static_cast<std::uint64_t>(totals.read());
    }
    const Wide wide = raised.read();
    IntegerWord word;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      int element;
      if (r.operation == kShares) {
        const std::uint64_t steps = static_cast<std::uint64_t>(wide.lane[i]) * static_cast<unsigned>(r.shift) + total / 2;
        element = r.zero + (total > 0 ? quotient_of(steps, total) : 0);
      } else {
        const std::int64_t half = (std::int64_t{1} << r.shift) >> 1;
        const std::int64_t made = ((static_cast<std::int64_t>(wide.lane[i]) * scales[j][i].factor + scales[j][i].offset + half) >> r.shift) + r.zero;
        element = made < Int8::kLeast ? Int8::kLeast : made > Int8::kMost ? Int8::kMost : static_cast<int>(made);
      }
      word.lane[i] = static_cast<std::int8_t>(element);
    }
    results.write(word);
    j = j == r.words - 1 ? 0 : j + 1;
  }
}

/// All passes over rows: those of neighbouring rows overlap.
template <class T>
void rows_of(const IntegerWord* x, const Rows& r, const Counts<T>& counts, const Powers<T>& powers, const Scales<T>& scales, IntegerWord* y) {
#pragma HLS dataflow
  constexpr int kWait = wait_of<T>();
  hls::stream<IntegerWord, kWait> words;
  hls::stream<Lanes, kWait> values;
  hls::stream<Seen, 2> seen;
  hls::stream<Told, 64> told;
  hls::stream<Wide, kWait> raised;
  hls::stream<std::int64_t, 2> totals;
  hls::stream<IntegerWord, kWait> results;
  load(x, r, words);
  look<T>(r, counts, words, values, seen);
  tell<T>(r, seen, told);
  raise<T>(r, powers, values, told, raised, totals);
  make<T>(r, scales, raised, totals, results);
  store(r, results, y);
}

/// Reads factors and offsets of a row's channels.
template <class T>
void take_scales(const IntegerWord* w, int words, Scales<T>& scales) {
  for (int i = 0; i < words * kLanes / 2; ++i) {
#pragma HLS pipeline II=1
    const IntegerWord word = w[i];
    for (int k = 0; k < 2; ++k) {
#pragma HLS unroll
      scales[2 * i / kLanes][2 * i % kLanes + k] = {Integers::number_at(word, 2 * k), Integers::number_at(word, 2 * k + 1)};
    }
  }
}

/// Which elements of a row count: `valid` of them, of a mask those that are not `zero`.
template <class T>
void take_counts(const IntegerWord* mask, bool masked, int words, int valid, int zero, Counts<T>& counts) {
  for (int j = 0; j < words; ++j) {
#pragma HLS pipeline II=1
    const IntegerWord word = masked ? mask[j] : IntegerWord();
    IntegerWord counted;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      counted.lane[i] = j * kLanes + i < valid && (!masked || word.lane[i] != zero) ? 1 : 0;
    }
    counts[j] = counted;
  }
}

/// A layer of whole rows: images from `first` on; `n` as the command list has its numbers.
template <class T>
void layer(const IntegerWord* x, const IntegerWord* w, IntegerWord* y, const int (&n)[T::kNumbers], int first, int images) {
  static Scales<T> scales;
#pragma HLS array_partition variable=scales type=complete dim=2
  static Powers<T> powers;
#pragma HLS array_partition variable=powers type=complete dim=1
#pragma HLS array_partition variable=powers type=cyclic factor=4 dim=2
  static Counts<T> counts;
  const RowNumbers l = RowNumbers::of<T>(n);
  const IntegerWord head = w[l.table_at];
  const IntegerWord* const table = w + l.table_at + 1;
  const int rows = l.rows_of_part(images);
  const std::int64_t epsilon = static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(Integers::number_at(head, 2))) << 32 |
                                                         static_cast<std::uint32_t>(Integers::number_at(head, 1)));
  const Rows r = {l.operation, rows, l.each ? l.pixels : 1, l.words, l.valid, l.zero_x, l.zero, Integers::number_at(head, 0), epsilon};
  for (int i = 0; i < (r.operation == kShares ? T::kPowers / 4 : 0); ++i) {
#pragma HLS pipeline II=1
    const IntegerWord word = table[i];
    for (int k = 0; k < 4; ++k) {
      for (int copy = 0; copy < kLanes / 2; ++copy) {
#pragma HLS unroll
        powers[copy][4 * i + k] = Integers::number_at(word, k);
      }
    }
  }
  const std::int64_t skipped = static_cast<std::int64_t>(first) * l.pixels * l.rows * l.words;
  for (int part = 0; part < l.parts(images); ++part) {
    if (r.operation != kShares) {
      take_scales<T>(table + static_cast<std::int64_t>(part) * r.words * kLanes / 2, r.words, scales);
    }
    take_counts<T>(x + l.mask_at + static_cast<std::int64_t>(first + part) * r.words, l.masked, r.words, r.valid, r.zero_x, counts);
    const std::int64_t at = skipped + static_cast<std::int64_t>(part) * (l.masked ? rows : 1) * r.words;
    rows_of<T>(x + l.x_at + at, r, counts, powers, scales, y + l.y_at + at);
  }
}

}  // namespace integers

/// The rows of a unit.
struct IntegerRows {
  template <class T>
  static void layer(const WordOf<T>* x, const WordOf<T>* w, WordOf<T>* y, const int (&n)[T::kNumbers], int first, int images) {
#pragma HLS inline
    integers::layer<T>(x, w, y, n, first, images);
  }
};

}  // namespace rows
}  // namespace pl
}  // namespace aieloom
