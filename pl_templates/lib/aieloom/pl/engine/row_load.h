// The inputs of a row of chains that owns an image: bands of what the row's store sends, as windows mmul by mmul, or folded.
//
//   ask for < load_band < in: rows of a band, once for each part of K --> use_band --> out, a stream for each part of K
//                                                                             '-> fold --> made, to the store
//
// While a band is used the next one is loaded. II: a word a cycle loaded; kBlockM cycles for the pixels of a word of K; kParts taps of a window folded a
// cycle. Cost: kParts x kLineWords words, the places of a window's words, the corners of kBandPixels pixels.
#pragma once

#include "../storage.h"
#include "row_fold.h"

namespace aieloom {
namespace pl {
namespace row {

/// A band of a set of tiles, in the order in which they are loaded and used.
struct Turn {
  int set, band;

  void next(const Layer& l) {
    ++band;
    if (band == l.bands) {
      band = 0;
      ++set;
    }
  }
};

/// Asks for the rows that a band's windows see and takes them; notes where each pixel's window begins.
template <class T>
void load_band(const Layer& l, int number, hls::stream<LinePacket>& in, hls::stream<Control>& ask, Lines<T>& lines, Corners<T>& corners) {
  static Turn turn;
  if (number == 0) {
    turn = {};
  }
  const int band = turn.band;
  const int pixels = pixels_of(l, band);
  const int first = band * l.rows * l.stride_y - l.top;
  const int last = first + (pixels / l.out_width - 1) * l.stride_y + l.kernel_y;
  const int begin = first < 0 ? 0 : first;
  const int end = last < l.height ? last : l.height;
  const int row_words = l.width * l.tap_words;
  const int from = (begin - first) * row_words;
  const int words = (end - begin) * row_words;
  const int places = (pixels + T::kTileM - 1) / T::kTileM * T::kTileM;
  ask.write(token());
  int row = 0;
  int column = 0;
  for (int i = 0; i < (words > places ? words : places); ++i) {
#pragma HLS pipeline II=1
    if (i < words) {
      const LineBits word = in.read().data;
      for (int part = 0; part < T::kParts; ++part) {
#pragma HLS unroll
        lines[part][from + i] = word;
      }
    }
    if (i < places) {
      corners[i] = {i < pixels ? row * l.stride_y : kOutside, column * l.stride_x - l.left};
      ++column;
      if (column == l.out_width) {
        column = 0;
        ++row;
      }
    }
  }
  turn.next(l);
}

/// Sends a band's tiles: for each block of pixels and pass over K one to every part, mmul by mmul, and whether it is the last. One loop goes
/// over all of them, so that it never drains.
template <class T>
void send_band(const Lines<T>& lines, const Corners<T>& corners, const Places<T>& places, const Layer& l, int band,
               hls::stream<LinePacket> out[T::kParts]) {
  constexpr int kBlockM = T::kBlockM;
  constexpr int kSteps = T::kTileM / kBlockM * T::kTileWords + 1;  // of a tile: its mmuls, and what tells whether it is the last
  static_assert(T::kTileM % kBlockM == 0 && kBlockM % 2 == 0, "a tile has whole mmuls, of pairs of pixels");
  static_assert(T::kTailWords <= kBlockM, "a turn of the loop that sends tiles sends as many words as an mmul has pixels");
  const LineBits outside = around(l.outside);
  const int first = band * l.rows * l.stride_y - l.top;
  const int turns = blocks_of(l, band, T::kTileM) * l.passes * kSteps;
  int pixel = 0;  // of the block's first
  int pass = 0;
  int step = 0;
  int m = 0;
  int k = 0;
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS pipeline II=kBlockM
    const bool ends = step == kSteps - 1;
    const bool last = pass == l.passes - 1;
    for (int part = 0; part < T::kParts; ++part) {
#pragma HLS unroll
      LineBits words[kBlockM];
      for (int i = 0; i < kBlockM; ++i) {
#pragma HLS unroll
        words[i] = seen(lines[part], l, first, corners[pixel + m + i], places[part][pass * T::kTileWords + k], outside);
      }
      for (int i = 0; i < kBlockM; ++i) {
#pragma HLS unroll
        const int half = i / (kBlockM / 2) * 64;
        const int pair = i % (kBlockM / 2) * 2;
        LinePacket packet;
        if (ends) {
          packet.data = last ? 1 : 0;
        } else {
          packet.data.range(63, 0) = words[pair].range(half + 63, half);
          packet.data.range(127, 64) = words[pair + 1].range(half + 63, half);
        }
        packet.keep = -1;
        packet.last = ends && i == T::kTailWords - 1;
        if (i < (ends ? T::kTailWords : kBlockM)) {
          out[part].write(packet);
        }
      }
    }
    ++k;
    if (k == T::kTileWords) {
      k = 0;
      m = m == T::kTileM - kBlockM ? 0 : m + kBlockM;
    }
    ++step;
    if (ends) {
      k = 0;
      step = 0;
      pass = last ? 0 : pass + 1;
      pixel += last ? T::kTileM : 0;
    }
  }
}

/// Uses a band: it is sent for every tile of its set, or folded.
template <class T>
void use_band(const Lines<T>& lines, const Corners<T>& corners, const Places<T>& places, const Trained<T>& trained, const Layer& l, int number,
              hls::stream<LinePacket>& made, hls::stream<LinePacket> out[T::kParts]) {
  static Turn turn;
  if (number == 0) {
    turn = {};
  }
  const int sets = sets_of(l);
  if (l.opcode == kFold) {
    T::Folded::template fold<T>(lines, corners, trained, l, turn.set, turn.band, made);
  }
  for (int tile = 0; tile < (l.opcode == kProduct ? tiles_of(l, turn.set % sets) : 0); ++tile) {
    send_band<T>(lines, corners, places, l, turn.band, out);
  }
  turn.next(l);
}

/// All bands of a layer, for each set of tiles: while one is used the next one is loaded. Nothing but calls stands in the loop and nothing
/// but the loop in the function, which is the form that it must have [UG1399 Canonical Body]; a call knows by its number that the layer begins.
/// A pragma takes no type: one function for each memory that lines may lie in.
template <class T>
void bands_of(int turns, const Places<T>& places, const Trained<T>& trained, const Layer& l, hls::stream<LinePacket>& in, hls::stream<Control>& ask,
              hls::stream<LinePacket>& made, hls::stream<LinePacket> out[T::kParts], Uram) {
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS dataflow
    Lines<T> in_uram;
#pragma HLS array_partition variable=in_uram type=complete dim=1
#pragma HLS bind_storage variable=in_uram type=ram_s2p impl=uram
    Corners<T> corners;
#pragma HLS array_partition variable=corners type=cyclic factor=T::kBlockM
    load_band<T>(l, turn, in, ask, in_uram, corners);
    use_band<T>(in_uram, corners, places, trained, l, turn, made, out);
  }
}
template <class T>
void bands_of(int turns, const Places<T>& places, const Trained<T>& trained, const Layer& l, hls::stream<LinePacket>& in, hls::stream<Control>& ask,
              hls::stream<LinePacket>& made, hls::stream<LinePacket> out[T::kParts], Bram) {
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS dataflow
    Lines<T> in_bram;
#pragma HLS array_partition variable=in_bram type=complete dim=1
#pragma HLS bind_storage variable=in_bram type=ram_s2p impl=bram
    Corners<T> corners;
#pragma HLS array_partition variable=corners type=cyclic factor=T::kBlockM
    load_band<T>(l, turn, in, ask, in_bram, corners);
    use_band<T>(in_bram, corners, places, trained, l, turn, made, out);
  }
}

/// The inputs of a row of chains, layer after layer: windows of what the row's store sends; what it folds itself goes back to the store.
template <class T>
void load(hls::stream<Control>& control, hls::stream<LinePacket>& in, hls::stream<Control>& ask, hls::stream<LinePacket>& made,
          hls::stream<LinePacket> out[T::kParts]) {
#pragma HLS inline
  static Places<T> places;
#pragma HLS array_partition variable=places type=complete dim=1
  static Trained<T> trained;
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    if (l.opcode == kProduct) {
      place<T::kTileWords>(l, places);
    }
    bands_of<T>(l.groups * sets_of(l) * l.bands, places, trained, l, in, ask, made, out, typename T::LineStorage());
  }
}

/// And of depthwise layers, whose channels and weights come before their bands.
template <class T>
void load(hls::stream<LinePacket>& weights, hls::stream<Control>& control, hls::stream<LinePacket>& in, hls::stream<Control>& ask,
          hls::stream<LinePacket>& made, hls::stream<LinePacket> out[T::kParts]) {
#pragma HLS inline
  static Places<T> places;
#pragma HLS array_partition variable=places type=complete dim=1
  static Trained<T> trained;
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    if (l.opcode == kProduct) {
      place<T::kTileWords>(l, places);
    }
    trained.take(weights, l);
    bands_of<T>(l.groups * sets_of(l) * l.bands, places, trained, l, in, ask, made, out, typename T::LineStorage());
  }
}

}  // namespace row
}  // namespace pl
}  // namespace aieloom
