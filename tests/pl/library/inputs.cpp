// Readers: each beat has the values, and the place, that the order of what comes says.
#include "inputs.h"

using namespace aieloom::pl;

int value_at(int channel, int y, int x) { return (channel * 37 + y * 11 + x * 5) % 251 - 125; }

// Two groups of cores, four parts of the channels, of which each of two readers has two; the last tile ends below the
// image.
struct Tiles : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 16, kHeight = 7, kWidth = 8;
  static constexpr int kInBits = 64, kInRounds = 2, kInGroups = 2, kInShare = 2, kInTileM = 4, kInTileRows = 2,
      kInBlockRows = 4;
  static constexpr int kInSteps = 2, kInBlockCols = 4;
  static constexpr int kReaders = 2, kTogether = 2, kSetChannels = 4, kBeat = 4, kBeatApart = 2;
  static constexpr int kRows = 6, kBanks = 4, kStep = 2, kWriters = 3;
  static constexpr int kOutBits = 64, kPixels = 4, kWordApart = 2;
};
static_assert(LaneTiles<Tiles>::kBands == 2 && LaneTiles<Tiles>::high(0) == 3 && LaneTiles<Tiles>::high(1) == 6,
    "bands");

struct Plain : Tiles {  // words of 4 neighbours
  static constexpr int kInBits = 32, kReaders = 1, kTogether = 1, kSetChannels = 16, kBeatApart = 1, kStep = 1;
  static constexpr int kRows = 7, kOutBits = 32, kWordApart = 1;
};

template <class T, class Beats>
bool is(const Beats& beat, int way, int channel, int y, int column, int row) {
  for (int i = 0; i < T::kBeat; ++i) {
    if (beat.value[way][i] != value_at(channel, y, column + i * T::kBeatApart)) {
      return false;
    }
  }
  return beat.row == row && beat.column == column && beat.keep[way];
}

int tiles() {
  static Port<64> in[8];  // [group][part]
  for (int round = 0; round < 2; ++round) {
    for (int group = 0; group < 2; ++group) {
      for (int part = 0; part < 4; ++part) {
        for (int row = 0; row < 2; ++row) {
          for (int step = 0; step < 2; ++step) {
            for (int channel = 0; channel < 4; channel += 2) {
              Axis<64> word;
              for (int i = 0; i < 8; ++i) {
                const int y = (round * 2 + group) * 2 + row;
                put_lane<Int8>(word, i,
                    static_cast<std::int8_t>(value_at(part * 4 + channel + i / 4, y, i % 4 * 2 + step)));
              }
              in[group * 4 + part].write(word);
            }
          }
        }
      }
    }
  }
  static hls::stream<Beat<Tiles, 2>> came[2];
  static hls::stream<Beat<Tiles>> gathered;
  static hls::stream<Beat<Tiles>> beats[3];
  TileReader<Tiles, LaneTiles<Tiles>, 0>::run(in[0], in[1], in[4], in[5], came[0]);
  TileReader<Tiles, LaneTiles<Tiles>, 1>::run(in[2], in[3], in[6], in[7], came[1]);
  gather_beats<Tiles, LaneTiles<Tiles>>(came, gathered);
  share_beats<Tiles, LaneTiles<Tiles>>(gathered, beats);
  for (auto& queue : beats) {
    for (int tile = 0; tile < 4; ++tile) {
      for (int part = 0; part < 2; ++part) {
        for (int row = 0; row < 2; ++row) {
          for (int step = 0; step < 2; ++step) {
            for (int pair = 0; pair < 2; ++pair) {
              const Beat<Tiles> beat = queue.read();
              const int y = tile * 2 + row;
              if (beat.number != part * 2 + pair) {
                return 1;
              }
              for (int way = 0; way < 4; ++way) {
                const int channel = way / 2 * 8 + part * 4 + pair * 2 + way % 2;
                if (y < 7 ? !is<Tiles>(beat, way, channel, y, step, y % 6) : beat.keep[way]) {
                  return 2;
                }
              }
            }
          }
        }
      }
    }
    if (!queue.empty()) {
      return 3;
    }
  }
  return 0;
}

int rows_and_images() {
  static hls::stream<Row<32>> rows;
  static Port<32> port;
  static hls::stream<Beat<Plain>> of_rows, of_image;
  for (int i = 0; i < 7 * 16 * 2; ++i) {
    Row<32> row;
    Axis<32> word;
    for (int lane = 0; lane < 4; ++lane) {
      put_lane<Int8>(row, lane, static_cast<std::int8_t>(value_at(i / 2 % 16, i / 32, i % 2 * 4 + lane)));
      put_lane<Int8>(word, lane, static_cast<std::int8_t>(value_at(i / 14, i / 2 % 7, i % 2 * 4 + lane)));
    }
    rows.write(row);
    port.write(word);
  }
  read_rows<Plain>(rows, of_rows);
  read_image<Plain>(port, of_image);
  for (int i = 0; i < 7 * 16 * 2; ++i) {
    const Beat<Plain> a = of_rows.read(), b = of_image.read();
    if (a.number != i / 2 % 16 || !is<Plain>(a, 0, i / 2 % 16, i / 32, i % 2 * 4, i / 32)) {
      return 4;
    }
    if (b.number != i / 14 || !is<Plain>(b, 0, i / 14, i / 2 % 7, i % 2 * 4, i / 2 % 7)) {
      return 5;
    }
  }
  return of_rows.empty() && of_image.empty() ? 0 : 6;
}

// Blocks of 2 channels and 4 pixels of an image 5 wide, so that they go on in the next row; 16 bits, a function of each
// value; a word is two channels' pixels. 3 tiles of 8 pixels, the last of which ends beyond the image of 20.
struct Twice {
  static std::int16_t of(std::int16_t value) { return static_cast<std::int16_t>(2 * value); }
};
struct Pixels : Elements<Int16, Twice>, LineTraits {
  static constexpr int kChannels = 4, kHeight = 4, kWidth = 5, kBeat = 1, kSetChannels = 4;
  static constexpr int kInBits = 64, kInRounds = 3, kInGroups = 1, kInShare = 1, kInTileM = 4, kInTileRows = 1,
      kInSteps = 2;
  static constexpr int kInBlockRows = 2, kInBlockCols = 4, kRows = 3, kBanks = 1, kOutBits = 16, kPixels = 1;
};
using Blocks = PixelTiles<Pixels>;
static_assert(Blocks::kBands == 3 && Blocks::kBeats == 96 && Blocks::beats_by(0) == 32,
    "a beat for each value of the tiles");
static_assert(Blocks::high(0) == 0 && Blocks::reached(0) == 1 && Blocks::high(1) == 2 && Blocks::reached(1) == 3,
    "8 pixels of 5 a row");

int pixels() {
  static Port<64> in;
  static hls::stream<Beat<Pixels>> beats;
  for (int tile = 0; tile < 3; ++tile) {
    for (int block = 0; block < 2; ++block) {
      for (int step = 0; step < 2; ++step) {
        for (int row = 0; row < 2; ++row) {
          Axis<64> word;
          for (int i = 0; i < 4; ++i) {
            const int pixel = tile * 8 + step * 4 + i;
            put_lane<Int16>(word, i, static_cast<std::int16_t>(value_at(block * 2 + row, pixel / 5, pixel % 5)));
          }
          in.write(word);
        }
      }
    }
  }
  TileReader<Pixels, Blocks>::run(in, beats);
  for (int i = 0; i < 96; ++i) {
    const Beat<Pixels> beat = beats.read();
    const int channel = i / 16 % 2 * 2 + i / 4 % 2, pixel = i / 32 * 8 + i / 8 % 2 * 4 + i % 4;
    const bool there = pixel < 20;
    if (beat.keep[0] != there || (there &&
        (beat.number != channel || beat.row != pixel / 5 % 3 || beat.column != pixel % 5 ||
                                            beat.value[0][0] != 2 * value_at(channel, pixel / 5, pixel % 5)))) {
      return 7;
    }
  }
  return beats.empty() ? 0 : 8;
}

// An image of one pixel: of a block's four columns the first is it. bfloat16, words of two channels.
struct Lone : Elements<Float, Unchanged, Bfloat16> {
  static constexpr int kReaders = 1, kBeatApart = 1, kWriters = 1;
  static constexpr bool kOwnRows = false;
  static constexpr int kChannels = 6, kHeight = 1, kWidth = 1, kTogether = 2, kBeat = 1, kSetChannels = 4, kRows = 1;
  static constexpr int kInBits = 128, kInRounds = 1, kInGroups = 1, kInShare = 1, kInTileM = 8, kInTileRows = 1,
      kInSteps = 1;
  static constexpr int kInBlockRows = 8, kInBlockCols = 4;
};

int lone() {
  static Port<128> in;
  static hls::stream<Beat<Lone, 2>> beats;
  for (int w = 0; w < 4; ++w) {
    Axis<128> word;
    for (int i = 0; i < 8; ++i) {
      put_lane<Bfloat16>(word, i, i % 4 == 0 ? 0.5F * static_cast<float>(w * 2 + i / 4) : 77.0F);
    }
    in.write(word);
  }
  TileReader<Lone, PixelTiles<Lone>>::run(in, beats);
  for (int i = 0; i < 4; ++i) {
    const Beat<Lone, 2> beat = beats.read();
    for (int way = 0; way < 2; ++way) {
      const int channel = i * 2 + way;
      if (beat.keep[way] != (channel < 6) || beat.number != i ||
          beat.value[way][0] != 0.5F * static_cast<float>(channel)) {
        return 9;
      }
    }
  }
  return beats.empty() ? 0 : 10;
}

// Rows of 6 of one channel in words of 4, two values a cycle: the last word is filled up.
struct Filled : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 1, kHeight = 3, kWidth = 6, kBeat = 2, kSetChannels = 1, kRows = 3, kBanks = 2;
  static constexpr int kInBits = 32, kOutBits = 8, kPixels = 1;
};
static_assert(PlainImage<Filled>::kBands == 3 && PlainImage<Filled>::kBeats == 10, "18 values in 5 words");
static_assert(PlainImage<Filled>::beats_by(1) == 6 && PlainImage<Filled>::beats_by(2) == 10,
    "the last row's, and what fills up");

int filled() {
  static Port<32> in;
  static hls::stream<Beat<Filled>> beats;
  for (int w = 0; w < 5; ++w) {
    Axis<32> word;
    for (int i = 0; i < 4; ++i) {
      put_lane<Int8>(word, i, static_cast<std::int8_t>(4 * w + i));
    }
    in.write(word);
  }
  read_image<Filled>(in, beats);
  for (int i = 0; i < 10; ++i) {
    const Beat<Filled> beat = beats.read();
    if (beat.keep[0] != (i < 9) || (i < 9 &&
        (beat.row != i / 3 || beat.column != i % 3 * 2 || beat.value[0][1] != 2 * i + 1))) {
      return 11;
    }
  }
  return beats.empty() ? 0 : 12;
}

int main() {
  for (const int failed : {tiles(), rows_and_images(), pixels(), lone(), filled()}) {
    if (failed != 0) {
      return failed;
    }
  }
  return 0;
}
