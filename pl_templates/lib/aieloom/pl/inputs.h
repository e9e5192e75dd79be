// How an image comes to line buffers: each reader is a nest of counters.
//
//   lane tiles   [round][group][part][block of channels][row][step][channel][lane]         cores of a direct convolution
//   pixel tiles  [round][group][part][block of channels][block of pixels][channel][pixel]  cores of a matrix product
//   rows         [y][channel][x]                                                           tasks and kernels
//   plain        [channel][y][x]                                                           memory
//
//   ports --> reader 0 --.                               .--> writer 0
//   ports --> reader 1 ---> gather_beats --> share_beats ---> writer 1     a reader has a share of the channels
//
// II=1: a beat a cycle, the loops are one. A reader ends with an image, so that its last beats leave: a stream from
// outside may only be waited for [UG1399 2022.2, Non-Blocking API]. LUTs: the choice of a word among a reader's ports,
// and counters.
#pragma once

#include "line_buffer.h"

namespace aieloom {
namespace pl {

/// What tiles have in common: a round of all groups is a band. Traits besides those of a line buffer: kInBits,
/// kInRounds, kInGroups, kInShare (parts of the channels that a reader takes), kInTileM, kInTileRows (rows of blocks),
/// kInSteps (blocks of a row), kInBlockRows (channels of a block), kInBlockCols (its pixels). A reader passes kPassed
/// of these in a cycle.
template <class T, int kPassed>
struct TileBeats {
  static constexpr int kStride = kPassed;
  static constexpr int kTile = T::kInTileM * T::kInTileRows * T::kInSteps * T::kInBlockCols;
  static constexpr int kBandBeats = T::kInGroups * T::kInShare * kTile / (T::kTogether * kStride);
  static constexpr int kBands = T::kInRounds, kBeats = kBands * kBandBeats;
  static constexpr int beats_by(int band) { return (band + 1) * kBandBeats; }
};

/// Where a beat of a tile lies: (y, x) of its first value.
struct Pixel {
  int y;
  int x;
};

/// The lanes of a block lie kInSteps columns apart.
template <class T>
struct LaneTiles : TileBeats<T, T::kBeat> {
  static constexpr int kBandRows = T::kInGroups * T::kInTileRows, kMostRow = T::kInRounds * kBandRows - 1;
  static constexpr int high(int band) {
    return (band + 1) * kBandRows < T::kHeight ? (band + 1) * kBandRows - 1 : T::kHeight - 1;
  }
  static constexpr int reached(int band) { return high(band); }
  static Pixel place(int tile, int row, int step, int lane) {
#pragma HLS inline
    return Pixel{tile * T::kInTileRows + row, lane * T::kInSteps + step};
  }
};

/// What a reader passes of a block's row: a beat, or of an image of one pixel all in a word, for the others fill up.
template <class T>
constexpr int passed() {
  const int lanes = T::kInBits / T::In::kBits;
  return T::kHeight * T::kWidth > 1 ? T::kBeat : lanes < T::kInBlockCols ? lanes : T::kInBlockCols;
}

/// The pixels of a block are neighbours, which may go on in the next row; those of a tile too.
template <class T>
struct PixelTiles : TileBeats<T, passed<T>()> {
  static constexpr int kPixels = T::kHeight * T::kWidth, kTilePixels = T::kInSteps * T::kInBlockCols;
  static constexpr int kBandPixels = T::kInGroups * kTilePixels;
  static constexpr int kMost = T::kInRounds * kBandPixels - 1, kMostRow = kMost / T::kWidth;
  static_assert(T::kInTileRows == 1, "blocks of pixels stand in one row: kInTileRows is 1");
  static constexpr int end(int band) { return (band + 1) * kBandPixels < kPixels ? (band + 1) * kBandPixels : kPixels; }
  static constexpr int high(int band) { return end(band) / T::kWidth - 1; }
  static constexpr int reached(int band) { return (end(band) - 1) / T::kWidth; }
  static Pixel place(int tile, int, int step, int column) {
#pragma HLS inline
    const int pixel = tile * kTilePixels + step * T::kInBlockCols + column;
    const int y = quotient<T::kWidth, kMost>(pixel);
    return Pixel{y, pixel - y * T::kWidth};
  }
};

/// A row is a band.
template <class T>
struct RowBands {
  static constexpr int kBands = T::kHeight, kBandBeats = T::kSetChannels * T::kWidth / T::kBeat;
  static constexpr int kBeats = kBands * kBandBeats;
  static constexpr int beats_by(int band) { return (band + 1) * kBandBeats; }
  static constexpr int high(int band) { return band; }
  static constexpr int reached(int band) { return band; }
};

/// An image of one pixel of which no more channels come than there are: what passes over them give.
template <class T>
struct ChannelBeats {
  static constexpr int kBands = 1, kBeats = T::kChannels;
  static constexpr int beats_by(int) { return kBeats; }
  static constexpr int high(int) { return 0; }
  static constexpr int reached(int) { return 0; }
};

/// An image in plain order comes in whole, but that of one channel row by row; the last word may be filled up.
template <class T>
struct PlainImage {
  static constexpr int kValues = T::kChannels * T::kHeight * T::kWidth, kLanes = T::kInBits / T::In::kBits;
  static constexpr int kBands = T::kChannels == 1 ? T::kHeight : 1;
  static constexpr int kBeats = ceil_div(kValues, kLanes) * (kLanes / T::kBeat);
  static constexpr int beats_by(int band) { return band == kBands - 1 ? kBeats : (band + 1) * T::kWidth / T::kBeat; }
  static constexpr int high(int band) { return band == kBands - 1 ? T::kHeight - 1 : band; }
  static constexpr int reached(int band) { return high(band); }
};

/// The value of a lane that a reader passes on.
template <class T, class Word>
typename T::Element::Value value_of(const Word& word, int lane) {
#pragma HLS inline
  return T::Function::of(lane_of<typename T::In>(word, lane));
}

/// A reader's ports.
template <class T, int>
using InPort = Port<T::kInBits>;

/// Reads tiles, one core after another, at most a word a cycle.
template <class T, class Tiles, int kReader = 0, class Ports = typename NumbersBelow<T::kInGroups * T::kInShare>::Type>
struct TileReader;
template <class T, class Tiles, int kReader, int... kPorts>
struct TileReader<T, Tiles, kReader, Numbers<kPorts...>> {
  static constexpr int kBlocks = T::kInTileM / T::kInBlockRows;
  static constexpr int kRows = T::kInBlockRows / T::kTogether;     // of a block, that come one after another
  static constexpr int kAcross = T::kInBlockCols / Tiles::kStride;  // beats of such a row
  static constexpr int kLanes = T::kInBits / T::In::kBits;
  static constexpr int kWordBeats = kLanes / (Tiles::kStride * T::kTogether);
  static_assert(kWordBeats * Tiles::kStride * T::kTogether == kLanes,
      "a word is whole beats: change kBeat or kTogether");
  static_assert(T::kBeat <= Tiles::kStride && is_power_of_two(kAcross), "a beat is a part of a block's row");
  static_assert(T::kTogether == 1 || kLanes % T::kInBlockCols == 0, "a word is kTogether rows of a block, or more");
  static_assert(T::kInBlockRows % T::kTogether == 0, "a block is whole beats of kTogether channels: change kTogether");
  static_assert(T::kInTileM % T::kInBlockRows == 0, "a tile is whole blocks: change kInTileM");
  static_assert(kBlocks * kRows * T::kInShare == T::kSetChannels, "a way brings a reader's channels: kSetChannels");

  static void run(InPort<T, kPorts>&... in, hls::stream<Beat<T, T::kTogether>>& beats) {
    Axis<T::kInBits> word;
    Counter<kWordBeats> part_of_word;
    for (int round = 0; round < T::kInRounds; ++round) {
      for (int group = 0; group < T::kInGroups; ++group) {
        for (int part = 0; part < T::kInShare; ++part) {
          for (int block = 0; block < kBlocks; ++block) {
            for (int line = 0; line < T::kInTileRows; ++line) {
              for (int step = 0; step < T::kInSteps; ++step) {
                for (int row = 0; row < kRows; ++row) {
                  for (int across = 0; across < kAcross; ++across) {
#pragma HLS pipeline II=1
                    if (part_of_word == 0) {
                      word = read_of(group * T::kInShare + part, in...);
                    }
                    const Pixel pixel = Tiles::place(round * T::kInGroups + group, line, step, across * Tiles::kStride);
                    const int number = (part * kBlocks + block) * kRows + row;
                    const bool inside = pixel.y < T::kHeight && pixel.x < T::kWidth;
                    Beat<T, T::kTogether> beat;
                    for (int way = 0; way < T::kTogether; ++way) {
#pragma HLS unroll
                      const int channel = part_of_word / kAcross * T::kTogether + way;  // of those in the word
                      const int first = channel * T::kInBlockCols + part_of_word % kAcross * Tiles::kStride;
                      for (int i = 0; i < T::kBeat; ++i) {
#pragma HLS unroll
                        beat.value[way][i] = value_of<T>(word, first + i);
                      }
                      beat.keep[way] = inside && channel_of<T>(kReader * T::kTogether + way, number) < T::kChannels;
                    }
                    beat.row = beat_row<T, Tiles::kMostRow>(pixel.y);
                    beat.number = number;
                    beat.column = pixel.x;
                    beats.write(beat);
                    part_of_word.step();
                  }
                }
              }
            }
          }
        }
      }
    }
  }
};

/// Puts a beat of each reader together.
template <class T, class Tiles>
void gather_beats(hls::stream<Beat<T, T::kTogether>> came[T::kReaders], hls::stream<Beat<T>>& beats) {
  for (int i = 0; i < Tiles::kBeats; ++i) {
#pragma HLS pipeline II=1
    Beat<T> beat;
    for (int reader = 0; reader < T::kReaders; ++reader) {
#pragma HLS unroll
      const Beat<T, T::kTogether> share = came[reader].read();
      for (int way = 0; way < T::kTogether; ++way) {
#pragma HLS unroll
        for (int lane = 0; lane < T::kBeat; ++lane) {
#pragma HLS unroll
          beat.value[reader * T::kTogether + way][lane] = share.value[way][lane];
        }
        beat.keep[reader * T::kTogether + way] = share.keep[way];
      }
      beat.row = share.row;  // that of all readers
      beat.number = share.number;
      beat.column = share.column;
    }
    beats.write(beat);
  }
}

/// Gives each of an image's beats to every writer.
template <class T, class Input>
void share_beats(hls::stream<Beat<T>>& beats, hls::stream<Beat<T>> shared[T::kWriters]) {
  for (int i = 0; i < Input::kBeats; ++i) {
#pragma HLS pipeline II=1
    const Beat<T> beat = beats.read();
    for (int writer = 0; writer < T::kWriters; ++writer) {
#pragma HLS unroll
      shared[writer].write(beat);
    }
  }
}

/// A part of a word of one channel as a beat.
template <class T, class Word>
Beat<T> part_of(const Word& word, int part, int row, int channel, int column, bool keep) {
#pragma HLS inline
  static_assert(T::kReaders == 1 && T::kTogether == 1,
      "a word has values of one channel: kReaders and kTogether are 1");
  static_assert(T::kInBits % (T::kBeat * T::In::kBits) == 0 && T::kWidth % T::kBeat == 0,
      "a word and a row are whole beats");
  Beat<T> beat;
  for (int i = 0; i < T::kBeat; ++i) {
#pragma HLS unroll
    beat.value[0][i] = value_of<T>(word, part * T::kBeat + i);
  }
  beat.keep[0] = keep;
  beat.row = beat_row<T>(row);
  beat.number = channel;
  beat.column = column;
  return beat;
}

/// Reads rows.
template <class T, class Word = Row<T::kInBits>>
void read_rows(hls::stream<Word>& rows, hls::stream<Beat<T>>& beats) {
  constexpr int kLanes = T::kInBits / T::In::kBits;
  constexpr int kParts = kLanes / T::kBeat;
  static_assert(T::kWidth % kLanes == 0, "a word is a part of one row");
  Word word;
  for (int y = 0; y < T::kHeight; ++y) {
    for (int channel = 0; channel < T::kChannels; ++channel) {
      for (int across = 0; across < T::kWidth / kLanes; ++across) {
        for (int part = 0; part < kParts; ++part) {
#pragma HLS pipeline II=1
          if (part == 0) {
            word = rows.read();
          }
          beats.write(part_of<T>(word, part, y, channel, across * kLanes + part * T::kBeat, true));
        }
      }
    }
  }
}

/// Reads an image in plain order.
template <class T>
void read_image(Port<T::kInBits>& in, hls::stream<Beat<T>>& beats) {
  using Image = PlainImage<T>;
  static_assert(T::kChannels == 1 || beat_rows<T>() >= T::kHeight,
      "an image comes in whole: the ring has all its rows");
  Axis<T::kInBits> word;
  Counter<Image::kLanes / T::kBeat> part;
  Counter<T::kWidth / T::kBeat> across;
  Counter<T::kHeight> y;
  Counter<T::kChannels> channel;
  for (int i = 0; i < Image::kBeats; ++i) {
#pragma HLS pipeline II=1
    if (part == 0) {
      word = in.read();
    }
    beats.write(part_of<T>(word, part, y, channel, across * T::kBeat, i < Image::kValues / T::kBeat));
    part.step();
    if (across.step() && y.step()) {
      channel.step();
    }
  }
}

}  // namespace pl
}  // namespace aieloom
