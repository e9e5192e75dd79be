// The store of a row of chains: an image's tensors in UltraRAM, pixel by pixel, kLanes channels in a word.
//
//   control > hand > count_x ----- bands ------> keep > x to row_load        < asked
//                  > count_tiles - blocks -----> keep > the other tensor     < asked
//                  > count_tiles - tiles ------> keep < sums, folds
//                  > images and results that keep copies
//
// Processes of a dataflow region that work through layer after layer until the end: three count where words lie, with counters, and queue a
// piece a band, a block or a tile; one moves the words. II: a word into the store and a word out of it a cycle; a column of an image a
// cycle where pixels are made of its rows. Cost: the store, the registers of a layer three times, a queue of pieces for each count.
#pragma once

#include <hls_fence.h>

#include <cstdint>

#include "../words.h"
#include "row_layer.h"
#include "values.h"

namespace aieloom {
namespace pl {
namespace row {

using Bits = ap_uint<8 * kLanes>;
using Packet = Axis<8 * kLanes>;

/// The traits of a store: kRows of chains, kTileM pixels of a block, kTileWords of a pixel of a tile, kStoreWords in all, kRowWords of a row of
/// an image, kSettles turns after which a word may be read.
template <class T>
using Store = Bits[T::kStoreWords];

/// Words of the store that are moved one after another: `words` neighbours of each pixel, then the next pixel's.
struct Piece {
  int at;           // the first
  int words, jump;  // of a pixel, from its last one to the next pixel's first
  int left;         // in all
  int layer;        // whose it is: each layer's number, of kLayers that are told apart
  int grows;        // words of the result that are whole with each pixel: 0 until its last words are made
  bool follows;     // x is what the layer before makes
  bool folds;       // row_load makes it
  bool last;        // of its layer
  bool copies;      // of a layer that moves an image between the store and device memory
};

constexpr int kLayers = 4;
constexpr int kPieces = 16;  // that are known ahead

/// Hands the numbers of every layer to those that count its pieces, and of those that the store's process copies itself to that.
inline void hand(hls::stream<Control>& control, hls::stream<Number>& x, hls::stream<Number>& other, hls::stream<Number>& made,
          hls::stream<Number>& copies) {
  int opcode = kRest;
  while (opcode != kEnd) {
    for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
      const Number number = control.read().data;
      opcode = i == 0 ? number.to_int() : opcode;
      x.write(number);
      other.write(number);
      made.write(number);
      if (opcode != kProduct && opcode != kFold) {
        copies.write(number);
      }
    }
  }
}

/// The input in the order in which row_load takes it: group after group of channels, for each set of tiles, a band a piece.
inline void count_x(hls::stream<Number>& control, hls::stream<Piece>& to) {
  int layer = 0;
  int written = -1;
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    layer = (layer + 1) % kLayers;
    for (int group = 0; group < (is_served(l) ? l.groups : 0); ++group) {
      for (int tile = 0; tile < l.tiles; tile += l.together) {
        int first = -l.top;
        int rows = l.out_height;
        for (int band = 0; band < l.bands; ++band) {
          const int last = first + ((rows < l.rows ? rows : l.rows) - 1) * l.stride_y + l.kernel_y;
          const int from = first < 0 ? 0 : first;
          const int seen = (last < l.height ? last : l.height) - from;
          to.write({l.x_at + from * l.width * l.words + group * l.tap_words, l.tap_words, l.words - l.tap_words + 1,
                    seen * l.width * l.tap_words, layer, 0, l.x_at == written, false, false, false});
          first += l.rows * l.stride_y;
          rows -= l.rows;
        }
      }
    }
    written = is_served(l) ? l.y_at : -1;
  }
}

/// The result in the order in which it is made: band after band, a tile a piece; or the other tensor that is added to it, in the same order
/// but in blocks of kTileM pixels, each of which row_store asks for.
template <class T>
void count_tiles(bool others, hls::stream<Number>& control, hls::stream<Piece>& to) {
  int layer = 0;
  int opcode = kRest;
  while (opcode != kEnd) {
    const Layer l = take(control);
    opcode = l.opcode;
    layer = (layer + 1) % kLayers;
    const int most = opcode == kProduct ? T::kTileWords : l.group_words;  // words of a pixel of a tile
    const int groups = is_served(l) && (!others || l.sum != 0) ? l.groups : 0;
    for (int group = 0; group < groups; ++group) {
      for (int set = 0; set < l.tiles; set += l.together) {
        const int tiles = l.tiles - set < l.together ? l.tiles - set : l.together;
        int begin = (others ? l.other_at : l.y_at) + group * l.group_words;  // of the band
        for (int band = 0; band < l.bands; ++band) {
          const int pixels = pixels_of(l, band);
          for (int tile = set; tile < set + tiles; ++tile) {
            const int left = l.group_words - tile * most;
            const int words = left < most ? left : most;
            const bool ends = group == l.groups - 1 && tile == l.tiles - 1;  // all words of its pixels are made then
            const int block = others ? T::kTileM : pixels;
            for (int pixel = 0; pixel < pixels; pixel += block) {
              const int count = pixels - pixel < block ? pixels - pixel : block;
              to.write({begin + pixel * l.out_words + tile * most, words, l.out_words - words + 1, count * words, layer,
                        ends ? l.out_words : 0, false, opcode == kFold, ends && band == l.bands - 1, false});
            }
          }
          begin += l.rows * l.out_width * l.out_words;
        }
      }
    }
    if (!others && !is_served(l)) {
      to.write({0, 0, 0, 0, layer, 0, false, false, false, true});
    }
  }
}

/// A piece under way.
struct Walk {
  Piece p;
  int word;       // of the pixel, counted down
  bool is_there;  // words of it are left
  bool moves;     // it was asked for

  void begin(const Piece& piece) {
    p = piece;
    word = piece.words;
    is_there = true;
  }

  bool ends_pixel() const { return word == 1; }
  bool ends() const { return p.left == 1; }

  void next() {
    is_there = !ends();
    moves = moves && !ends();
    p.at += ends_pixel() ? p.jump : 1;
    word = ends_pixel() ? p.words : word - 1;
    --p.left;
  }
};

/// Layers one after another: sends x where there is room for a band, the other tensor where there is room for a block, and takes what is made,
/// until the next piece of a result is a copy. x and the other tensor are sent only after they were asked for, so that nothing here waits.
/// x of the layer behind the one that is made is sent ahead; of what that one makes only what has lain there for kSettles turns is read.
template <class T>
void move(Store<T>& store, Walk& x, Walk& other, Walk& made, hls::stream<Piece>& xs, hls::stream<Piece>& others, hls::stream<Piece>& results,
          hls::stream<Control>& done, hls::stream<Packet>& to_load, hls::stream<Control>& ask_x, hls::stream<Packet>& to_store,
          hls::stream<Control>& ask_other, hls::stream<Packet>& sums, hls::stream<Packet>& folds) {
  int whole = made.p.at;    // to where all of the result is made
  int settled[T::kSettles];    // that, of the turns before
  int layers[T::kSettles];     // whose result was made then
#pragma HLS array_partition variable=settled type=complete
#pragma HLS array_partition variable=layers type=complete
  for (int i = 0; i < T::kSettles; ++i) {
#pragma HLS unroll
    settled[i] = made.p.at;
    layers[i] = made.p.layer;
  }
  while (!made.p.copies) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=store type=inter dependent=false  // what is read lies apart from what is written, or was written kSettles turns ago; a sum takes a place that was read
    const int layer = layers[T::kSettles - 1];
    const bool ready = x.p.layer == layer ||
                       (x.p.layer == (layer + 1) % kLayers && (!x.p.follows || x.p.at < settled[T::kSettles - 1]));
    const bool wants_x = !x.is_there;
    const bool wants_other = !other.is_there;
    if (other.moves) {
      to_store.write(axis_of(store[other.p.at], false));
      other.next();
    } else if (x.moves && ready) {
      to_load.write(axis_of(store[x.p.at], false));
      x.next();
    } else {
      Control asked;
      if (other.is_there && other.p.layer == layer && ask_other.read_nb(asked)) {
        other.moves = true;
      } else if (x.is_there && !x.moves && ask_x.read_nb(asked)) {
        x.moves = true;
      }
    }
    for (int i = T::kSettles - 1; i > 0; --i) {
#pragma HLS unroll
      settled[i] = settled[i - 1];
      layers[i] = layers[i - 1];
    }
    settled[0] = whole;
    layers[0] = made.p.layer;
    Piece piece;
    if (wants_x && xs.read_nb(piece)) {
      x.begin(piece);
    }
    if (wants_other && others.read_nb(piece)) {
      other.begin(piece);
    }
    if (!made.is_there) {
      if (results.read_nb(piece)) {
        whole = piece.layer != made.p.layer ? piece.at : whole;
        made.begin(piece);
      }
    } else {
      Packet result;
      if (made.p.folds ? folds.read_nb(result) : sums.read_nb(result)) {
        store[made.p.at] = result.data;
        whole += made.ends_pixel() ? made.p.grows : 0;
        if (made.ends() && made.p.last) {
          done.write(token());
        }
        made.next();
      }
    }
  }
}

/// Brings an image of the batch, where there is one for this row.
template <class T>
void bring(const Bits* from, const Layer& l, int image, Store<T>& store) {
  for (int i = 0; i < (image < l.images ? l.words : 0); ++i) {
#pragma HLS pipeline II=1
    store[l.y_at + i] = from[l.x_at + std::int64_t(image) * l.words + i];
  }
}

/// Brings an image whose rows lie one after another, channel after channel, and makes pixels of it: kernel_y x kernel_x of the image's
/// are one, with the image's channels within. A column of the image is taken a turn, of all rows that the pixels see.
template <class T>
void bring_rows(const Bits* from, const Layer& l, int image, Store<T>& store) {
  static Bits rows[kLanes][T::kRowWords];
#pragma HLS array_partition variable=rows type=complete dim=1
  int row_of[kLanes];
  int column_of[kLanes];
#pragma HLS array_partition variable=row_of type=complete
#pragma HLS array_partition variable=column_of type=complete
  int row = 0;  // of the lane: its channel, and the first of its row of the window
  int column = 0;
  int channel = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS pipeline II=1
    row_of[lane] = row + channel;
    column_of[lane] = column;
    ++channel;
    if (channel == l.groups) {
      channel = 0;
      ++column;
    }
    if (column == l.kernel_x) {
      column = 0;
      row += l.groups;
    }
  }
  const int lanes = l.kernel_y * l.kernel_x * l.groups;
  for (int y = 0; y < (image < l.images ? l.out_height : 0); ++y) {
    for (int channel = 0; channel < l.groups; ++channel) {  // a burst: its rows lie one after another
      const int first = (channel * l.out_height + y) * l.kernel_y * l.tap_words;
      int row = channel;
      int word = 0;
      for (int i = 0; i < l.kernel_y * l.tap_words; ++i) {
#pragma HLS pipeline II=1
        rows[row][word] = from[l.x_at + std::int64_t(image) * l.words + first + i];
        ++word;
        if (word == l.tap_words) {
          word = 0;
          row += l.groups;
        }
      }
    }
    ap_uint<8> pixel[kLanes] = {};
#pragma HLS array_partition variable=pixel type=complete
    int at = l.y_at + y * l.out_width;
    int column = 0;  // of the pixel
    for (int i = 0; i < l.out_width * l.kernel_x; ++i) {
#pragma HLS pipeline II=1
      ap_uint<8> seen[kLanes];
      for (int row = 0; row < kLanes; ++row) {
#pragma HLS unroll
        const int bit = i % kLanes * 8;
        seen[row] = rows[row][i / kLanes].range(bit + 7, bit);
      }
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
        if (lane < lanes && column_of[lane] == column) {
          pixel[lane] = seen[row_of[lane]];
        }
      }
      ++column;
      if (column == l.kernel_x) {
        Bits word;
        for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
          word.range(8 * lane + 7, 8 * lane) = pixel[lane];
        }
        store[at] = word;
        column = 0;
        ++at;
      }
    }
  }
}

/// Gives an image's results.
template <class T>
void give(const Store<T>& store, const Layer& l, int image, Bits* to) {
  for (int i = 0; i < (image < l.images ? l.words : 0); ++i) {
#pragma HLS pipeline II=1
    to[l.y_at + std::int64_t(image) * l.words + i] = store[l.x_at + i];
  }
}

/// The store of row `unit` of chains, and what is read of it and written to it, piece after piece.
template <class T>
void keep(const Bits* images, Bits* results, int unit, hls::stream<Number>& copies, hls::stream<Piece>& xs, hls::stream<Piece>& others,
          hls::stream<Piece>& mades, hls::stream<Control>& done, hls::stream<Packet>& x, hls::stream<Control>& ask_x, hls::stream<Packet>& other,
          hls::stream<Control>& ask_other, hls::stream<Packet>& sums, hls::stream<Packet>& folds) {
  static Store<T> store;
#pragma HLS bind_storage variable=store type=ram_t2p impl=uram
  Walk from = {};
  Walk beside = {};
  Walk to = {};
  for (;;) {
    to.begin(mades.read());
    move<T>(store, from, beside, to, xs, others, mades, done, x, ask_x, other, ask_other, sums, folds);  // until a piece is a copy
    const Layer l = take(copies);
    if (l.opcode == kEnd) {
      break;
    }
    const int image = l.group * T::kRows + unit;
    if (l.opcode == kBring && l.kernel_y > 0) {
      bring_rows<T>(images, l, image, store);
    } else if (l.opcode == kBring) {
      bring<T>(images, l, image, store);
    } else {
      give<T>(store, l, image, results);
      hls::fence(results, done);  // the results are in memory before the token leaves [UG1399 hls::fence]
    }
    done.write(token());
  }
}

/// The store of row `unit` of chains. Tells the sequencer when a layer's result lies there, or in device memory.
template <class T>
void memory(const Bits* images, Bits* results, int unit, hls::stream<Control>& control, hls::stream<Control>& done, hls::stream<Packet>& x,
            hls::stream<Control>& ask_x, hls::stream<Packet>& other, hls::stream<Control>& ask_other, hls::stream<Packet>& sums,
            hls::stream<Packet>& folds) {
#pragma HLS dataflow
  hls::stream<Number, kNumbers> of_x;
  hls::stream<Number, kNumbers> of_other;
  hls::stream<Number, kNumbers> of_made;
  hls::stream<Number, kNumbers> copies;
  hls::stream<Piece, kPieces> xs;
  hls::stream<Piece, kPieces> others;
  hls::stream<Piece, kPieces> mades;
  hand(control, of_x, of_other, of_made, copies);
  count_x(of_x, xs);
  count_tiles<T>(true, of_other, others);
  count_tiles<T>(false, of_made, mades);
  keep<T>(images, results, unit, copies, xs, others, mades, done, x, ask_x, other, ask_other, sums, folds);
}

}  // namespace row
}  // namespace pl
}  // namespace aieloom
