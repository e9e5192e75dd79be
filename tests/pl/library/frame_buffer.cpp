// Images through frame buffers: tiles from three cores become plain order and rows, by shares of ports.
#include "frame_buffer.h"

using namespace aieloom::pl;

// Three cores along the pixels, of 4 x 6 with 5 rows of padding: 2 channels, blocks of 2 x 4.
struct From : Elements<Int8, Unchanged>, LineTraits {
  static constexpr int kChannels = 2, kHeight = 4, kWidth = 5, kBeat = 1, kInBits = 32, kInRounds = 1, kInGroups = 3,
                       kInShare = 1, kInTileM = 2, kInTileRows = 1, kInSteps = 2, kInBlockRows = 2, kInBlockCols = 4;
};
using Turns = TileTurns<From, PixelTiles<From>>;

struct Plain : Elements<Int8>, LineTraits {  // rows and columns turned
  static constexpr int kChannels = 2, kHeight = 5, kWidth = 4, kRows = 5, kOutBits = 32, kPixels = 1;
  static constexpr int kOutRounds = 1, kOutChannels = 2, kOutHeight = 5, kOutWidth = 4;
};
struct Turn {
  static constexpr int kChannel = 0, kRow = 2, kColumn = 1;
};
using PlainWords = PlainOrder<Plain, InPlace, Frame<Plain, Image<2, 4, 5>, Transpose<Turn>>>;

// Two cores of a convolution of 3 x 3 with a border of 1, two rows of results each; lines of 8 values.
struct Lines : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 2, kHeight = 4, kWidth = 5, kRows = 4, kOutBits = 32, kPixels = 4, kZero = 9;
  static constexpr int kPaddingX = 1, kPaddingY = 1, kWriters = 2, kOutRounds = 1, kOutRows = 2, kOutHeight = 4;
  static constexpr int kOutChannels = 2, kOutLines = 4, kOutLineWords = 2;
};
using LineWords = LineOrder<Lines, Frame<Lines, Image<2, 4, 5>>>;

int value_at(int image, int channel, int y, int x) { return image * 50 + channel * 25 + y * 5 + x - 60; }

int main() {
  static Port<32> in[3], out, lines[2];
  static hls::stream<std::int8_t> values, first, second;
  static hls::stream<ap_uint<32>> words, of_lines, one, two;
  static std::int8_t kept[4][40], kept_lines[4][40], stored[4][40];
  for (int image = 0; image < 2; ++image) {
    for (int group = 0; group < 3; ++group) {
      for (int block = 0; block < 2; ++block) {
        for (int channel = 0; channel < 2; ++channel) {
          Axis<32> word;
          for (int lane = 0; lane < 4; ++lane) {
            const int pixel = group * 8 + block * 4 + lane;
            put_lane<Int8>(word, lane, static_cast<std::int8_t>(pixel < 20 ? value_at(image, channel, pixel / 5, pixel % 5) : 77));
          }
          in[group].write(word);
        }
      }
    }
    FrameReader<From, Turns, 2>::read_ports(in[0], in[1], first);
    FrameReader<From, Turns, 1>::read_ports(in[2], second);
    merge<Turns, 2, 1>(values, first, second);
    untile<From, PixelTiles<From>>(values, kept, kept_lines);
    for (int i = 0; i < 40; ++i) {
      first.write(kept[0][i]);
    }
    store<Unchanged>(first, stored);
    gather<Plain, PlainWords>(stored, words);
    FrameWriter<Plain, PlainWords, 1>::write_ports(words, out);
    gather<Lines, LineWords>(kept_lines, of_lines);
    deal<LineWords, 1, 1>(of_lines, one, two);
    FrameWriter<Lines, LineWords, 1>::write_ports(one, lines[0]);
    FrameWriter<Lines, LineWords, 1>::write_ports(two, lines[1]);
    for (int i = 0; i < 10; ++i) {
      const Axis<32> word = out.read();
      for (int lane = 0; lane < 4; ++lane) {
        const int place = i * 4 + lane;
        if (lane_of<Int8>(word, lane) != value_at(image, place / 20, place % 4, place / 4 % 5)) {
          return 1;
        }
      }
      if ((word.last == 1) != (i == 9)) {
        return 2;
      }
    }
    for (int i = 0; i < 32; ++i) {
      const Axis<32> word = lines[i / 16].read();
      const int channel = i / 8 % 2, y = i / 16 * 2 + i / 2 % 4 - 1;
      for (int lane = 0; lane < 4; ++lane) {
        const int x = i % 2 * 4 + lane - 1;
        const bool inside = 0 <= y && y < 4 && 0 <= x && x < 5;
        if (lane_of<Int8>(word, lane) != (inside ? value_at(image, channel, y, x) : 9)) {
          return 3;
        }
      }
      if ((word.last == 1) != (i % 16 == 15)) {
        return 4;
      }
    }
  }
  return in[0].empty() && out.empty() && lines[0].empty() ? 0 : 5;
}
