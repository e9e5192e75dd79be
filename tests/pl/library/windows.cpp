// Windows over images: largest values with a border, beats that go on in the next row, images shown larger, folds of
// whole images.
#include "windows.h"

#include <hls_task.h>

#include "inputs.h"

using namespace aieloom::pl;

constexpr int kImages = 3;
int value_at(int image, int channel, int y, int x) { return (image * 53 + channel * 37 + y * 11 + x * 5) % 251 - 125; }

struct Largest {
  std::int8_t best = -128;
  void take(std::int8_t value, bool inside) { best = inside && value > best ? value : best; }
  std::int8_t result() const { return best; }
};
struct Shown {
  std::int8_t shown = 0;
  void take(std::int8_t value, bool) { shown = value; }
  std::int8_t result() const { return shown; }
};
struct Half {
  static std::int8_t of(std::int8_t value) { return static_cast<std::int8_t>(value / 2); }
};

// 6 channels of 7x6 on two ways, 4 on each, of which the last are none; windows of 3x2, 2 rows and a column apart.
struct Seen : Elements<Int8>, WindowTraits {
  static constexpr int kChannels = 6, kHeight = 7, kWidth = 6, kTogether = 2, kSetChannels = 4, kBeat = 3, kRows = 9,
      kBanks = 6;
  static constexpr int kKernelY = 3, kKernelX = 2, kStrideY = 2, kStrideX = 1, kTop = 1, kLeft = 1;
  static constexpr int kOutHeight = 4, kOutBeats = 2, kPipeline = 40;
};
struct Pooled : Elements<Int8, Half>, LineTraits {
  static constexpr int kChannels = 6, kHeight = 4, kWidth = 6, kTogether = 2, kSetChannels = 4, kBeat = 3, kRows = 3;
};
// 2 channels of 5x5: beats of 4 go on in the next row. Windows of 2x2, two apart, of which the last row sees nothing.
struct Wrapped : Elements<Int8>, WindowTraits {
  static constexpr int kChannels = 2, kHeight = 5, kWidth = 5, kSetChannels = 2, kBeat = 4, kRows = 6, kBanks = 4;
  static constexpr int kKernelY = 2, kKernelX = 2, kStrideY = 2, kStrideX = 2, kOutHeight = 2, kOutBeats = 2;
  static constexpr int kPipeline = 40;
  static constexpr int kInBits = 32, kInRounds = 1, kInGroups = 1, kInShare = 1, kInTileM = 2, kInTileRows = 1,
      kInSteps = 7;
  static constexpr int kInBlockRows = 2, kInBlockCols = 4;
  static constexpr bool kWraps = true;
};
struct Behind : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 2, kHeight = 2, kWidth = 2, kSetChannels = 2, kBeat = 1, kRows = 2;
};
// Each pixel of 3x2 is shown 2x3 times, two beats of three a row.
struct Larger : Elements<Int8>, WindowTraits {
  static constexpr int kChannels = 1, kHeight = 3, kWidth = 2, kSetChannels = 1, kBeat = 2, kRows = 3, kBanks = 2,
      kInBits = 16;
  static constexpr int kKernelY = 1, kKernelX = 1, kStrideY = 1, kStrideX = 1, kUpY = 2, kUpX = 3, kOutHeight = 6,
      kOutBeats = 2;
  static constexpr int kPipeline = 34;
};
struct Six : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 1, kHeight = 6, kWidth = 6, kSetChannels = 1, kBeat = 3, kRows = 6;
};
// All of 5 channels of 3x4.
struct Whole : Elements<Int8>, WindowTraits {
  static constexpr int kChannels = 5, kHeight = 3, kWidth = 4, kSetChannels = 5, kBeat = 4, kTakeCycles = 2, kInBits =
      32;
};
struct One : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 5, kHeight = 1, kWidth = 1, kSetChannels = 5, kBeat = 1, kRows = 2;
};

extern "C" void top(hls::stream<Beat<Seen>>& to_pool, Port<32>& to_wrap, hls::stream<Row<16>>& to_larger,
    hls::stream<Row<32>>& to_whole,
                    hls::stream<Beat<Pooled>>& pooled, hls::stream<Beat<Behind>>& behind,
                        hls::stream<Beat<Six>>& larger,
                    hls::stream<Beat<One>>& whole) {
  hls_thread_local hls::stream<Beat<Wrapped>, 32> wrapped_beats;
  hls_thread_local hls::stream<Beat<Larger>, 32> larger_beats;
  hls_thread_local hls::stream<Beat<Whole>, 32> whole_beats;
  hls_thread_local hls::task read_wrapped(TileReader<Wrapped, PixelTiles<Wrapped>>::run, to_wrap, wrapped_beats);
  hls_thread_local hls::task read_larger(read_rows<Larger>, to_larger, larger_beats);
  hls_thread_local hls::task read_whole(read_rows<Whole>, to_whole, whole_beats);
  hls_thread_local hls::task fold_seen(fold_windows<Seen, RowBands<Seen>, Largest, Pooled>, to_pool, pooled);
  hls_thread_local hls::task fold_wrapped(fold_windows<Wrapped, PixelTiles<Wrapped>, Largest, Behind>, wrapped_beats,
      behind);
  hls_thread_local hls::task show(fold_windows<Larger, RowBands<Larger>, Shown, Six>, larger_beats, larger);
  hls_thread_local hls::task fold_whole(fold_image<Whole, RowBands<Whole>, Largest, One>, whole_beats, whole);
}

int main() {
  static hls::stream<Beat<Seen>> to_pool;
  static Port<32> to_wrap;
  static hls::stream<Row<16>> to_larger;
  static hls::stream<Row<32>> to_whole;
  static hls::stream<Beat<Pooled>> pooled;
  static hls::stream<Beat<Behind>> behind;
  static hls::stream<Beat<Six>> larger;
  static hls::stream<Beat<One>> whole;
  for (int image = 0; image < kImages; ++image) {
    for (int i = 0; i < 7 * 4 * 2; ++i) {
      Beat<Seen> beat;
      for (int way = 0; way < 2; ++way) {
        const int channel = i / 2 % 4 * 2 + way;
        for (int x = 0; x < 3; ++x) {
          beat.value[way][x] = static_cast<std::int8_t>(channel < 6 ? value_at(image, channel, i / 8, i % 2 * 3 + x)
              : 127);
        }
        beat.keep[way] = channel < 6;
      }
      beat.row = i / 8;
      beat.number = i / 2 % 4;
      beat.column = i % 2 * 3;
      to_pool.write(beat);
    }
    for (int i = 0; i < 14; ++i) {  // blocks of 4 pixels, of both channels
      Axis<32> word;
      for (int x = 0; x < 4; ++x) {
        const int pixel = i / 2 * 4 + x;
        put_lane<Int8>(word, x, static_cast<std::int8_t>(pixel < 25 ? value_at(image, i % 2, pixel / 5, pixel % 5)
            : 127));
      }
      to_wrap.write(word);
    }
    for (int y = 0; y < 3; ++y) {
      Row<16> row;
      put_lane<Int8>(row, 0, static_cast<std::int8_t>(value_at(image, 0, y, 0)));
      put_lane<Int8>(row, 1, static_cast<std::int8_t>(value_at(image, 0, y, 1)));
      to_larger.write(row);
      for (int channel = 0; channel < 5; ++channel) {
        Row<32> four;
        for (int x = 0; x < 4; ++x) {
          put_lane<Int8>(four, x, static_cast<std::int8_t>(value_at(image, channel, y, x)));
        }
        to_whole.write(four);
      }
    }
  }
  top(to_pool, to_wrap, to_larger, to_whole, pooled, behind, larger, whole);
  for (int i = 0; i < kImages * 4 * 4 * 2; ++i) {
    const Beat<Pooled> beat = pooled.read();
    const int y = i / 8 % 4, column = i % 2 * 3;
    for (int way = 0; way < 2; ++way) {
      const int channel = i / 2 % 4 * 2 + way;
      for (int x = 0; x < 3 && channel < 6; ++x) {
        int most = -128;
        for (int place = 0; place < 6; ++place) {
          const int row = y * 2 - 1 + place / 2, at = column + x - 1 + place % 2;
          const bool inside = 0 <= row && row < 7 && 0 <= at && at < 6;
          most = inside && value_at(i / 32, channel, row, at) > most ? value_at(i / 32, channel, row, at) : most;
        }
        if (beat.value[way][x] != most / 2 || beat.row != y % 3 || beat.column != column) {
          return 1;
        }
      }
      if (beat.keep[way] != (channel < 6) || beat.number != i / 2 % 4) {
        return 2;
      }
    }
  }
  for (int i = 0; i < kImages * 8; ++i) {
    const Beat<Behind> beat = behind.read();
    const int x = i % 2, channel = i / 2 % 2, y = i / 4 % 2, image = i / 8;
    int most = -128;
    for (int place = 0; place < 4; ++place) {
      const int value = value_at(image, channel, y * 2 + place / 2, x * 2 + place % 2);
      most = value > most ? value : most;
    }
    if (beat.value[0][0] != most || beat.row != y || beat.column != x || beat.number != channel) {
      return 3;
    }
  }
  for (int i = 0; i < kImages * 12; ++i) {
    const Beat<Six> beat = larger.read();
    for (int x = 0; x < 3; ++x) {
      if (beat.value[0][x] != value_at(i / 12, 0, i / 2 % 6 / 2, i % 2) || beat.row != i / 2 % 6 ||
          beat.column != i % 2 * 3) {
        return 4;
      }
    }
  }
  for (int i = 0; i < kImages * 5; ++i) {
    int most = -128;
    for (int place = 0; place < 12; ++place) {
      const int value = value_at(i / 5, i % 5, place / 4, place % 4);
      most = value > most ? value : most;
    }
    const Beat<One> beat = whole.read();
    if (beat.value[0][0] != most || beat.number != i % 5 || !beat.keep[0]) {
      return 5;
    }
  }
  return pooled.empty() && behind.empty() && larger.empty() && whole.empty() ? 0 : 6;
}
