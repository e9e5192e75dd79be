// The results of a row of chains of an engine on the array: tiles of sums become elements, with another tensor sums of two.
//
//   other --> fetch_block ---------.
//   in, a stream for each chain > receive > make_block > write_block --> y
//
// Block after block: while one is written the next one is taken. II: four sums a cycle of each chain; a word of kLanes elements a cycle, every kSumInterval
// cycles with another tensor. Cost: what makes kLanes elements (finish.h, sums.h), a tile of sums in kBanks memories, twice, the numbers of
// kMostTogether tiles of channels.
#pragma once

#include <hls_fence.h>

#include <cstdint>

#include "array_layer.h"
#include "sums.h"
#include "tiles.h"

namespace aieloom {
namespace pl {
namespace array {

/// Tiles of output channels of a group that are made together: the first, and how many.
struct Set {
  int group, first, tiles;
};

/// A block of pixels and a tile of a set, in the order in which chains give them.
template <class T>
struct Block {
  int round, tile, block;
  int pixels, words;  // its own, and those of a pixel
  std::int64_t at;    // of a tensor as the result

  void begin(const Layer& l, const Set& s, int unit) {
    const int band = round * T::kRows + unit;
    const int left = pixels_of(l, band) - block * T::kTileM;
    const int first = (s.first + tile) * TilesOf<T>::kWords;
    const std::int64_t pixel =
        (static_cast<std::int64_t>(band / l.bands) * l.out_height + band % l.bands * l.rows) * l.out_width + block * T::kTileM;
    pixels = left < 0 ? 0 : left < T::kTileM ? left : T::kTileM;
    words = l.group_words - first < TilesOf<T>::kWords ? l.group_words - first : TilesOf<T>::kWords;
    at = pixels > 0 ? pixel * l.out_words + s.group * l.group_words + first : 0;
  }

  void next(const Layer& l, const Set& s, int unit) {
    ++block;
    if (block == blocks_of(l, 0, T::kTileM)) {
      block = 0;
      ++tile;
    }
    if (tile == s.tiles) {
      tile = 0;
      ++round;
    }
    begin(l, s, unit);
  }
};

/// Reads the words of the other tensor that belong to a block, where there is one.
template <class T, class Element>
void fetch_block(const Word<Element>* other, const Layer& l, const Set& s, int unit, int number, hls::stream<Word<Element>>& others) {
  static Block<T> block;
  if (number == 0) {
    block = {};
    block.begin(l, s, unit);
  }
  for (int p = 0; p < (l.sum != 0 ? block.pixels : 0); ++p) {
    for (int word = 0; word < block.words; ++word) {
#pragma HLS pipeline II=1
      others.write(other[l.other_at + block.at + static_cast<std::int64_t>(p) * l.out_words + word]);
    }
  }
  block.next(l, s, unit);
}

/// Makes the elements of a block of pixels that are there; with another tensor their sums. One loop for each, so that none drains.
template <class T, class Element>
void make_block(const typename TilesOf<T>::Tiles& tiles, const typename TilesOf<T>::Channels& all, const Finish<typename T::Values::Sum>& f,
                const Scaling<typename T::Values::Sum>& s, const Layer& l, const Set& set, int unit, int number, hls::stream<Word<Element>>& others,
                hls::stream<Word<Element>>& to) {
  static Block<T> block;
  if (number == 0) {
    block = {};
    block.begin(l, set, unit);
  }
  const Channel<typename T::Values::Sum>* const channels = all + block.tile * TilesOf<T>::kChannels;
  const unsigned words = block.words;
  const int count = block.pixels * block.words;
  const int plain = l.sum == 0 ? count : 0;
  const int summed = l.sum != 0 ? count : 0;
  unsigned p = 0;
  unsigned word = 0;
  for (int i = 0; i < plain; ++i) {
#pragma HLS pipeline II=1
    to.write(word_of<T>(tiles, channels, f, p, word));
    ++word;
    if (word == words) {
      word = 0;
      ++p;
    }
  }
  for (int i = 0; i < summed; ++i) {
#pragma HLS pipeline II=T::kSumInterval
    const Word<Element> product = word_of<T>(tiles, channels, f, p, word);
    const Word<Element> other = others.read();
    Word<Element> result;
    for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
      result.lane[q] = l.sum == 1 ? T::Sums::of(product.lane[q], other.lane[q], s) : T::Sums::of(other.lane[q], product.lane[q], s);
    }
    to.write(result);
    ++word;
    if (word == words) {
      word = 0;
      ++p;
    }
  }
  block.next(l, set, unit);
}

/// Writes them: a burst for each pixel, or one where a tile makes all words of a pixel.
template <class T, class Element>
void write_block(const Layer& l, const Set& set, int unit, int number, hls::stream<Word<Element>>& words, Word<Element>* y) {
  static Block<T> block;
  if (number == 0) {
    block = {};
    block.begin(l, set, unit);
  }
  const bool whole = block.words == l.out_words;
  const int bursts = whole ? 1 : block.pixels;
  const int length = whole ? block.pixels * block.words : block.words;
  for (int burst = 0; burst < bursts; ++burst) {
    Word<Element>* const to = y + l.y_at + block.at + static_cast<std::int64_t>(burst) * l.out_words;
    for (int i = 0; i < length; ++i) {
#pragma HLS pipeline II=1
      to[i] = words.read();
    }
  }
  block.next(l, set, unit);
}

/// A set of tiles, block after block: while one is written the next one is taken. In the form that such loops must have [UG1399 Canonical
/// Body]; a call knows by its number that the set begins.
template <class T, class Element>
void blocks_of_set(int blocks, hls::stream<TilePacket> in[T::kColumns], const typename TilesOf<T>::Channels& channels,
                   const Finish<typename T::Values::Sum>& f, const Scaling<typename T::Values::Sum>& s, const Layer& l, const Set& set, int unit,
                   const Word<Element>* other, Word<Element>* y) {
  for (int block = 0; block < blocks; ++block) {
#pragma HLS dataflow
    hls::stream<Word<Element>, T::kTileM * TilesOf<T>::kWords> others;
    hls::stream<Word<Element>, T::kTileM> words;
    typename TilesOf<T>::Tiles tiles;
#pragma HLS array_partition variable=tiles type=complete dim=1
#pragma HLS array_partition variable=tiles type=cyclic factor=TilesOf<T>::kBanks dim=2
    fetch_block<T>(other, l, set, unit, block, others);
    receive<T>(in, tiles);
    make_block<T>(tiles, channels, f, s, l, set, unit, block, others, words);
    write_block<T>(l, set, unit, block, words, y);
  }
}

/// All of a product.
template <class T, class Element>
void product(const Channel<typename T::Values::Sum>* trained, const Word<Element>* other, Word<Element>* y, const Layer& l, int unit,
             hls::stream<TilePacket> in[T::kColumns]) {
  using V = typename T::Values;
  constexpr int kChannels = TilesOf<T>::kChannels;
  const Finish<typename V::Sum> f = {l.zero, l.shift, V::number_of(l.low), V::number_of(l.high)};
  const Scaling<typename V::Sum> s = scaling_of<V>(l);
  const int sets = sets_of(l);
  for (int set = 0; set < l.groups * sets; ++set) {
    const Set some = {set / sets, set % sets * l.together, tiles_of(l, set % sets)};
    static typename TilesOf<T>::Channels channels;
#pragma HLS array_partition variable=channels type=cyclic factor=kLanes
    for (int i = 0; i < some.tiles * kChannels; ++i) {
#pragma HLS pipeline II=1
      channels[i] = trained[l.channels_at + (some.group * l.tiles + some.first) * kChannels + i];
    }
    blocks_of_set<T>(rounds_of(l, T::kRows) * some.tiles * blocks_of(l, 0, T::kTileM), in, channels, f, s, l, some, unit, other, y);
  }
}

/// The results of row `unit` of chains, product after product; tells the sequencer when one lies in memory.
template <class T>
void store(const Channel<typename T::Values::Sum>* channels, const Word<typename T::Values::Element>* other, Word<typename T::Values::Element>* y,
           int unit, hls::stream<Control>& control, hls::stream<Control>& done, hls::stream<TilePacket> in[T::kColumns]) {
#pragma HLS inline
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    product<T>(channels, other, y, l, unit, in);
    hls::fence(y, done);  // the results are in memory before the token leaves [UG1399 hls::fence]
    done.write(token());
  }
}

}  // namespace array
}  // namespace pl
}  // namespace aieloom
