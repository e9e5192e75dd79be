// Heads of an attention laid out as an engine reads weights: keys or values of a head are read once, kept in banks, and written in the order of its
// multiplications.
//
//   x --> read --> hold: kLanes banks of neighbouring rows --> write_columns --> y: columns
//                  '-- of int8 sums of rows or columns -------> write_channels --> y: a bias for each column
//
// II: a word a cycle read, a word a cycle written; of each bank one word is read, all at the same place, and lanes choose among them. Cost: the
// banks, 16 x 16 bytes of registers, and of int8 a sum for each lane.
#pragma once

#include "finish.h"
#include "rows.h"

namespace aieloom {
namespace pl {
namespace rows {

/// A unit that lays out no heads.
struct NoHeads {
  template <class T>
  static bool lay_out(const WordOf<T>*, const WordOf<T>*, WordOf<T>*, const int (&)[T::kNumbers], int, int) {
    return false;
  }
};

/// Keys or values of a head, in banks of neighbouring rows.
template <class T>
using Held = WordOf<T>[kLanes][T::kHeldWords];

/// A word of columns as the engine takes them: kWide neighbours `across` of each of a few neighbouring places of K.
template <class T, int kWide>
WordOf<T> column_word(const Held<T>& held, int tokens, int words, bool transposed, int place, int across) {
#pragma HLS inline
  using Element = typename T::Values::Element;
  constexpr int kDeep = kLanes / kWide;
  static_assert(kDeep * kWide == kLanes, "a word has whole places of K");
  static_assert(T::kTileN % kWide == 0, "a tile has whole words of columns");
  const int at = (transposed ? across : place) / kLanes * words + (transposed ? place : across) / kLanes;
  const unsigned half = static_cast<unsigned>(across) / kWide % kDeep;
  const unsigned pair = static_cast<unsigned>(place) / kDeep % kWide;
  WordOf<T> all[kLanes];
#pragma HLS array_partition variable=all type=complete
  for (int bank = 0; bank < kLanes; ++bank) {
#pragma HLS unroll
    all[bank] = held[bank][at < T::kHeldWords ? at : 0];
  }
  WordOf<T> word;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    const int token = transposed ? across + i % kWide : place + i / kWide;
    const int channel = transposed ? place + i / kWide : across + i % kWide;
    const unsigned wide = half * kWide + i % kWide;
    const unsigned deep = pair * kDeep + i / kWide;
    const bool inside = token < tokens && channel < words * kLanes;
    word.lane[i] = !inside ? Element(0) : transposed ? all[wide].lane[deep] : all[deep].lane[wide];
  }
  return word;
}

/// The order in which the array's cores take weights: tiles, columns of chains, parts of K, passes, mmul by mmul.
struct ArrayColumns {
  template <class T>
  static void write(const Held<T>& held, int tokens, int words, bool transposed, int tiles, int passes, WordOf<T>* y) {
    int at = 0;
    for (int column = 0; column < tiles * T::kColumns; ++column) {
      for (int part = 0; part < T::kParts; ++part) {
        for (int pass = 0; pass < passes; ++pass) {
          for (int n = 0; n < T::kTileN; n += T::kBlockN) {
            for (int k = 0; k < T::kDepth; k += kLanes / T::kBlockN) {
#pragma HLS pipeline II=1
              y[at] = column_word<T, T::kBlockN>(held, tokens, words, transposed, (pass * T::kParts + part) * T::kDepth + k, column * T::kTileN + n);
              ++at;
            }
          }
        }
      }
    }
  }
};

/// The order in which the engine in the logic takes them: tiles of columns, in each a row for every place of K.
struct EngineColumns {
  template <class T>
  static void write(const Held<T>& held, int tokens, int words, bool transposed, int tiles, int passes, WordOf<T>* y) {
    int at = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      for (int place = 0; place < passes * T::kDepth; ++place) {
        for (int n = 0; n < T::kTileN; n += kLanes) {
#pragma HLS pipeline II=1
          y[at] = column_word<T, kLanes>(held, tokens, words, transposed, place, tile * T::kTileN + n);
          ++at;
        }
      }
    }
  }
};

/// Heads that are laid out, by the numbers of the command list.
struct Heads {
  int tokens, stride, words, heads, tiles, passes;  // rows, words from one to the next, words of a head
  int zero;                                         // point of what meets the columns
  bool transposed;

  template <class T>
  static Heads of(const int (&n)[T::kNumbers]) {
    return {n[6], n[7], n[9], n[10], n[13], n[14], n[12], n[11] != 0};
  }

  /// Columns of a head, filled up to whole tiles, and words of its weights.
  template <class T>
  int columns() const {
    return tiles * T::kColumns * T::kTileN;
  }
  template <class T>
  int weights() const {
    return columns<T>() * T::kParts * passes * T::kDepth / kLanes;
  }
};

/// Reads a head of floats and keeps it.
template <class T>
void hold(const WordOf<T>* x, const Heads& h, Held<T>& held) {
  for (int token = 0; token < h.tokens; ++token) {
    for (int j = 0; j < h.words; ++j) {
#pragma HLS pipeline II=1
      held[token % kLanes][token / kLanes * h.words + j] = x[static_cast<std::int64_t>(token) * h.stride + j];
    }
  }
}

/// Writes what columns of floats need beside them, four numbers each: a bias of 0.
template <class T>
void write_zeros(int count, WordOf<T>* y) {
  for (int i = 0; i < count / T::kWordChannels; ++i) {
#pragma HLS pipeline II=1
    y[i] = WordOf<T>();
  }
}

/// Reads a head: a burst for each token.
inline void read_head(const Word<std::int8_t>* x, int tokens, int stride, int words, hls::stream<Word<std::int8_t>>& to) {
  for (int token = 0; token < tokens; ++token) {
    for (int j = 0; j < words; ++j) {
#pragma HLS pipeline II=1
      to.write(x[static_cast<std::int64_t>(token) * stride + j]);
    }
  }
}

/// Keeps a head, and sums it over what the array multiplies along: tokens, or where it is transposed channels. One loop goes over all words, so
/// that it never drains; where a token has few, turns in which nothing comes keep its channels' sums apart.
template <class T>
void keep_head(hls::stream<Word<std::int8_t>>& words_in, int tokens, int words, bool transposed, Held<T>& held, int (&of_tokens)[T::kMostSums],
               int (&of_channels)[T::kMostSums]) {
  const int least = transposed ? 1 : T::kApart;
  const int last = (words < least ? least : words) - 1;
  const int turns = tokens * (last + 1);
  int token = 0;
  int j = 0;
  int total = 0;
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=of_channels type=inter dependent=false  // kApart turns lie between
    if (j < words) {
      const Word<std::int8_t> word = words_in.read();
      held[token % kLanes][token / kLanes * words + j] = word;
      int here = 0;
      for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
        here += word.lane[i];
        const int before = of_channels[j * kLanes + i];
        of_channels[j * kLanes + i] = word.lane[i] + (token == 0 ? 0 : before);
      }
      total = (j == 0 ? 0 : total) + here;
      if (j == words - 1) {
        of_tokens[token] = total;
      }
    }
    const bool ends = j == last;
    token = ends ? token + 1 : token;
    j = ends ? 0 : j + 1;
  }
}

/// Reads a head of int8 and keeps it with its sums.
template <class T>
void read_and_keep(const Word<std::int8_t>* x, int tokens, int stride, int words, bool transposed, Held<T>& held, int (&of_tokens)[T::kMostSums],
                   int (&of_channels)[T::kMostSums]) {
#pragma HLS dataflow
  hls::stream<Word<std::int8_t>, 64> read;
  read_head(x, tokens, stride, words, read);
  keep_head<T>(read, tokens, words, transposed, held, of_tokens, of_channels);
}

/// A word of four numbers.
inline Word<std::int8_t> of_numbers(int a, int b, int c, int d) {
  const int all[4] = {a, b, c, d};
  Word<std::int8_t> word;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    word.lane[i] = static_cast<std::int8_t>(static_cast<std::uint8_t>(static_cast<unsigned>(all[i / 4]) >> (8 * (i % 4))));
  }
  return word;
}

/// Writes what each column needs beside it: a bias that takes the zero point of what meets it back, multiplier and shift.
template <class T>
void write_biases(const int (&of_tokens)[T::kMostSums], const int (&of_channels)[T::kMostSums], bool transposed, int columns, int zero, int count,
                  const Word<std::int8_t>& head, Word<std::int8_t>* y) {
  for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    const int at = i < T::kMostSums ? i : 0;
    const int sum = transposed ? of_tokens[at] : of_channels[at];
    y[i] = of_numbers(i < columns ? -zero * sum : 0, Integers::number_at(head, 0), Integers::number_at(head, 1), 0);
  }
}

/// Lays heads of floats out in an order of columns, images from `first` on; false where the layer is another.
template <class Columns>
struct FloatHeads {
  template <class T>
  static bool lay_out(const WordOf<T>* x, const WordOf<T>*, WordOf<T>* y, const int (&n)[T::kNumbers], int first, int images) {
    static Held<T> held;
#pragma HLS array_partition variable=held type=complete dim=1
    if (n[4] != kLayOut) {
      return false;
    }
    const Heads h = Heads::of<T>(n);
    const int weights = h.weights<T>();
    const int channels = h.columns<T>() / T::kWordChannels;
    for (int image = first; image < first + images; ++image) {
      WordOf<T>* const to = y + n[3] + static_cast<std::int64_t>(image) * h.heads * (weights + channels);
      for (int head = 0; head < h.heads; ++head) {
        hold<T>(x + n[1] + static_cast<std::int64_t>(image) * h.tokens * h.stride + n[8] + head * h.words, h, held);
        Columns::template write<T>(held, h.tokens, h.words, h.transposed, h.tiles, h.passes, to + static_cast<std::int64_t>(head) * weights);
        write_zeros<T>(h.columns<T>(), to + static_cast<std::int64_t>(h.heads) * weights + static_cast<std::int64_t>(head) * channels);
      }
    }
    return true;
  }
};

/// The same of int8, whose columns need a bias by their sums.
template <class Columns>
struct IntegerHeads {
  template <class T>
  static bool lay_out(const WordOf<T>* x, const WordOf<T>* w, WordOf<T>* y, const int (&n)[T::kNumbers], int first, int images) {
    static Held<T> held;
#pragma HLS array_partition variable=held type=complete dim=1
    static int of_tokens[T::kMostSums];
    static int of_channels[T::kMostSums];
#pragma HLS array_partition variable=of_channels type=cyclic factor=kLanes
    if (n[4] != kLayOut) {
      return false;
    }
    const Heads h = Heads::of<T>(n);
    const int weights = h.weights<T>();
    const int channels = h.columns<T>();
    const int there = h.transposed ? h.tokens : h.words * kLanes;
    const WordOf<T> numbers = w[n[2]];
    for (int image = first; image < first + images; ++image) {
      WordOf<T>* const to = y + n[3] + static_cast<std::int64_t>(image) * h.heads * (weights + channels / T::kWordChannels);
      for (int head = 0; head < h.heads; ++head) {
        const WordOf<T>* const from = x + n[1] + static_cast<std::int64_t>(image) * h.tokens * h.stride + n[8] + head * h.words;
        read_and_keep<T>(from, h.tokens, h.stride, h.words, h.transposed, held, of_tokens, of_channels);
        Columns::template write<T>(held, h.tokens, h.words, h.transposed, h.tiles, h.passes, to + static_cast<std::int64_t>(head) * weights);
        write_biases<T>(of_tokens, of_channels, h.transposed, there, h.zero, channels, numbers,
                        to + static_cast<std::int64_t>(h.heads) * weights + static_cast<std::int64_t>(head) * channels);
      }
    }
    return true;
  }
};

}  // namespace rows
}  // namespace pl
}  // namespace aieloom
