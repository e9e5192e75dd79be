// The results of a row of chains that owns an image: tiles of sums become elements, with another tensor sums of two, and go to the row's store.
//
//   channels --> numbers of a set of tiles -------v
//   in, a stream for each chain > receive > send_block --> made
//   ask for < fetch_block < other -----------^
//
// Block after block: while one is sent the next one is taken. II: four sums a cycle of each chain; a word of kLanes elements a cycle. Cost: what makes
// kLanes elements (finish.h), a tile of sums in kBanks memories, twice, the numbers of kMostTogether tiles of channels, tables of sums for each lane.
#pragma once

#include "row_layer.h"
#include "sums.h"
#include "tiles.h"

namespace aieloom {
namespace pl {
namespace row {

using StoreWord = Word<std::int8_t>;

/// No layer adds.
struct NoTables {
  void prepare(const Layer&) {}
  StoreWord added(const StoreWord& product, const StoreWord&, const Layer&) const { return product; }
};

/// What each element of both tensors is of a sum: tables, since elements are few and products of them dear.
template <class Sums>
struct SumTables {
  typename Sums::Part a[kLanes][256];
  typename Sums::Part b[kLanes][256];
  IntegerScaling s;

  void prepare(const Layer& l) {
    s = scaling_of<Integers>(l);
    for (int i = 0; i < (l.sum != 0 ? 256 : 0); ++i) {
#pragma HLS pipeline II=1
      const typename Sums::Part of_a = Sums::part_a(static_cast<std::int8_t>(i + Int8::kLeast), s);
      const typename Sums::Part of_b = Sums::part_b(static_cast<std::int8_t>(i + Int8::kLeast), s);
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
        a[lane][i] = of_a;
        b[lane][i] = of_b;
      }
    }
  }

  /// A word of the product with the other tensor's.
  StoreWord added(const StoreWord& product, const StoreWord& other, const Layer& l) const {
#pragma HLS inline
    StoreWord result;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      const std::int8_t first = l.sum == 1 ? product.lane[lane] : other.lane[lane];
      const std::int8_t second = l.sum == 1 ? other.lane[lane] : product.lane[lane];
      result.lane[lane] = Sums::joined(a[lane][first - Int8::kLeast], b[lane][second - Int8::kLeast], s);
    }
    return result;
  }
};

/// A block of pixels and a tile of output channels of a set of tiles, in the order in which chains give them.
template <class T>
struct Block {
  int band, tile, at;  // first pixel of the band
  int pixels, words;   // its own, and those of a pixel

  void begin(const Layer& l, int first_tile) {
    const int left = pixels_of(l, band) - at;
    const int first = (first_tile + tile) * TilesOf<T>::kWords;
    pixels = left < T::kTileM ? left : T::kTileM;
    words = l.group_words - first < TilesOf<T>::kWords ? l.group_words - first : TilesOf<T>::kWords;
  }

  void next(const Layer& l, int first_tile, int tiles) {
    at += T::kTileM;
    if (at >= pixels_of(l, band)) {
      at = 0;
      ++tile;
    }
    if (tile == tiles) {
      tile = 0;
      ++band;
    }
    begin(l, first_tile);
  }
};

/// Blocks of a set.
template <class T>
int blocks_in(const Layer& l, int tiles) {
  return ((l.bands - 1) * blocks_of(l, 0, T::kTileM) + blocks_of(l, l.bands - 1, T::kTileM)) * tiles;
}

/// Asks for the words of the other tensor that belong to a block, and takes them.
template <class T>
void fetch_block(hls::stream<TilePacket>& other, hls::stream<Control>& ask, const Layer& l, int first_tile, int tiles, int number,
                 hls::stream<StoreWord>& others) {
  static Block<T> block;
  if (number == 0) {
    block = {};
    block.begin(l, first_tile);
  }
  const int count = l.sum != 0 ? block.pixels * block.words : 0;
  if (count > 0) {
    ask.write(token());
  }
  for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    const ap_uint<128> bits = other.read().data;
    StoreWord word;
    for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
      word.lane[q] = static_cast<std::int8_t>(bits.range(8 * q + 7, 8 * q).to_uint());
    }
    others.write(word);
  }
  block.next(l, first_tile, tiles);
}

/// Sends the elements of a block's pixels to the row's store; with another tensor their sums.
template <class T>
void send_block(const typename TilesOf<T>::Tiles& sums, const typename TilesOf<T>::Channels& channels, const IntegerFinish& f,
                const typename T::Adder& adder, const Layer& l, int first_tile, int tiles, int number, hls::stream<StoreWord>& others,
                hls::stream<TilePacket>& made) {
  static Block<T> block;
  if (number == 0) {
    block = {};
    block.begin(l, first_tile);
  }
  const unsigned words = block.words;
  const int count = block.pixels * block.words;
  const IntegerChannel* own = channels + block.tile * TilesOf<T>::kChannels;
  unsigned p = 0;
  unsigned word = 0;
  for (int i = 0; i < count; ++i) {  // one loop, so that it never drains
#pragma HLS pipeline II=1
    StoreWord result = word_of<T>(sums, own, f, p, word);
    if (l.sum != 0) {
      result = adder.added(result, others.read(), l);
    }
    ap_uint<128> bits;
    for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
      bits.range(8 * q + 7, 8 * q) = result.lane[q] & 0xFF;
    }
    made.write(axis_of(bits, false));
    ++word;
    if (word == words) {
      word = 0;
      ++p;
    }
  }
  block.next(l, first_tile, tiles);
}

/// A set of tiles, block after block: while one is sent the next one is taken. In the form that such loops must have [UG1399 Canonical Body];
/// a call knows by its number that the set begins.
template <class T>
void set_of(int blocks, hls::stream<TilePacket> in[T::kColumns], const typename TilesOf<T>::Channels& channels, const IntegerFinish& f,
            const typename T::Adder& adder, const Layer& l, int first_tile, int tiles, hls::stream<TilePacket>& other, hls::stream<Control>& ask,
            hls::stream<TilePacket>& made) {
  for (int block = 0; block < blocks; ++block) {
#pragma HLS dataflow
    hls::stream<StoreWord, T::kTileM * TilesOf<T>::kWords> others;
    typename TilesOf<T>::Tiles sums;
#pragma HLS array_partition variable=sums type=complete dim=1
#pragma HLS array_partition variable=sums type=cyclic factor=TilesOf<T>::kBanks dim=2
    fetch_block<T>(other, ask, l, first_tile, tiles, block, others);
    receive<T>(in, sums);
    send_block<T>(sums, channels, f, adder, l, first_tile, tiles, block, others, made);
  }
}

/// All of a product.
template <class T>
void product(hls::stream<TilePacket>& trained, const Layer& l, hls::stream<TilePacket> in[T::kColumns], hls::stream<TilePacket>& other,
             hls::stream<Control>& ask, hls::stream<TilePacket>& made) {
  constexpr int kChannels = TilesOf<T>::kChannels;
  const IntegerFinish f = {l.zero, l.shift, l.low, l.high};
  static typename T::Adder adder;
  adder.prepare(l);
  const int sets = sets_of(l);
  for (int set = 0; set < l.groups * sets; ++set) {
    const int first_tile = set % sets * l.together;
    const int tiles = tiles_of(l, set % sets);
    static typename TilesOf<T>::Channels channels;
#pragma HLS array_partition variable=channels type=cyclic factor=kLanes
    for (int i = 0; i < tiles * kChannels; ++i) {
#pragma HLS pipeline II=1
      const ap_uint<128> word = trained.read().data;
      channels[i] = {word.range(31, 0).to_int(), word.range(63, 32).to_int(), word.range(95, 64).to_int(), 0};
    }
    set_of<T>(blocks_in<T>(l, tiles), in, channels, f, adder, l, first_tile, tiles, other, ask, made);
  }
}

/// The results of a row of chains, product after product, to the row's store; of each set of tiles its channels' numbers come first.
template <class T>
void store(hls::stream<TilePacket>& channels, hls::stream<Control>& control, hls::stream<TilePacket>& other, hls::stream<Control>& ask,
           hls::stream<TilePacket>& made, hls::stream<TilePacket> in[T::kColumns]) {
#pragma HLS inline
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    product<T>(channels, l, in, other, ask, made);
  }
}

}  // namespace row
}  // namespace pl
}  // namespace aieloom
