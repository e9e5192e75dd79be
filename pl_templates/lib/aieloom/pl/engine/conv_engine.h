// Convolutions and matrix products whose tensors lie in device memory: kPixels x kOut products a cycle.
//
//   set > group of channels > tile of output channels > block of pixels > part of K (a turn)
//
//   x --> load_x --.
//                  + add: products of a turn; behind a block's last one make > write --> y
//   w --> load_w --'
//
// While a turn is multiplied the next one is loaded. II: a word a cycle loaded, kPixels x kOut products a cycle. Cost: a DSP for each product of
// int8, five for one of floats (estimates); blocks of x and of w twice, sums of kRounds x kPixels pixels.
#pragma once

#include <hls_stream.h>

#include "finish.h"

namespace aieloom {
namespace pl {
namespace conv {

/// A layer, from the registers; `*_at` and `set_words` in words. A group sees `tap_words` of a pixel's words and makes `group_words`.
template <class T>
struct Layer {
  unsigned x_at, w_at, channels_at, y_at;
  int sets, images, height, width, words;
  int out_height, out_width, group_words, tap_words, set_words;
  int kernel_y, kernel_x, stride_y, stride_x, top, left, groups;
  bool depthwise;
  typename T::Values::Element outside;  // around the image
  Finish<typename T::Values::Sum> finish;
};

/// What follows from the traits: kOut output channels a tile, kPixels pixels side by side, kRounds rounds of them that share a load of weights,
/// kTurns rounds that take turns at least while an adder works, kDepth words of input channels of a block, kWordChannels output channels
/// whose numbers lie in a word.
template <class T>
struct Of {
  using Element = typename T::Values::Element;
  using Factor = typename T::Values::Factor;
  using Sum = typename T::Values::Sum;
  static_assert(T::kOut % kLanes == 0, "a tile has whole words of output channels");
  static_assert(T::kRounds >= T::kTurns, "a block has as many rounds as take turns");
  static constexpr int kOutWords = T::kOut / kLanes;
  static constexpr int kBlockPixels = T::kRounds * T::kPixels;
  static constexpr int kApart = T::kTurns * T::kPixels;  // pixels between two taps of a sum, at least

  /// Weights of a tap and an input channel, one for each output channel of a tile.
  struct Row {
    Word<Element> word[kOutWords];
  };
  using XBlock = Word<Element>[T::kDepth][T::kRounds][T::kPixels];
  using WBlock = Row[T::kDepth * kLanes];
  using Sums = Sum[T::kRounds][T::kPixels][T::kOut];
  using Channels = Channel<Sum>[T::kOut];
};

template <class T>
int pixels_of(const Layer<T>& l) {
  return l.images * l.out_height * l.out_width;
}

/// Blocks of pixels that share a load of weights.
template <class T>
int blocks_of(const Layer<T>& l) {
  return (pixels_of(l) + Of<T>::kBlockPixels - 1) / Of<T>::kBlockPixels;
}

/// Tiles of a group's output channels.
template <class T>
int tiles_of(const Layer<T>& l) {
  return (l.group_words + Of<T>::kOutWords - 1) / Of<T>::kOutWords;
}

template <class T>
int taps_of(const Layer<T>& l) {
  return l.kernel_y * l.kernel_x;
}

/// Words of a tap that are loaded for a tile; of a depthwise layer's last tile some may not be there.
template <class T>
int wide_of(const Layer<T>& l) {
  return l.depthwise ? Of<T>::kOutWords : l.tap_words;
}

/// Words of a tap, and taps, that are loaded together.
template <class T>
int words_once(const Layer<T>& l) {
  return least_of(wide_of(l), T::kDepth);
}
template <class T>
int taps_once(const Layer<T>& l) {
  return T::kDepth / words_once(l);
}

/// Words of a tap's weights.
template <class T>
int tap_weights(const Layer<T>& l) {
  return l.depthwise ? Of<T>::kOutWords : l.tap_words * kLanes * Of<T>::kOutWords;
}

/// Parts of K of a block.
template <class T>
int parts_of(const Layer<T>& l) {
  return ((taps_of(l) + taps_once(l) - 1) / taps_once(l)) * ((wide_of(l) + words_once(l) - 1) / words_once(l));
}

/// A part of K of a block of pixels and a tile of output channels, in the order in which they are loaded and multiplied.
template <class T>
struct Turn {
  int set, group, tile, block, tap, word;
  std::int64_t weights;  // where the tile's begin

  bool begins() const { return tap == 0 && word == 0; }
  bool ends(const Layer<T>& l) const { return tap + taps_once(l) >= taps_of(l) && word + words_once(l) >= wide_of(l); }
  int pixel() const { return block * Of<T>::kBlockPixels; }
  int pixels(const Layer<T>& l) const { return least_of(pixels_of(l) - pixel(), Of<T>::kBlockPixels); }
  int rounds(const Layer<T>& l) const {
    const int seen = (pixels(l) + T::kPixels - 1) / T::kPixels;
    return seen < T::kTurns ? T::kTurns : seen;
  }
  int taps(const Layer<T>& l) const { return least_of(taps_of(l) - tap, taps_once(l)); }
  int words(const Layer<T>& l) const { return least_of(wide_of(l) - word, words_once(l)); }
  int out_words(const Layer<T>& l) const { return least_of(l.group_words - tile * Of<T>::kOutWords, Of<T>::kOutWords); }

  void next(const Layer<T>& l) {
    word += words_once(l);
    if (word < wide_of(l)) {
      return;
    }
    word = 0;
    tap += taps_once(l);
    if (tap < taps_of(l)) {
      return;
    }
    tap = 0;
    ++block;
    if (block < blocks_of(l)) {
      return;
    }
    block = 0;
    weights += static_cast<std::int64_t>(taps_of(l)) * tap_weights(l);
    ++tile;
    if (tile < tiles_of(l)) {
      return;
    }
    tile = 0;
    ++group;
    if (group < l.groups) {
      return;
    }
    group = 0;
    ++set;
    weights = l.set_words != 0 ? static_cast<std::int64_t>(set) * l.set_words : weights;
  }
};

/// Reads what a block's output pixels see of a part of K: a word a cycle. The rounds are filled up.
template <class T>
void load_x(const Word<typename T::Values::Element>* x, const Layer<T>& l, int number, typename Of<T>::XBlock& block) {
  static Turn<T> turn;
  if (number == 0) {
    turn = {};
  }
  Word<typename T::Values::Element> outside;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    outside.lane[i] = l.outside;
  }
  const int count = turn.pixels(l);
  const int taps = turn.taps(l);
  const int words = turn.words(l);
  const int first = (l.depthwise ? turn.tile * Of<T>::kOutWords : turn.group * l.tap_words) + turn.word;
  const int there = (l.depthwise ? turn.out_words(l) : l.tap_words) - turn.word;
  const std::int64_t from = l.x_at + static_cast<std::int64_t>(turn.set) * l.images * l.height * l.width * l.words + first;
  const int places = l.out_height * l.out_width;
  // Where the pixel's window begins, and the tap within it: counters, for a divider is a core as deep as its number is long.
  int place = turn.pixel() % places;
  int image = turn.pixel() / places;
  int column = place % l.out_width;
  int x_first = column * l.stride_x - l.left;
  int y_first = place / l.out_width * l.stride_y - l.top;
  const int tap_y = turn.tap / l.kernel_x;
  const int tap_x = turn.tap % l.kernel_x;
  int dy = tap_y;
  int dx = tap_x;
  int t = 0;
  int tap = 0;
  int j = 0;
  const int all = turn.rounds(l) * T::kPixels * taps * words;
  for (int n = 0; n < all; ++n) {
#pragma HLS pipeline II=1
    const int row = y_first + dy;
    const int at_column = x_first + dx;
    const bool inside = t < count && j < there && 0 <= row && row < l.height && 0 <= at_column && at_column < l.width;
    const std::int64_t at = ((static_cast<std::int64_t>(image) * l.height + row) * l.width + at_column) * l.words + j;
    block[tap * words + j][t / T::kPixels][t % T::kPixels] = inside ? x[from + at] : outside;
    const bool is_last_word = j == words - 1;
    const bool is_last_tap = is_last_word && tap == taps - 1;
    const bool ends_row = dx == l.kernel_x - 1;
    j = is_last_word ? 0 : j + 1;
    tap = is_last_tap ? 0 : is_last_word ? tap + 1 : tap;
    dx = is_last_tap ? tap_x : !is_last_word ? dx : ends_row ? 0 : dx + 1;
    dy = is_last_tap ? tap_y : is_last_word && ends_row ? dy + 1 : dy;
    if (is_last_tap) {
      const bool ends_line = column == l.out_width - 1;
      const bool ends_image = place == places - 1;
      ++t;
      column = ends_line ? 0 : column + 1;
      x_first = ends_line ? -l.left : x_first + l.stride_x;
      y_first = ends_image ? -l.top : ends_line ? y_first + l.stride_y : y_first;
      image = ends_image ? image + 1 : image;
      place = ends_image ? 0 : place + 1;
    }
  }
  turn.next(l);
}

/// Reads a part's weights: a row of each tap and input channel, or of each tap.
template <class T>
void load_w(const Word<typename T::Values::Element>* w, const Layer<T>& l, int number, typename Of<T>::WBlock& block) {
  static Turn<T> turn;
  if (number == 0) {
    turn = {};
  }
  constexpr int kOutWords = Of<T>::kOutWords;
  const int rows = l.depthwise ? turn.taps(l) : turn.taps(l) * turn.words(l) * kLanes;
  const std::int64_t from = l.w_at + turn.weights + static_cast<std::int64_t>(turn.tap) * tap_weights(l) +
                            static_cast<std::int64_t>(turn.word) * kLanes * kOutWords;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < kOutWords; ++j) {
#pragma HLS pipeline II=1
      block[i].word[j] = w[from + i * kOutWords + j];
    }
  }
  turn.next(l);
}

template <class T>
void clear(typename Of<T>::Sums& sums) {
  for (int r = 0; r < T::kRounds; ++r) {
#pragma HLS pipeline II=1
    for (int p = 0; p < T::kPixels; ++p) {
#pragma HLS unroll
      for (int q = 0; q < T::kOut; ++q) {
#pragma HLS unroll
        sums[r][p][q] = typename T::Values::Sum(0);
      }
    }
  }
}

/// Adds kPixels x kOut products a cycle, every sum in order of taps and channels; all rounds take turns, kTurns at least, so that
/// a sum is there when its next product comes. One loop: an inner one of a variable count would end its pipeline for each channel
/// [UG1399 Working with Nested Loops].
template <class T>
void compute(const typename Of<T>::XBlock& x, const typename Of<T>::WBlock& w, int steps, int rounds, typename Of<T>::Sums& sums) {
  using Factor = typename T::Values::Factor;
  int r = 0;
  int channel = 0;
  for (int n = 0; n < steps * kLanes * rounds; ++n) {
#pragma HLS pipeline II=1
// the next product of a sum comes `rounds` iterations later
#pragma HLS dependence variable=sums type=inter direction=RAW distance=T::kTurns true
    for (int p = 0; p < T::kPixels; ++p) {
#pragma HLS unroll
      const Factor value = Factor(x[channel / kLanes][r][p].lane[channel % kLanes]);
      for (int j = 0; j < Of<T>::kOutWords; ++j) {
#pragma HLS unroll
        for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
          sums[r][p][j * kLanes + q] += Factor(value * Factor(w[channel].word[j].lane[q]));
        }
      }
    }
    channel = r == rounds - 1 ? channel + 1 : channel;
    r = r == rounds - 1 ? 0 : r + 1;
  }
}

/// The same where every channel sees itself alone: kOut products a cycle.
template <class T>
void compute_depthwise(const typename Of<T>::XBlock& x, const typename Of<T>::WBlock& w, int taps, int rounds, typename Of<T>::Sums& sums) {
  using Factor = typename T::Values::Factor;
  int pixel = 0;
  int k = 0;
  for (int n = 0; n < taps * rounds * T::kPixels; ++n) {
#pragma HLS pipeline II=1
// the next product of a sum comes rounds * kPixels iterations later
#pragma HLS dependence variable=sums type=inter direction=RAW distance=Of<T>::kApart true
    const int r = pixel / T::kPixels;
    const int p = pixel % T::kPixels;
    for (int j = 0; j < Of<T>::kOutWords; ++j) {
#pragma HLS unroll
      for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
        sums[r][p][j * kLanes + q] += Factor(Factor(x[k * Of<T>::kOutWords + j][r][p].lane[q]) * Factor(w[k].word[j].lane[q]));
      }
    }
    k = pixel == rounds * T::kPixels - 1 ? k + 1 : k;
    pixel = pixel == rounds * T::kPixels - 1 ? 0 : pixel + 1;
  }
}

/// Makes the elements of `count` pixels, `words` words of each: one loop, so that it never drains.
template <class T>
void make(const typename Of<T>::Sums& sums, const typename Of<T>::Channels& channels, const Finish<typename T::Values::Sum>& f, int count,
          int words, hls::stream<Word<typename T::Values::Element>>& to) {
  int t = 0;
  int j = 0;
  for (int n = 0; n < count * words; ++n) {
#pragma HLS pipeline II=1
    Word<typename T::Values::Element> result;
    for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
      result.lane[q] = T::Finished::of(sums[t / T::kPixels][t % T::kPixels][j * kLanes + q], channels[j * kLanes + q], f);
    }
    to.write(result);
    const bool last = j == words - 1;
    t = last ? t + 1 : t;
    j = last ? 0 : j + 1;
  }
}

/// Writes them: a burst for each pixel, or one where a tile makes all words of a pixel.
template <class Element>
void write(hls::stream<Word<Element>>& made, int count, int words, int out_words, Word<Element>* y) {
  const int bursts = words == out_words ? 1 : count;
  const int length = words == out_words ? count * words : words;
  for (int burst = 0; burst < bursts; ++burst) {
    for (int i = 0; i < length; ++i) {
#pragma HLS pipeline II=1
      y[static_cast<std::int64_t>(burst) * out_words + i] = made.read();
    }
  }
}

/// Makes elements and writes them.
template <class T>
void store(const typename Of<T>::Sums& sums, const typename Of<T>::Channels& channels, const Finish<typename T::Values::Sum>& f, int count,
           int words, int out_words, Word<typename T::Values::Element>* y) {
#pragma HLS dataflow
  hls::stream<Word<typename T::Values::Element>, 64> made;
  make<T>(sums, channels, f, count, words, made);
  write(made, count, words, out_words, y);
}

/// Adds a part's products; before the first part of a block its sums are cleared, behind the last one they become elements.
template <class T>
void add(const typename Of<T>::XBlock& x, const typename Of<T>::WBlock& w, const Channel<typename T::Values::Sum>* channels, const Layer<T>& l,
         int number, Word<typename T::Values::Element>* y) {
  static Turn<T> turn;
  static typename Of<T>::Sums sums;
#pragma HLS array_partition variable=sums type=complete dim=2
#pragma HLS array_partition variable=sums type=complete dim=3
  static typename Of<T>::Channels tile_channels;
#pragma HLS array_partition variable=tile_channels type=cyclic factor=16  // kLanes
  if (number == 0) {
    turn = {};
  }
  const std::int64_t group = static_cast<std::int64_t>(turn.set) * pixels_of(l) * l.groups + turn.group;  // of whole results, then of a pixel's
  if (turn.begins() && turn.block == 0) {
    const std::int64_t from = l.channels_at + static_cast<std::int64_t>(turn.set) * l.set_words * T::kWordChannels +
                              (turn.group * tiles_of(l) + turn.tile) * T::kOut;
    for (int i = 0; i < T::kOut; ++i) {
#pragma HLS pipeline II=1
      tile_channels[i] = channels[from + i];
    }
  }
  if (turn.begins()) {
    clear<T>(sums);
  }
  if (l.depthwise) {
    compute_depthwise<T>(x, w, turn.taps(l), turn.rounds(l), sums);
  } else {
    compute<T>(x, w, turn.taps(l) * turn.words(l), turn.rounds(l), sums);
  }
  if (turn.ends(l)) {
    store<T>(sums, tile_channels, l.finish, turn.pixels(l), turn.out_words(l), l.group_words * l.groups,
             y + l.y_at + (group + static_cast<std::int64_t>(turn.pixel()) * l.groups) * l.group_words + turn.tile * Of<T>::kOutWords);
  }
  turn.next(l);
}

/// All parts of a layer: while one is multiplied the next one is loaded. Nothing but calls stands in the loop and nothing but the loop
/// in the function, which is the form that it must have [UG1399 Canonical Body]; a call knows by its number that the layer begins.
template <class T>
void turns_of(int turns, const Word<typename T::Values::Element>* x, const Word<typename T::Values::Element>* w,
              const Channel<typename T::Values::Sum>* channels, const Layer<T>& l, Word<typename T::Values::Element>* y) {
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS dataflow
    typename Of<T>::XBlock x_block;
#pragma HLS array_partition variable=x_block type=complete dim=3
#pragma HLS aggregate variable=x_block
    typename Of<T>::WBlock w_block;
#pragma HLS aggregate variable=w_block
    load_x<T>(x, l, turn, x_block);
    load_w<T>(w, l, turn, w_block);
    add<T>(x_block, w_block, channels, l, turn, y);
  }
}

/// Computes a convolution or matrix product. x and y lie in device memory pixel by pixel, kLanes channels in a word, the last word
/// of a pixel filled up; w and channels tile by tile of kOut output channels. `*_at` are words from the beginning of a buffer.
/// Of several sets each has images, weights and results of its own, one behind the other; `set_words` from the weights of one to those
/// of the next, with channels of its own behind them, or 0 where weights follow one another and channels are shared. A group sees
/// `tap_words` words of a pixel's `words`.
template <class T>
void engine(const Word<typename T::Values::Element>* x, const Word<typename T::Values::Element>* w, const Channel<typename T::Values::Sum>* channels,
            Word<typename T::Values::Element>* y, unsigned x_at, unsigned w_at, unsigned channels_at, unsigned y_at, int sets, int images, int height,
            int width, int words, int out_height, int out_width, int group_words, int tap_words, int set_words, int kernel_y, int kernel_x,
            int stride_y, int stride_x, int top, int left, int groups, int depthwise, int outside, int zero, int shift,
            typename T::Values::Sum low, typename T::Values::Sum high) {
#pragma HLS inline
  const Layer<T> l = {x_at,      w_at,      channels_at, y_at,     sets,     images,   height, width, words, out_height,     out_width, group_words,
                      tap_words, set_words, kernel_y,    kernel_x, stride_y, stride_x, top,    left,  groups, depthwise != 0,
                      static_cast<typename T::Values::Element>(outside), {zero, shift, low, high}};
  turns_of<T>(sets * groups * tiles_of(l) * blocks_of(l) * parts_of(l), x, w, channels, l, y);
}

}  // namespace conv
}  // namespace pl
}  // namespace aieloom
