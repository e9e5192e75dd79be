// Readers: each beat has the values, and the place, that the order of what comes says.
#include "inputs.h"

using namespace aieloom::pl;

int value_at(int channel, int y, int x) { return (channel * 37 + y * 11 + x * 5) % 251 - 125; }

// Two groups of cores, four parts of the channels, of which each of two readers has two; the last tile ends below the image.
struct Tiles {
  using Element = Int8;
  static constexpr bool kOwnRows = false;
  static constexpr int kChannels = 16, kHeight = 7, kWidth = 8, kPaddingX = 0;
  static constexpr int kInBits = 64, kInRounds = 2, kInGroups = 2, kInShare = 2, kInTileM = 4, kInTileRows = 2, kInBlockRows = 4;
  static constexpr int kReaders = 2, kTogether = 2, kSetChannels = 4, kBeat = 4, kBeatApart = 2;
  static constexpr int kRows = 6, kBanks = 4, kStep = 2, kSkew = 0;
  static constexpr int kOutBits = 64, kPixels = 4, kWordApart = 2, kZero = 0, kOutGroups = 3;
};
static_assert(LaneTiles<Tiles>::kBands == 2 && LaneTiles<Tiles>::high(0) == 3 && LaneTiles<Tiles>::high(1) == 6, "bands");

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
                put_lane<Int8>(word, i, static_cast<std::int8_t>(value_at(part * 4 + channel + i / 4, y, i % 4 * 2 + step)));
              }
              in[group * 4 + part].write(word);
            }
          }
        }
      }
    }
  }
  static hls::stream<Beat<Tiles, 2>> came[2];
  static hls::stream<Beat<Tiles>> beats[3];
  LaneTileReader<Tiles, 0>::run(in[0], in[1], in[4], in[5], came[0]);
  LaneTileReader<Tiles, 1>::run(in[2], in[3], in[6], in[7], came[1]);
  gather_beats<Tiles>(came, beats);
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
  static hls::stream<Beat<Plain>> of_rows[3], of_image[3];
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
  share_rows<Plain>(rows, of_rows);
  share_image<Plain>(port, of_image);
  for (int writer = 0; writer < 3; ++writer) {
    for (int i = 0; i < 7 * 16 * 2; ++i) {
      const Beat<Plain> a = of_rows[writer].read(), b = of_image[writer].read();
      if (a.number != i / 2 % 16 || !is<Plain>(a, 0, i / 2 % 16, i / 32, i % 2 * 4, i / 32)) {
        return 4;
      }
      if (b.number != i / 14 || !is<Plain>(b, 0, i / 14, i / 2 % 7, i % 2 * 4, i / 2 % 7)) {
        return 5;
      }
    }
  }
  return 0;
}

int main() {
  const int failed = tiles();
  return failed != 0 ? failed : rows_and_images();
}
