// Movers of images that are worked on in tiles: a mover reads tiles with their halos, the other puts their results together.
//
//   image  | tile (0,0) ..|..          tiles kRowStep and kColumnStep apart; the last ones end with the image
//          |      ..| tile (0,1)       inner sides of results that see beyond their tile (kRowsBefore, kColumnsBefore) are left out
//
// II=1 of memory words; a row of a tile is a burst. Of `copies` such kernels each takes every such tile, from tile `first` on; all
// take as many: the last tile again if need be. BRAM: the bursts, and a row of a tile's result.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

/// Where the tile of this number lies along an axis: the last one ends with the image.
inline int place_of_tile(int number, int step, int last) {
#pragma HLS inline
  return number * step < last ? number * step : last;
}

/// A tile of a number. Traits: kRows, kColumns (of tiles), kRowStep, kLastRow, kColumnStep, kLastColumn.
template <class T>
struct Tile {
  int image, row, column, top, left;
  explicit Tile(int number)
      : image(number / (T::kRows * T::kColumns)),
        row(number / T::kColumns % T::kRows),
        column(number % T::kColumns),
        top(place_of_tile(row, T::kRowStep, T::kLastRow)),
        left(place_of_tile(column, T::kColumnStep, T::kLastColumn)) {}

  /// Where row `y` of a channel begins in memory. Traits: kChannels, kHeight, kRowBeats of the image, kMemoryBits, kElementBits.
  std::int64_t row_at(int channel, int y) const {
#pragma HLS inline
    const std::int64_t place = (static_cast<std::int64_t>(image) * T::kChannels + channel) * T::kHeight + top + y;
    return place * T::kRowBeats + left / (T::kMemoryBits / T::kElementBits);
  }
};

/// Memory to stream: the tiles of `images` images, each in plain order, channel, row, column. Traits besides those of a tile:
/// kBits, kTileHeight, kTileBeats of a row, kTileWords.
template <class T>
void memory_to_tiles(const ap_uint<T::kMemoryBits>* memory, int images, int first, int copies, Port<T::kBits>& out) {
#pragma HLS inline
  constexpr int kWordBeats = T::kBits / T::kMemoryBits;
  const int tiles = images * T::kRows * T::kColumns;
  for (int begin = 0; begin < tiles; begin += copies) {
    const Tile<T> tile(begin + first < tiles ? begin + first : tiles - 1);
    Axis<T::kBits> word;
    word.data = 0;
    word.keep = -1;
    word.last = false;
    int beats = 0;  // in the word
    int words = 0;
    for (int channel = 0; channel < T::kChannels; ++channel) {
      for (int y = 0; y < T::kTileHeight; ++y) {
        const std::int64_t from = tile.row_at(channel, y);
        for (int x = 0; x < T::kTileBeats; ++x) {
#pragma HLS pipeline II=1
          word.data.range(T::kMemoryBits * beats + T::kMemoryBits - 1, T::kMemoryBits * beats) = memory[from + x];
          beats = beats == kWordBeats - 1 ? 0 : beats + 1;
          if (beats == 0) {
            ++words;
            word.last = words == T::kTileWords;
            out.write(word);
          }
        }
      }
    }
    if (beats != 0) {  // the last word is filled up with zeros
      word.data.range(T::kBits - 1, T::kMemoryBits * beats) = 0;
      word.last = true;
      out.write(word);
    }
  }
}

/// The first of a tile's results along an axis that it writes: at an inner side those that see beyond it are wrong.
inline int first_written(int number, int before) {
#pragma HLS inline
  return number == 0 ? 0 : before;
}

/// The end of those that it writes: where the next tile begins to write, or its own end.
inline int end_written(int number, int count, int step, int last, int before, int size) {
#pragma HLS inline
  return number == count - 1 ? size : place_of_tile(number + 1, step, last) - place_of_tile(number, step, last) + before;
}

/// Stream to memory: the tiles' results, each in plain order, put together to `images` images. Traits besides those of a tile:
/// kBits, kTileHeight, kTileBeats, kRowsBefore, kColumnsBefore.
template <class T>
void tiles_to_memory(ap_uint<T::kMemoryBits>* memory, int images, int first, int copies, Port<T::kBits>& in) {
#pragma HLS inline
  constexpr int kWordBeats = T::kBits / T::kMemoryBits, kValues = T::kMemoryBits / T::kElementBits;
  const int tiles = images * T::kRows * T::kColumns;
  ap_uint<T::kMemoryBits> line[T::kTileBeats];
  for (int begin = 0; begin < tiles; begin += copies) {
    const Tile<T> tile(begin + first < tiles ? begin + first : tiles - 1);
    const int first_row = first_written(tile.row, T::kRowsBefore);
    const int end_row = end_written(tile.row, T::kRows, T::kRowStep, T::kLastRow, T::kRowsBefore, T::kTileHeight);
    const int first_beat = first_written(tile.column, T::kColumnsBefore) / kValues;
    const int end_beat =
        end_written(tile.column, T::kColumns, T::kColumnStep, T::kLastColumn, T::kColumnsBefore, T::kTileBeats * kValues) / kValues;
    Axis<T::kBits> word;
    int beats = 0;  // taken of the word
    for (int channel = 0; channel < T::kChannels; ++channel) {
      for (int y = 0; y < T::kTileHeight; ++y) {
        for (int x = 0; x < T::kTileBeats; ++x) {
#pragma HLS pipeline II=1
          if (beats == 0) {
            word = in.read();
          }
          line[x] = word.data.range(T::kMemoryBits * beats + T::kMemoryBits - 1, T::kMemoryBits * beats);
          beats = beats == kWordBeats - 1 ? 0 : beats + 1;
        }
        if (first_row <= y && y < end_row) {
          const std::int64_t to = tile.row_at(channel, y);
          for (int x = first_beat; x < end_beat; ++x) {
#pragma HLS pipeline II=1
            memory[to + x] = line[x];
          }
        }
      }
    }
  }
}

}  // namespace pl
}  // namespace aieloom
