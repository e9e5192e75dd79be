// How an image comes to line buffers: each reader is a nest of counters, so that no index is divided.
//
//   lane tiles  [round][group][part][block of channels][row][step][channel][lane]   what cores of a direct convolution send
//   rows        [y][channel][x]                                                      between tasks
//   image       [channel][y][x]                                                      from memory
//
//   ports --> reader 0 --.                .--> writer 0
//   ports --> reader 1 ---> gather_beats ---> writer 1      each reader has a share of the channels' parts
//
// II=1: a beat a cycle, the loops are one. A reader ends with an image, so that its last beats leave: a stream from outside may
// only be waited for [UG1399 2022.2, Non-Blocking API]. LUTs: the choice of a word among a reader's ports, and counters.
#pragma once

#include "line_buffer.h"

namespace aieloom {
namespace pl {

/// The bands of rows in which lane tiles come: a round of all groups is one.
template <class T>
struct LaneTiles {
  static constexpr int kBands = T::kInRounds, kBandRows = T::kInGroups * T::kInTileRows;
  static constexpr int kBandBeats = T::kInGroups * T::kInShare * T::kInTileRows * T::kInTileM * T::kBeatApart / T::kTogether;
  static constexpr int high(int band) { return (band + 1) * kBandRows < T::kHeight ? (band + 1) * kBandRows - 1 : T::kHeight - 1; }
};

/// A row is a band.
template <class T>
struct RowBands {
  static constexpr int kBands = T::kHeight, kBandBeats = T::kChannels * T::kWidth / T::kBeat;
  static constexpr int high(int band) { return band; }
};

/// An image comes in whole.
template <class T>
struct WholeImage {
  static constexpr int kBands = 1, kBandBeats = T::kChannels * T::kHeight * T::kWidth / T::kBeat;
  static constexpr int high(int) { return T::kHeight - 1; }
};

/// The numbers below `kCount`, which stand for a reader's ports.
template <int... kNumbers>
struct Numbers {};
template <int kCount, int... kNumbers>
struct NumbersBelow : NumbersBelow<kCount - 1, kCount - 1, kNumbers...> {};
template <int... kNumbers>
struct NumbersBelow<0, kNumbers...> {
  using Type = Numbers<kNumbers...>;
};
template <class T, int>
using InPort = Port<T::kInBits>;

/// Reads tiles of a direct convolution's cores, one core after another, a word (some rows of a block) a cycle. Traits besides
/// those of a line buffer: kInBits, kInRounds, kInGroups, kInShare (parts of the channels that a reader takes), kInTileM,
/// kInTileRows, kInBlockRows.
template <class T, int kReader = 0, class Ports = typename NumbersBelow<T::kInGroups * T::kInShare>::Type>
struct LaneTileReader;
template <class T, int kReader, int... kPorts>
struct LaneTileReader<T, kReader, Numbers<kPorts...>> {
  static constexpr int kBlocks = T::kInTileM / T::kInBlockRows;
  static constexpr int kWords = T::kInBlockRows / T::kTogether;  // of a block
  static constexpr int kSteps = T::kBeatApart;                   // columns from one lane to the next
  static_assert(T::kInBits == T::kTogether * T::kBeat * T::Element::kBits, "a word is kTogether rows of a block, of kBeat lanes");
  static_assert(T::kInBlockRows % T::kTogether == 0, "a block is whole words: change kTogether");
  static_assert(T::kInTileM % T::kInBlockRows == 0, "a tile is whole blocks: change kInTileM");
  static_assert(kBlocks * kWords * T::kInShare == T::kSetChannels, "a way brings a reader's channels: kSetChannels");
  static_assert(T::kInTileRows <= beat_rows<T>(), "a tile's rows have places: give the ring more kRows");
  static_assert(Ring<T>::serves(T::kBeat, T::kBeatApart, 0, kSteps, 1),
                "two values of a beat lie in one bank: change kStep, kSkew or kBanks");

  static void run(InPort<T, kPorts>&... in, hls::stream<Beat<T, T::kTogether>>& beats) {
    ap_uint<bits_for(beat_rows<T>())> first = 0;  // the row, of beat_rows, that is the tile's first
    for (int round = 0; round < T::kInRounds; ++round) {
      for (int group = 0; group < T::kInGroups; ++group) {
        for (int part = 0; part < T::kInShare; ++part) {
          for (int block = 0; block < kBlocks; ++block) {
            for (int row = 0; row < T::kInTileRows; ++row) {
              for (int step = 0; step < kSteps; ++step) {
                for (int w = 0; w < kWords; ++w) {
#pragma HLS pipeline II=1
                  const Axis<T::kInBits> word = read_of(group * T::kInShare + part, in...);
                  const int number = (part * kBlocks + block) * kWords + w;
                  const int y = (round * T::kInGroups + group) * T::kInTileRows + row;
                  Beat<T, T::kTogether> beat;
                  for (int way = 0; way < T::kTogether; ++way) {
#pragma HLS unroll
                    for (int lane = 0; lane < T::kBeat; ++lane) {
#pragma HLS unroll
                      beat.value[way][lane] = lane_of<typename T::Element>(word, way * T::kBeat + lane);
                    }
                    const int channel = (kReader * T::kSetChannels + number) * T::kTogether + way;
                    beat.keep[way] = channel < T::kChannels && y < T::kHeight;
                  }
                  beat.row = in_ring<beat_rows<T>()>(first, row);
                  beat.number = number;
                  beat.column = step;
                  beats.write(beat);
                  const bool tile_ends = block == kBlocks - 1 && row == T::kInTileRows - 1 && step == kSteps - 1 && w == kWords - 1;
                  first = in_ring<beat_rows<T>()>(first, tile_ends && part == T::kInShare - 1 ? T::kInTileRows : 0);
                }
              }
            }
          }
        }
      }
    }
  }
};

/// Puts a beat of each reader together and gives that to every writer.
template <class T>
void gather_beats(hls::stream<Beat<T, T::kTogether>> came[T::kReaders], hls::stream<Beat<T>> beats[T::kOutGroups]) {
  for (int i = 0; i < LaneTiles<T>::kBands * LaneTiles<T>::kBandBeats; ++i) {
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
    for (int writer = 0; writer < T::kOutGroups; ++writer) {
#pragma HLS unroll
      beats[writer].write(beat);
    }
  }
}

/// Gives every writer a beat that is a whole word, of one channel.
template <class T, class Word>
void give_word(const Word& word, int row, int channel, int across, hls::stream<Beat<T>> beats[T::kOutGroups]) {
#pragma HLS inline
  static_assert(T::kReaders == 1 && T::kTogether == 1, "a word has values of one channel: kReaders and kTogether are 1");
  static_assert(T::kInBits == T::kBeat * T::Element::kBits && T::kBeatApart == 1, "a beat is a whole word of neighbours");
  static_assert(T::kWidth % T::kBeat == 0, "a beat is a part of one row");
  static_assert(Ring<T>::serves(T::kBeat, 1, 0, T::kWidth, T::kBeat),
                "two values of a beat lie in one bank: change kStep, kSkew or kBanks");
  Beat<T> beat;
  for (int i = 0; i < T::kBeat; ++i) {
#pragma HLS unroll
    beat.value[0][i] = lane_of<typename T::Element>(word, i);
  }
  beat.keep[0] = true;
  beat.row = row;
  beat.number = channel;
  beat.column = across * T::kBeat;
  for (int writer = 0; writer < T::kOutGroups; ++writer) {
#pragma HLS unroll
    beats[writer].write(beat);
  }
}

/// Reads rows between tasks, and gives each beat to every writer.
template <class T>
void share_rows(hls::stream<Row<T::kInBits>>& rows, hls::stream<Beat<T>> beats[T::kOutGroups]) {
  constexpr int kAcross = T::kWidth / T::kBeat;
  ap_uint<bits_for(beat_rows<T>())> row = 0;
  for (int y = 0; y < T::kHeight; ++y) {
    for (int channel = 0; channel < T::kChannels; ++channel) {
      for (int across = 0; across < kAcross; ++across) {
#pragma HLS pipeline II=1
        give_word<T>(rows.read(), row, channel, across, beats);
        row = in_ring<beat_rows<T>()>(row, channel == T::kChannels - 1 && across == kAcross - 1 ? 1 : 0);
      }
    }
  }
}

/// Reads an image in plain order, and gives each beat to every writer.
template <class T>
void share_image(Port<T::kInBits>& in, hls::stream<Beat<T>> beats[T::kOutGroups]) {
  constexpr int kAcross = T::kWidth / T::kBeat;
  static_assert(beat_rows<T>() >= T::kHeight, "an image comes in whole: the ring has all its rows");
  for (int channel = 0; channel < T::kChannels; ++channel) {
    for (int y = 0; y < T::kHeight; ++y) {
      for (int across = 0; across < kAcross; ++across) {
#pragma HLS pipeline II=1
        give_word<T>(in.read(), y, channel, across, beats);
      }
    }
  }
}

}  // namespace pl
}  // namespace aieloom
