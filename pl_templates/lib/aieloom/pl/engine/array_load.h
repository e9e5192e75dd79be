// The inputs of a row of chains of an engine on the array: bands of images as windows, mmul by mmul.
//
//   x --> load_band: rows of a band, once for each part of K --> send_tiles --> out, a stream for each part of K
//
// While a band is sent the next one is loaded. II: a word a cycle loaded; kPackets cycles for the kBlockM pixels of a word of K. Cost: kParts x
// kLineWords words, the places of a window's words, registers for the corners of kBlockM pixels.
#pragma once

#include <cstdint>

#include "../storage.h"
#include "../words.h"
#include "array_layer.h"
#include "places.h"
#include "values.h"

namespace aieloom {
namespace pl {
namespace array {

using Packet = Axis<128>;

/// What follows from the traits: kBits of an element, kRowBits of a pixel's channels in an mmul of kBlockM pixels, kRows of chains, kParts of K, kTileM pixels
/// and kTileWords of K of a core's tile, kTailWords that say whether a pass is the last, kLineWords and kCacheWords of a part of K.
template <class T>
struct LoadOf {
  using Bits = ap_uint<kLanes * T::kBits>;  // kLanes channels of a pixel
  using Lines = Bits[T::kParts][T::kLineWords];
  static constexpr int kRowsOfPacket = 128 / T::kRowBits;                          // pixels of an mmul in a stream word
  static constexpr int kPackets = T::kBlockM * kLanes * T::kBits / 128;            // of a word of an mmul's pixels
  static constexpr int kSteps = T::kTileM / T::kBlockM * T::kTileWords + 1;        // of a pass: its mmuls, and what tells whether it is the last
  static constexpr int kPlaces = T::kCacheWords / T::kWeightWords * T::kTileWords;  // of a part of K: of as many passes as there are weights for
  static_assert(T::kTileM % T::kBlockM == 0, "a tile has whole mmuls of pixels");
  static_assert(T::kBlockM % kRowsOfPacket == 0, "an mmul's pixels fill whole stream words");
  static_assert(T::kTailWords <= kPackets, "a turn of the loop that sends tiles has room for what tells whether a pass is the last");
};

/// A band of a group's set of tiles, in the order in which they are loaded and sent.
template <class T>
struct Turn {
  int set, round;

  int band(int unit) const { return round * T::kRows + unit; }

  void next(const Layer& l) {
    ++round;
    if (round == rounds_of(l, T::kRows)) {
      round = 0;
      ++set;
    }
  }
};

/// Reads the rows that a band's windows see.
template <class T>
void load_band(const typename LoadOf<T>::Bits* x, const Layer& l, int unit, int number, typename LoadOf<T>::Lines& lines) {
  static Turn<T> turn;
  if (number == 0) {
    turn = {};
  }
  const int group = turn.set / sets_of(l);
  const int band = turn.band(unit);
  const int image = band / l.bands;
  const int first = band % l.bands * l.rows * l.stride_y - l.top;
  const int rows = pixels_of(l, band) > 0 ? (l.rows - 1) * l.stride_y + l.kernel_y : 0;
  for (int r = 0; r < rows; ++r) {
    const bool inside = 0 <= first + r && first + r < l.height;
    const std::int64_t from = l.x_at + (static_cast<std::int64_t>(image) * l.height + first + r) * l.width * l.words + group * l.tap_words;
    for (int column = 0; column < (inside ? l.width : 0); ++column) {
      for (int j = 0; j < l.tap_words; ++j) {
#pragma HLS pipeline II=1
        const typename LoadOf<T>::Bits word = x[from + static_cast<std::int64_t>(column) * l.words + j];
        for (int part = 0; part < T::kParts; ++part) {
#pragma HLS unroll
          lines[part][(r * l.width + column) * l.tap_words + j] = word;
        }
      }
    }
  }
  turn.next(l);
}

/// Sends a band's tiles: for each block of pixels and pass over K one to every part, mmul by mmul, and whether it is the last. One loop goes
/// over all of them, so that it never drains; corners of an mmul's pixels are kept with counters.
template <class T>
void send_band(const typename LoadOf<T>::Lines& lines, const WindowWord (&places)[T::kParts][LoadOf<T>::kPlaces], const Layer& l, int band,
               hls::stream<Packet> out[T::kParts]) {
  using Bits = typename LoadOf<T>::Bits;
  constexpr int kBlockM = T::kBlockM;
  constexpr int kPackets = LoadOf<T>::kPackets;
  constexpr int kSteps = LoadOf<T>::kSteps;
  constexpr int kRowsOfPacket = LoadOf<T>::kRowsOfPacket;
  Bits outside;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    outside.range(T::kBits * i + T::kBits - 1, T::kBits * i) = ap_uint<T::kBits>(l.outside);
  }
  const int pixels = pixels_of(l, band);
  const int first = band % l.bands * l.rows * l.stride_y - l.top;
  const int turns = blocks_of(l, 0, T::kTileM) * l.passes * kSteps;
  Corner begins[kBlockM];  // of the block
  Corner corners[kBlockM];
#pragma HLS array_partition variable=begins type=complete
#pragma HLS array_partition variable=corners type=complete
  int rows = 0;  // from a pixel to the one kBlockM behind it
  int columns = 0;
  for (int i = 0; i < kBlockM; ++i) {
#pragma HLS unroll
    begins[i] = corners[i] = {rows * l.stride_y, columns * l.stride_x - l.left};
    ++columns;
    if (columns == l.out_width) {
      columns = 0;
      ++rows;
    }
  }
  const int down = rows * l.stride_y;
  const int right = columns * l.stride_x;
  const int back = (l.out_width - columns) * l.stride_x;
  const int wraps_at = back - l.left;
  int begin = 0;  // pixel of the block
  int pixel = 0;
  int pass = 0;
  int step = 0;
  int k = 0;
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS pipeline II=kPackets
    const bool ends = step == kSteps - 1;
    const bool last = pass == l.passes - 1;
    for (int part = 0; part < T::kParts; ++part) {
#pragma HLS unroll
      const WindowWord place = places[part][pass * T::kTileWords + k];
      Bits seen[kBlockM];
      for (int i = 0; i < kBlockM; ++i) {
#pragma HLS unroll
        const int row = corners[i].row + place.dy;
        const int column = corners[i].column + place.dx;
        const bool inside = pixel + i < pixels && 0 <= first + row && first + row < l.height && 0 <= column && column < l.width;
        seen[i] = inside ? lines[part][(corners[i].row * l.width + corners[i].column) * l.tap_words + place.offset] : outside;
      }
      for (int i = 0; i < kPackets; ++i) {
#pragma HLS unroll
        const int channels = i / (kBlockM / kRowsOfPacket) * T::kRowBits;
        const int from = i % (kBlockM / kRowsOfPacket) * kRowsOfPacket;
        Packet packet;
        if (ends) {
          packet.data = last ? 1 : 0;
        } else {
          for (int row = 0; row < kRowsOfPacket; ++row) {
#pragma HLS unroll
            packet.data.range(T::kRowBits * row + T::kRowBits - 1, T::kRowBits * row) = seen[from + row].range(channels + T::kRowBits - 1, channels);
          }
        }
        packet.keep = -1;
        packet.last = ends && i == T::kTailWords - 1;
        if (i < (ends ? T::kTailWords : kPackets)) {
          out[part].write(packet);
        }
      }
    }
    const bool ends_mmul = k == T::kTileWords - 1 && !ends;
    for (int i = 0; i < kBlockM; ++i) {
#pragma HLS unroll
      const bool wraps = corners[i].column >= wraps_at;
      const Corner next = {corners[i].row + down + (wraps ? l.stride_y : 0), wraps ? corners[i].column - back : corners[i].column + right};
      const Corner kept = ends ? (last ? corners[i] : begins[i]) : ends_mmul ? next : corners[i];
      begins[i] = ends && last ? corners[i] : begins[i];
      corners[i] = kept;
    }
    pixel = ends ? (last ? begin + T::kTileM : begin) : ends_mmul ? pixel + kBlockM : pixel;
    begin = ends && last ? begin + T::kTileM : begin;
    k = ends || ends_mmul ? 0 : k + 1;
    step = ends ? 0 : step + 1;
    pass = !ends ? pass : last ? 0 : pass + 1;
  }
}

/// Sends a band's tiles once for every tile of output channels of its set.
template <class T>
void send_tiles(const typename LoadOf<T>::Lines& lines, const WindowWord (&places)[T::kParts][LoadOf<T>::kPlaces], const Layer& l, int unit, int number,
                hls::stream<Packet> out[T::kParts]) {
  static Turn<T> turn;
  if (number == 0) {
    turn = {};
  }
  const int tiles = tiles_of(l, turn.set % sets_of(l));
  for (int tile = 0; tile < tiles; ++tile) {
    send_band<T>(lines, places, l, turn.band(unit), out);
  }
  turn.next(l);
}

/// All bands of a layer, for each set of tiles: while one is sent the next one is loaded. Nothing but calls stands in the loop and nothing
/// but the loop in the function, which is the form that it must have [UG1399 Canonical Body]; a call knows by its number that the layer begins.
/// A pragma takes no type: one function for each memory that lines may lie in.
template <class T>
void bands_of(int turns, const typename LoadOf<T>::Bits* x, const WindowWord (&places)[T::kParts][LoadOf<T>::kPlaces], const Layer& l, int unit,
              hls::stream<Packet> out[T::kParts], Uram) {
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS dataflow
    typename LoadOf<T>::Lines in_uram;
#pragma HLS array_partition variable=in_uram type=complete dim=1
#pragma HLS bind_storage variable=in_uram type=ram_s2p impl=uram
    load_band<T>(x, l, unit, turn, in_uram);
    send_tiles<T>(in_uram, places, l, unit, turn, out);
  }
}
template <class T>
void bands_of(int turns, const typename LoadOf<T>::Bits* x, const WindowWord (&places)[T::kParts][LoadOf<T>::kPlaces], const Layer& l, int unit,
              hls::stream<Packet> out[T::kParts], Bram) {
  for (int turn = 0; turn < turns; ++turn) {
#pragma HLS dataflow
    typename LoadOf<T>::Lines in_bram;
#pragma HLS array_partition variable=in_bram type=complete dim=1
#pragma HLS bind_storage variable=in_bram type=ram_s2p impl=bram
    load_band<T>(x, l, unit, turn, in_bram);
    send_tiles<T>(in_bram, places, l, unit, turn, out);
  }
}

/// The inputs of row `unit` of chains, product after product: x lies in device memory pixel by pixel, kLanes channels in a word.
template <class T>
void load(const typename LoadOf<T>::Bits* x, int unit, hls::stream<Control>& control, hls::stream<Packet> out[T::kParts]) {
#pragma HLS inline
  static WindowWord places[T::kParts][LoadOf<T>::kPlaces];
#pragma HLS array_partition variable=places type=complete dim=1
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    place<T::kTileWords>(l, places);
    bands_of<T>(l.groups * sets_of(l) * rounds_of(l, T::kRows), x, places, l, unit, out, typename T::LineStorage());
  }
}

}  // namespace array
}  // namespace pl
}  // namespace aieloom
