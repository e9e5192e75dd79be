// Writers: words of rows, of lines with their border, and of a vector, image after image, while beats come.
#include <hls_task.h>

#include "inputs.h"
#include "outputs.h"

using namespace aieloom::pl;

constexpr int kImages = 3;
int value_at(int image, int channel, int y, int x) { return (image * 53 + channel * 37 + y * 11 + x * 5) % 251 - 125; }

struct Image {
  using Element = Int8;
  using Storage = Lutram;
  static constexpr int kChannels = 8, kHeight = 9, kWidth = 8, kInBits = 64;
  static constexpr int kReaders = 1, kTogether = 1, kSetChannels = 8, kBeat = 8, kBeatApart = 1, kOutBits = 64;
};
struct Same : Image {  // rows, as they came
  static constexpr bool kOwnRows = false;
  static constexpr int kPaddingX = 0, kRows = 4, kBanks = 8, kStep = 1, kSkew = 0, kPixels = 8, kWordApart = 1, kZero = 0;
  static constexpr int kOutGroups = 1;
};
struct Lanes : Image {  // 3x3 windows, 2 rows of a result in a tile, lanes 2 columns apart
  static constexpr int kPaddingX = 1, kBanks = 8, kStep = 2, kSkew = 4, kPixels = 4, kWordApart = 2, kZero = -7;
  static constexpr int kOutRows = 2, kOutHeight = 9, kOutPasses = 2, kOutLines = 4, kOutBlocks = 1, kOutColumns = 4;
  static constexpr int kOutBlockRows = 4, kOutBlockCols = 4, kStrideY = 1, kPaddingY = 1;
};
struct Own : Lanes {  // each of three writers keeps what its two tiles see, of which the last one is not there
  static constexpr bool kOwnRows = true;
  static constexpr int kOutGroups = 3, kOutRounds = 2, kRows = 8;
};
struct All : Lanes {  // one writer keeps all rows, in a ring that no image divides
  static constexpr bool kOwnRows = false;
  static constexpr int kOutGroups = 1, kOutRounds = 5, kRows = 7;
};
struct Vector {
  using Element = Int8;
  using Storage = Lutram;
  static constexpr bool kOwnRows = false;
  static constexpr int kChannels = 12, kHeight = 1, kWidth = 1, kInBits = 8, kPaddingX = 0;
  static constexpr int kReaders = 1, kTogether = 1, kSetChannels = 12, kBeat = 1, kBeatApart = 1;
  static constexpr int kRows = 3, kBanks = 1, kStep = 1, kSkew = 0, kOutBits = 64, kPixels = 1, kWordApart = 1, kZero = 9;
  static constexpr int kOutGroups = 1, kOutRounds = 1, kOutPasses = 2, kOutTileK = 8, kOutTileN = 4, kOutBlockRows = 8;
  static constexpr int kOutBlockCols = 2;
};

extern "C" void top(hls::stream<Row<64>>& to_same, hls::stream<Row<64>>& to_own, hls::stream<Row<64>>& to_all,
                    hls::stream<Row<8>>& to_vector, hls::stream<Row<64>>& same, Port<64> own[3], Port<64>& all,
                    Port<64>& vector) {
  hls_thread_local hls::stream<Beat<Same>> same_beats[1];
  hls_thread_local hls::stream<Beat<Own>> own_beats[3];
  hls_thread_local hls::stream<Beat<All>> all_beats[1];
  hls_thread_local hls::stream<Beat<Vector>> vector_beats[1];
#pragma HLS stream variable=same_beats depth=32
#pragma HLS stream variable=own_beats depth=32
#pragma HLS stream variable=all_beats depth=32
#pragma HLS stream variable=vector_beats depth=32
  hls_thread_local hls::task read_same(share_rows<Same>, to_same, same_beats);
  hls_thread_local hls::task read_own(share_rows<Own>, to_own, own_beats);
  hls_thread_local hls::task read_all(share_rows<All>, to_all, all_beats);
  hls_thread_local hls::task read_vector(share_rows<Vector>, to_vector, vector_beats);
  hls_thread_local hls::task write_same(write_rows<Same, RowBands<Same>>, same_beats[0], same);
  hls_thread_local hls::task write_0(write_lane_lines<Own, RowBands<Own>, 0>, own_beats[0], own[0]);
  hls_thread_local hls::task write_1(write_lane_lines<Own, RowBands<Own>, 1>, own_beats[1], own[1]);
  hls_thread_local hls::task write_2(write_lane_lines<Own, RowBands<Own>, 2>, own_beats[2], own[2]);
  hls_thread_local hls::task write_all(write_lane_lines<All, RowBands<All>>, all_beats[0], all);
  hls_thread_local hls::task write_k(write_vector<Vector, RowBands<Vector>>, vector_beats[0], vector);
}

template <class T>
bool lanes_are(Port<64>& out, int core) {
  for (int image = 0; image < kImages; ++image) {
    for (int round = 0; round < T::kOutRounds; ++round) {
      const int tile = round * T::kOutGroups + core;
      for (int pass = 0; pass < 2; ++pass) {
        for (int line = 0; line < 4; ++line) {
          for (int column = 0; column < 4; ++column) {
            for (int w = 0; w < 2; ++w) {
              const Axis<64> word = out.read();
              for (int i = 0; i < 8; ++i) {
                const int channel = pass * 4 + w * 2 + i / 4, y = tile * 2 + line - 1, x = i % 4 * 2 + column - 1;
                const bool inside = tile * 2 < 9 && 0 <= y && y < 9 && 0 <= x && x < 8;
                if (lane_of<Int8>(word, i) != (inside ? value_at(image, channel, y, x) : -7)) {
                  return false;
                }
              }
              if (word.last != (pass == 1 && line == 3 && column == 3 && w == 1)) {
                return false;
              }
            }
          }
        }
      }
    }
  }
  return out.empty();
}

int main() {
  static hls::stream<Row<64>> to_same, to_own, to_all, same;
  static hls::stream<Row<8>> to_vector;
  static Port<64> own[3], all, vector;
  for (int image = 0; image < kImages; ++image) {
    for (int y = 0; y < 9; ++y) {
      for (int channel = 0; channel < 8; ++channel) {
        Row<64> row;
        for (int x = 0; x < 8; ++x) {
          put_lane<Int8>(row, x, static_cast<std::int8_t>(value_at(image, channel, y, x)));
        }
        to_same.write(row);
        to_own.write(row);
        to_all.write(row);
      }
    }
    for (int k = 0; k < 12; ++k) {
      Row<8> row;
      put_lane<Int8>(row, 0, static_cast<std::int8_t>(value_at(image, k, 0, 0)));
      to_vector.write(row);
    }
  }
  top(to_same, to_own, to_all, to_vector, same, own, all, vector);
  for (int i = 0; i < kImages * 72; ++i) {
    const Row<64> row = same.read();
    for (int x = 0; x < 8; ++x) {
      if (lane_of<Int8>(row, x) != value_at(i / 72, i % 8, i / 8 % 9, x)) {
        return 1;
      }
    }
  }
  for (int core = 0; core < 3; ++core) {
    if (!lanes_are<Own>(own[core], core)) {
      return 2 + core;
    }
  }
  if (!lanes_are<All>(all, 0)) {
    return 5;
  }
  for (int image = 0; image < kImages; ++image) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int nt = 0; nt < 2; ++nt) {
        for (int w = 0; w < 2; ++w) {
          const Axis<64> word = vector.read();
          for (int i = 0; i < 8; ++i) {
            const int k = pass * 8 + w * 4 + i / 2;
            const int wanted = nt == 0 && i % 2 == 0 && k < 12 ? value_at(image, k, 0, 0) : 9;
            if (lane_of<Int8>(word, i) != wanted || word.last != (pass == 1 && nt == 1 && w == 1)) {
              return 6;
            }
          }
        }
      }
    }
  }
  return 0;
}
