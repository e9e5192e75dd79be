// Writers: words of rows, of lines with their border, and of a vector, image after image, while beats come.
#include <hls_task.h>

#include "inputs.h"
#include "outputs.h"

using namespace aieloom::pl;

constexpr int kImages = 3;
int value_at(int image, int channel, int y, int x) { return (image * 53 + channel * 37 + y * 11 + x * 5) % 251 - 125; }

struct Image : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 8, kHeight = 9, kWidth = 8, kInBits = 64, kSetChannels = 8, kBeat = 8, kOutBits = 64;
};
struct Same : Image {  // rows, as they came
  static constexpr int kRows = 4, kBanks = 8, kPixels = 8;
};
struct Lanes : Image {  // 3x3 windows, 2 rows of a result in a tile, lanes 2 columns apart
  static constexpr int kPaddingX = 1, kBanks = 8, kStep = 2, kSkew = 4, kPixels = 4, kWordApart = 2, kZero = -7;
  static constexpr int kOutRows = 2, kOutHeight = 9, kOutPasses = 2, kOutLines = 4, kOutBlocks = 1, kOutColumns = 4;
  static constexpr int kOutBlockRows = 4, kOutBlockCols = 4, kOutStrip = 2, kStrideY = 1, kPaddingY = 1;
};
struct Own : Lanes {  // each of three writers keeps what its two tiles see, of which the last one is not there
  static constexpr bool kOwnRows = true;
  static constexpr int kWriters = 3, kOutRounds = 2, kRows = 8;
};
struct All : Lanes {  // one writer keeps all rows, in a ring that no image divides
  static constexpr int kOutRounds = 5, kRows = 7;
};
struct Lines : Image {  // 3x3 windows, 3 rows of a result in a tile, words of 8 of lines of 16, 9 channels in passes
  static constexpr int kPaddingX = 1, kBanks = 8, kPixels = 8, kZero = 3, kRows = 9;
  static constexpr int kOutRounds = 3, kOutRows = 3, kOutHeight = 9, kOutChannels = 9, kOutLines = 5, kOutLineWords = 2;
  static constexpr int kStrideY = 1, kPaddingY = 1;
};
// 3x3 windows two apart, 5x4 results in tiles of 8, a chain of two cores that share 72 rows of K
struct Columns : Image {
  static constexpr int kBeat = 1, kBanks = 4, kStep = 2, kPixels = 4, kWordApart = 2, kPaddingX = 1, kZero = 5;
  static constexpr int kRows = 9, kWriters = 2;
  static constexpr int kOutRounds = 3, kOutPasses = 2, kOutLinks = 2, kOutTileK = 20, kOutTileN = 8, kOutBlockRows = 2;
  static constexpr int kOutBlockCols = 4, kOutHeight = 5, kOutWidth = 4, kKernelY = 3, kKernelX = 3, kStrideX = 2,
      kStrideY = 2;
  static constexpr int kPaddingY = 1;
};
struct Vector : Elements<Int8>, LineTraits {  // one pixel, of 12 channels; a block's pixels one after another
  static constexpr int kChannels = 12, kHeight = 1, kWidth = 1, kInBits = 8, kSetChannels = 12, kBeat = 1;
  static constexpr int kRows = 3, kBanks = 1, kOutBits = 64, kPixels = 1, kZero = 9;
  static constexpr int kOutRounds = 1, kOutPasses = 2, kOutLinks = 1, kOutTileK = 8, kOutTileN = 4, kOutBlockRows = 4;
  static constexpr int kOutBlockCols = 2, kOutHeight = 1, kOutWidth = 1, kKernelY = 1, kKernelX = 1, kStrideX = 1,
      kStrideY = 1;
  static constexpr int kPaddingY = 0;
  static constexpr bool kByColumn = true, kColumnsInside = true;
};
struct Plain : Elements<Int8, Unchanged, Int8, Int16>, LineTraits {  // 7 channels of 9x8, turned over, in words of 4
  static constexpr int kChannels = 7, kHeight = 9, kWidth = 8, kInBits = 64, kSetChannels = 7, kBeat = 8, kOutBits = 64;
  static constexpr int kRows = 9, kBanks = 8, kPixels = 1;
  static constexpr int kOutRounds = 1, kOutChannels = 7, kOutHeight = 8, kOutWidth = 9;
};
struct Turned {
  static void from(int&, int& y, int& x) {
    const int row = x;
    x = y;
    y = row;
  }
};
struct Small : Elements<Int8>, LineTraits {  // 5 channels of 2x3 in words of 8: more than a row, a channel
  static constexpr int kChannels = 5, kHeight = 2, kWidth = 3, kInBits = 24, kSetChannels = 5, kBeat = 3, kOutBits = 64;
  static constexpr int kRows = 4, kBanks = 3, kPixels = 1, kOutRounds = 1, kOutChannels = 5, kOutHeight = 2, kOutWidth =
      3;
};

enum { SameRows, OwnRows_, AllRows, LinesRows, ColumnsRows, kRowQueues };

extern "C" void top(hls::stream<Row<64>> rows[kRowQueues], hls::stream<Row<8>>& to_vector,
    hls::stream<Row<64>>& to_plain,
                    hls::stream<Row<24>>& to_small, hls::stream<Row<64>>& same, Port<64> own[3], Port<64>& all,
                        Port<64>& lines,
                    Port<64> columns[2], Port<64>& vector, Port<64>& plain, Port<64>& small) {
  hls_thread_local hls::stream<Beat<Same>, 32> same_beats;
  hls_thread_local hls::stream<Beat<Own>, 32> own_beats;
  hls_thread_local hls::stream<Beat<Own>> own_shared[3];
#pragma HLS stream variable=own_shared depth=32
  hls_thread_local hls::stream<Beat<All>, 32> all_beats;
  hls_thread_local hls::stream<Beat<Lines>, 32> lines_beats;
  hls_thread_local hls::stream<Beat<Columns>, 32> columns_beats;
  hls_thread_local hls::stream<Beat<Columns>> columns_shared[2];
#pragma HLS stream variable=columns_shared depth=32
  hls_thread_local hls::stream<Beat<Vector>, 32> vector_beats;
  hls_thread_local hls::stream<Beat<Plain>, 32> plain_beats;
  hls_thread_local hls::stream<Beat<Small>, 32> small_beats;
  hls_thread_local hls::task read_same(read_rows<Same>, rows[SameRows], same_beats);
  hls_thread_local hls::task read_own(read_rows<Own>, rows[OwnRows_], own_beats);
  hls_thread_local hls::task share_own(share_beats<Own, RowBands<Own>>, own_beats, own_shared);
  hls_thread_local hls::task read_all(read_rows<All>, rows[AllRows], all_beats);
  hls_thread_local hls::task read_lines(read_rows<Lines>, rows[LinesRows], lines_beats);
  hls_thread_local hls::task read_columns(read_rows<Columns>, rows[ColumnsRows], columns_beats);
  hls_thread_local hls::task share_columns(share_beats<Columns, RowBands<Columns>>, columns_beats, columns_shared);
  hls_thread_local hls::task read_vector(read_rows<Vector>, to_vector, vector_beats);
  hls_thread_local hls::task read_plain(read_rows<Plain>, to_plain, plain_beats);
  hls_thread_local hls::task read_small(read_rows<Small>, to_small, small_beats);
  hls_thread_local hls::task write_same(write_rows<Same, RowBands<Same>>, same_beats, same);
  hls_thread_local hls::task write_0(write_lane_lines<Own, RowBands<Own>>, own_shared[0], own[0]);
  hls_thread_local hls::task write_1(write_lane_lines<Own, RowBands<Own>, 1>, own_shared[1], own[1]);
  hls_thread_local hls::task write_2(write_lane_lines<Own, RowBands<Own>, 2>, own_shared[2], own[2]);
  hls_thread_local hls::task write_all(write_lane_lines<All, RowBands<All>>, all_beats, all);
  hls_thread_local hls::task write_lines_(write_lines<Lines, RowBands<Lines>>, lines_beats, lines);
  hls_thread_local hls::task write_c0(write_columns<Columns, RowBands<Columns>>, columns_shared[0], columns[0]);
  hls_thread_local hls::task write_c1(write_columns<Columns, RowBands<Columns>, 1>, columns_shared[1], columns[1]);
  hls_thread_local hls::task write_k(write_columns<Vector, RowBands<Vector>>, vector_beats, vector);
  hls_thread_local hls::task write_p(write_plain<Plain, RowBands<Plain>, Turned>, plain_beats, plain);
  hls_thread_local hls::task write_s(write_plain<Small, RowBands<Small>>, small_beats, small);
}

template <class T>
bool lanes_are(Port<64>& out, int core) {
  for (int image = 0; image < kImages; ++image) {
    for (int round = 0; round < T::kOutRounds; ++round) {
      const int tile = round * T::kWriters + core;
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

bool lines_are(Port<64>& out) {
  for (int i = 0; i < kImages * 3 * 9 * 5 * 2; ++i) {
    const int w = i % 2, line = i / 2 % 5, channel = i / 10 % 9, tile = i / 90 % 3, image = i / 270;
    const Axis<64> word = out.read();
    for (int lane = 0; lane < 8; ++lane) {
      const int y = tile * 3 + line - 1, x = w * 8 + lane - 1;
      const bool inside = channel < 8 && 0 <= y && y < 9 && 0 <= x && x < 8;
      if (lane_of<Int8>(word, lane) != (inside ? value_at(image, channel, y, x) : 3)) {
        return false;
      }
    }
    if (word.last != (w == 1 && line == 4 && channel == 8)) {
      return false;
    }
  }
  return out.empty();
}

bool columns_are(Port<64>& out, int link) {
  for (int i = 0; i < kImages * 3 * 2 * 2 * 10; ++i) {
    const int kt = i % 10, nt = i / 10 % 2, pass = i / 20 % 2, round = i / 40 % 3, image = i / 120;
    const Axis<64> word = out.read();
    for (int lane = 0; lane < 8; ++lane) {
      const int k = (pass * 2 + link) * 20 + kt * 2 + lane / 4, pixel = round * 8 + nt * 4 + lane % 4;
      const int y = pixel / 4 * 2 + k % 9 / 3 - 1, x = pixel % 4 * 2 + k % 3 - 1;
      const bool inside = k < 72 && pixel < 20 && 0 <= y && y < 9 && 0 <= x && x < 8;
      if (lane_of<Int8>(word, lane) != (inside ? value_at(image, k / 9, y, x) : 5)) {
        return false;
      }
    }
    if (word.last != (kt == 9 && nt == 1 && pass == 1)) {
      return false;
    }
  }
  return out.empty();
}

bool plains_are(Port<64>& plain, Port<64>& small) {
  for (int i = 0; i < kImages * 126; ++i) {
    const Axis<64> word = plain.read();
    for (int lane = 0; lane < 4; ++lane) {
      const int element = i % 126 * 4 + lane;
      if (lane_of<Int16>(word, lane) != value_at(i / 126, element / 72, element % 9, element / 9 % 8)) {
        return false;
      }
    }
    if (word.last != (i % 126 == 125)) {
      return false;
    }
  }
  for (int i = 0; i < kImages * 4; ++i) {
    const Axis<64> word = small.read();
    for (int lane = 0; lane < 8; ++lane) {
      const int element = i % 4 * 8 + lane;
      if (lane_of<Int8>(word, lane) != (element < 30 ? value_at(i / 4, element / 6, element / 3 % 2, element % 3)
          : 0)) {
        return false;
      }
    }
  }
  return plain.empty() && small.empty();
}

template <int kBits>
void give_rows(hls::stream<Row<kBits>>& rows, int channels, int height) {
  for (int i = 0; i < kImages * height * channels; ++i) {
    Row<kBits> row;
    for (int x = 0; x < kBits / 8; ++x) {
      put_lane<Int8>(row, x,
          static_cast<std::int8_t>(value_at(i / channels / height, i % channels, i / channels % height, x)));
    }
    rows.write(row);
  }
}

int main() {
  static hls::stream<Row<64>> rows[kRowQueues], to_plain, same;
  static hls::stream<Row<8>> to_vector;
  static hls::stream<Row<24>> to_small;
  static Port<64> own[3], columns[2], all, lines, vector, plain, small;
  for (auto& queue : rows) {
    give_rows(queue, 8, 9);
  }
  give_rows(to_vector, 12, 1);
  give_rows(to_plain, 7, 9);
  give_rows(to_small, 5, 2);
  top(rows, to_vector, to_plain, to_small, same, own, all, lines, columns, vector, plain, small);
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
  for (int i = 0; i < kImages * 8; ++i) {
    const int nt = i % 2, w = i / 2 % 2, pass = i / 4 % 2;
    const Axis<64> word = vector.read();
    for (int lane = 0; lane < 8; ++lane) {
      const int k = pass * 8 + w * 4 + lane % 4;
      const int wanted = nt == 0 && lane < 4 && k < 12 ? value_at(i / 8, k, 0, 0) : 9;
      if (lane_of<Int8>(word, lane) != wanted || word.last != (i % 8 == 7)) {
        return 6;
      }
    }
  }
  if (!lines_are(lines)) {
    return 7;
  }
  if (!columns_are(columns[0], 0) || !columns_are(columns[1], 1)) {
    return 8;
  }
  return plains_are(plain, small) ? 0 : 9;
}
