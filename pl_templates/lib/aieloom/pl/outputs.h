// In which orders words leave line buffers: each is a nest of counters.
//
//   rows        [y][channel][x]                                     between tasks, or between kernels
//   lane lines  [round][pass][line][block][column][channel][lane]   a core of a direct convolution, with the border
//   lines       [round][channel][line][x]                           a core of a sliding convolution, with the border
//   im2col      [round][pass][nt][kt][k][n], or [kt][nt]            a core of a matrix product
//   plain       [channel][y][x]                                     to memory, reordered
//
// II=1: a word a cycle. LUTs and memories: those of the line buffer, a counter for each loop, and for own rows a table
// of kHeight short numbers.
#pragma once

#include "line_buffer.h"
#include "reorder.h"

namespace aieloom {
namespace pl {

/// What leaves in rows, an image's row a round. `R` is what keeps them: Ring<T>, or a frame buffer.
template <class T, class Word, class R = Ring<T>>
struct RowOrder {
  using Kept = R;
  static constexpr int kRounds = T::kHeight, kPlaces = T::kHeight, kAcross = T::kWidth / R::kLanes;
  static constexpr int kRoundWords = T::kChannels * kAcross, kPackets = 1;  // of an image, the last word of each marked
  static constexpr int kTurn = kPlaces % T::kRows * R::kRowWords, kPipeline = kSettle;
  static constexpr int high(int round) { return round; }
  static constexpr int low(int round) { return round; }
  static constexpr int touched(int row) { return row; }
  static_assert(!T::kOwnRows && T::kWriters == 1, "one writer sends all rows: kOwnRows is false, kWriters 1");
  static_assert(T::kWidth % R::kLanes == 0, "a word is a part of one row");
  static constexpr bool serves() {
    for (int first = 0; first < R::kLanes; first += T::kPixels) {
      if (!R::serves(T::kPixels, 1, first, T::kWidth, R::kLanes)) {
        return false;
      }
    }
    return true;
  }
  static_assert(serves(), "two values of a word lie in one bank: change kStep, kSkew or kBanks");
  static_assert(T::kPixels == 1 || T::kWordApart == 1, "a row's word is neighbours: kWordApart is 1");

  struct Next {
    Counter<kRounds> round;
    Counter<T::kChannels> channel;
    Counter<kAcross> across;
    Counter<T::kRows> row;  // of the ring

    bool ends_round() const { return channel.is_last() && across.is_last(); }
    bool step() {
#pragma HLS inline
      if (!across.step() || !channel.step()) {
        return false;
      }
      const bool ends = round.step();
      if (ends) {
        row.at = 0;
      } else {
        row.step();
      }
      return ends;
    }
  };

  static int row_kept(int, int row) { return row; }

  static Word word_of(const typename R::Line& line, int, const Next& next, int place) {
#pragma HLS inline
    Row<T::kOutBits> row;
    for (int copy = 0; copy < R::kCopies; ++copy) {
#pragma HLS unroll
      const int left = next.across * R::kLanes + copy * T::kPixels;
      typename T::Element::Value values[T::kPixels];
      R::row_of(line, copy, next.channel, next.row, left, true, place, values);
      for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
        put_lane<typename T::Out>(row, copy * T::kPixels + i, values[i]);
      }
    }
    return Sent<Word>::of(row, next.round.is_last() && next.ends_round());
  }
};

template <class T, class Input, class Word = Row<T::kOutBits>>
void write_rows(hls::stream<Beat<T>>& beats, hls::stream<Word>& out) {
  serve<T, Input, RowOrder<T, Word>>(0, beats, out);
}

/// Which rows tiles of whole rows see, kOutRows of a result each: the first, which may lie above the image, and the
/// last.
template <class T>
struct RowTiles {
  static constexpr int kGroups = T::kWriters;
  static constexpr bool is_there(int tile) { return tile * T::kOutRows < T::kOutHeight; }
  static constexpr int first(int tile) { return tile * T::kOutRows * T::kStrideY - T::kPaddingY; }
  static constexpr int last(int tile) { return first(tile) + T::kOutLines - 1; }
};

/// Which rows tiles of kOutTileN neighbouring pixels of a result see.
template <class T>
struct ColumnTiles {
  static constexpr int kGroups = T::kWriters / T::kOutLinks;
  static constexpr int kPixels = T::kOutHeight * T::kOutWidth;
  static constexpr bool is_there(int tile) { return tile * T::kOutTileN < kPixels; }
  static constexpr int first(int tile) { return tile * T::kOutTileN / T::kOutWidth * T::kStrideY - T::kPaddingY; }
  static constexpr int last(int tile) {
    const int end = (tile + 1) * T::kOutTileN < kPixels ? (tile + 1) * T::kOutTileN : kPixels;
    return (end - 1) / T::kOutWidth * T::kStrideY - T::kPaddingY + T::kKernelY - 1;
  }
};

/// What of the image these rows are; `core` is a group's.
template <class T, class Tiles>
struct Seen {
  static constexpr int inside(int row) { return row < 0 ? 0 : row < T::kHeight ? row : T::kHeight - 1; }
  static constexpr bool is_there(int round, int core) { return Tiles::is_there(round * Tiles::kGroups + core); }
  static constexpr int first(int round, int core) { return Tiles::first(round * Tiles::kGroups + core); }
  static constexpr int low(int round, int core) { return inside(first(round, core)); }
  static constexpr int high(int round, int core) { return inside(Tiles::last(round * Tiles::kGroups + core)); }

  /// The most rows that a tile sees.
  static constexpr int span() {
    int most = 0;
    for (int round = 0; round < T::kOutRounds; ++round) {
      for (int core = 0; core < Tiles::kGroups; ++core) {
        const int seen = high(round, core) - low(round, core) + 1;
        most = is_there(round, core) && seen > most ? seen : most;
      }
    }
    return most;
  }
};

/// Where rows lie in a writer's ring that keeps only those that its own tiles see: span() places a round.
template <class T, int kGroups>
struct OwnRows {
  signed char at[kGroups][T::kHeight];  // the ring's row that holds a row of the image; -1: it is not kept
  static_assert(T::kRows < 128, "a ring of own rows has fewer than 128");
};
template <class T, class Tiles>
constexpr OwnRows<T, Tiles::kGroups> own_rows() {
  using Rows = Seen<T, Tiles>;
  constexpr int kSpan = Rows::span();
  OwnRows<T, Tiles::kGroups> rows{};
  for (int core = 0; core < Tiles::kGroups; ++core) {
    for (int y = 0; y < T::kHeight; ++y) {
      rows.at[core][y] = -1;
    }
    for (int round = 0; round < T::kOutRounds; ++round) {
      const int place = round * kSpan;
      const int top = Rows::low(round, core);
      for (int y = top; Rows::is_there(round, core) && y <= Rows::high(round, core); ++y) {
        rows.at[core][y] = static_cast<signed char>((place + y - top) % T::kRows);
      }
    }
  }
  return rows;
}

/// The places of rows in a ring: own rows by their table.
template <class T, class Tiles, bool kOwn = T::kOwnRows>
struct Places {
  using Rows = Seen<T, Tiles>;
  static constexpr int kSpan = Rows::span();
  static constexpr int kImage = kSpan * T::kOutRounds;
  static constexpr int low(int round) { return round * kSpan; }

  /// The last place of the last round that has begun at a row: rounds begin in order of rows.
  static constexpr int touched(int row) {
    int begun = 0;
    int beyond = T::kOutRounds;
    while (begun + 1 < beyond) {
      const int middle = (begun + beyond) / 2;
      (Rows::first(middle, 0) <= row ? begun : beyond) = middle;
    }
    return begun * kSpan + kSpan - 1;
  }
  static int kept(int core, int row) {
#pragma HLS inline
    constexpr OwnRows<T, Tiles::kGroups> rows = own_rows<T, Tiles>();
    signed char at[T::kHeight];
#pragma HLS array_partition variable=at complete
    for (int y = 0; y < T::kHeight; ++y) {
#pragma HLS unroll
      at[y] = rows.at[core][y];
    }
    return at[row];
  }
  static int row_of(int core, int y) { return kept(core, y); }
};

/// All rows, one after another.
template <class T, class Tiles>
struct Places<T, Tiles, false> {
  static constexpr int kImage = T::kHeight;
  static constexpr int low(int round) { return Seen<T, Tiles>::low(round, 0); }
  static constexpr int touched(int row) { return row; }
  static int kept(int, int row) { return row; }
  static int row_of(int, int y) {
#pragma HLS inline
    return remainder<T::kRows, T::kHeight - 1>(y);
  }
};

/// What writers of tiles have in common.
template <class T, class Tiles, class R>
struct TileOrder {
  using Kept = R;
  using P = Places<T, Tiles>;
  static constexpr int kRounds = T::kOutRounds, kPackets = T::kOutRounds, kPlaces = P::kImage;
  static constexpr int kTurn = kPlaces % T::kRows * R::kRowWords, kPipeline = kSettle;
  static constexpr int high(int round) { return Seen<T, Tiles>::high(round, Tiles::kGroups - 1); }
  static constexpr int low(int round) { return P::low(round); }
  static constexpr int touched(int row) { return P::touched(row); }
  static int row_kept(int core, int row) {
#pragma HLS inline
    return P::kept(quotient<T::kOutLinks, T::kWriters>(core), row);
  }
};

/// The ring's row that holds a line of what a core's tile of a round sees; -1: there is no such line of the image.
template <class T>
int row_of_line(int core, int round, int line) {
#pragma HLS inline
  const int tile = round * T::kWriters + core;
  const int y = tile * T::kOutRows * T::kStrideY + line - T::kPaddingY;
  const bool here = tile * T::kOutRows < T::kOutHeight && 0 <= y && y < T::kHeight;
  return here ? Places<T, RowTiles<T>>::row_of(core, y) : -1;
}

/// What a core of a direct convolution reads. Traits besides those of a line buffer: kOutRounds, kOutRows, kOutHeight,
/// kOutPasses, kOutLines, kOutBlocks, kOutColumns, kOutBlockRows, kOutBlockCols, kOutStrip (columns from lane to lane),
/// kStrideY, kPaddingY.
template <class T, class R = Ring<T>>
struct LaneOrder : TileOrder<T, RowTiles<T>, R> {
  static constexpr int kWords = T::kOutBlockRows * T::kOutBlockCols / R::kLanes;
  static constexpr int kRoundWords = T::kOutPasses * T::kOutLines * T::kOutBlocks * T::kOutColumns * kWords;
  static_assert(T::kOutBlockRows * T::kOutBlockCols % R::kLanes == 0, "a block is whole words");
  static_assert(is_power_of_two(T::kOutBlockCols) && T::kOutBlockCols % T::kPixels == 0,
      "a copy gives lanes of one channel");
  static constexpr bool serves() {
    for (int lane = 0; lane < T::kOutBlockCols; lane += T::kPixels) {
      const int first = lane * T::kOutStrip - T::kPaddingX;
      if (!R::serves(T::kPixels, T::kWordApart, first, first + T::kOutColumns, 1)) {
        return false;
      }
    }
    return true;
  }
  static_assert(serves(), "two values of a word lie in one bank: change kStep, kSkew or kBanks");

  struct Next {
    Counter<T::kOutRounds> round;
    Counter<T::kOutPasses> pass;
    Counter<T::kOutLines> line;
    Counter<T::kOutBlocks> block;
    Counter<T::kOutColumns> column;
    Counter<kWords> word;

    bool ends_round() const {
      return pass.is_last() && line.is_last() && block.is_last() && column.is_last() && word.is_last();
    }
    bool step() {
#pragma HLS inline
      return word.step() && column.step() && block.step() && line.step() && pass.step() && round.step();
    }
  };

  static Axis<T::kOutBits> word_of(const typename R::Line& line, int core, const Next& next, int place) {
#pragma HLS inline
    const int row = row_of_line<T>(core, next.round, next.line);
    Axis<T::kOutBits> word;
    for (int copy = 0; copy < R::kCopies; ++copy) {
#pragma HLS unroll
      const int element = next.word * R::kLanes + copy * T::kPixels;  // of a block
      const int channel = (next.pass * T::kOutBlocks + next.block) * T::kOutBlockRows + element / T::kOutBlockCols;
      const int left = element % T::kOutBlockCols * T::kOutStrip + next.column - T::kPaddingX;
      typename T::Element::Value values[T::kPixels];
      R::row_of(line, copy, channel, row, left, row >= 0 && channel < T::kChannels, place, values);
      for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
        put_lane<typename T::Out>(word, copy * T::kPixels + i, values[i]);
      }
    }
    word.keep = -1;
    word.last = next.ends_round();
    return word;
  }
};

template <class T, class Input, int kCore = 0>
void write_lane_lines(hls::stream<Beat<T>>& beats, Port<T::kOutBits>& out) {
  serve<T, Input, LaneOrder<T>>(kCore, beats, out);
}

/// What a core of a sliding convolution reads. Traits besides those of a line buffer: kOutRounds, kOutRows, kOutHeight,
/// kOutChannels (of all passes), kOutLines, kOutLineWords, kStrideY, kPaddingY.
template <class T, class R = Ring<T>>
struct LineOrder : TileOrder<T, RowTiles<T>, R> {
  static constexpr int kRoundWords = T::kOutChannels * T::kOutLines * T::kOutLineWords;
  static_assert(T::kPixels == R::kLanes, "a word is neighbours of a line");
  static constexpr int kEnd = T::kOutLineWords * R::kLanes - T::kPaddingX;
  static_assert(R::serves(T::kPixels, T::kWordApart, -T::kPaddingX, kEnd, R::kLanes),
                "two values of a word lie in one bank: change kStep, kSkew or kBanks");

  struct Next {
    Counter<T::kOutRounds> round;
    Counter<T::kOutChannels> channel;
    Counter<T::kOutLines> line;
    Counter<T::kOutLineWords> word;

    bool ends_round() const { return channel.is_last() && line.is_last() && word.is_last(); }
    bool step() {
#pragma HLS inline
      return word.step() && line.step() && channel.step() && round.step();
    }
  };

  static Axis<T::kOutBits> word_of(const typename R::Line& line, int core, const Next& next, int place) {
#pragma HLS inline
    const int row = row_of_line<T>(core, next.round, next.line);
    typename T::Element::Value values[T::kPixels];
    const int left = next.word * R::kLanes - T::kPaddingX;
    R::row_of(line, 0, next.channel, row, left, row >= 0 && next.channel < T::kChannels, place, values);
    Axis<T::kOutBits> word;
    for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
      put_lane<typename T::Out>(word, i, values[i]);
    }
    word.keep = -1;
    word.last = next.ends_round();
    return word;
  }
};

template <class T, class Input, int kCore = 0>
void write_lines(hls::stream<Beat<T>>& beats, Port<T::kOutBits>& out) {
  serve<T, Input, LineOrder<T>>(kCore, beats, out);
}

/// What a core of a matrix product reads: its tiles of the matrix with a row for each input of a result and a column
/// for each pixel, block after block. Traits besides those of a line buffer: kOutRounds, kOutPasses, kOutLinks (cores
/// of a chain, each with its part of K), kOutTileK, kOutTileN, kOutBlockRows, kOutBlockCols, kByColumn (a block's
/// pixels lie one after another), kColumnsInside (blocks of a row of K lie one after another), kOutHeight, kOutWidth,
/// kKernelY, kKernelX, kStrideY, kStrideX, kPaddingY.
template <class T, class R = Ring<T>>
struct ColumnOrder : TileOrder<T, ColumnTiles<T>, R> {
  using P = Places<T, ColumnTiles<T>>;
  static constexpr int kWords = T::kOutBlockRows * T::kOutBlockCols / R::kLanes;
  static constexpr int kColumns = T::kOutTileN / T::kOutBlockCols, kDepths = T::kOutTileK / T::kOutBlockRows;
  static constexpr int kRoundWords = T::kOutPasses * kColumns * kDepths * kWords;
  static constexpr int kArea = T::kKernelY * T::kKernelX, kTaps = T::kChannels * kArea;
  static constexpr int kResults = T::kOutHeight * T::kOutWidth;
  static constexpr int kMostTap = T::kOutPasses * T::kOutLinks * T::kOutTileK;
  static constexpr int kMostPixel = T::kOutRounds * T::kWriters * T::kOutTileN;
  static constexpr int kBlock = T::kByColumn ? T::kOutBlockRows : T::kOutBlockCols;
  static_assert(T::kOutBlockRows * T::kOutBlockCols % R::kLanes == 0, "a block is whole words");
  static_assert(T::kPixels == 1 || (!T::kByColumn && T::kOutBlockCols % T::kPixels == 0),
      "a copy gives a block's neighbours");
  static_assert(T::kPixels == 1 || R::serves(T::kPixels, T::kWordApart, -T::kPaddingX, T::kWidth + T::kPaddingX, 1),
                "two values of a word lie in one bank: change kStep, kSkew or kBanks");

  struct Next {
    Counter<T::kOutRounds> round;
    Counter<T::kOutPasses> pass;
    Counter<kColumns> nt;
    Counter<kDepths> kt;
    Counter<kWords> word;

    bool ends_round() const { return pass.is_last() && nt.is_last() && kt.is_last() && word.is_last(); }
    bool step() {
#pragma HLS inline
      if (!word.step()) {
        return false;
      }
      const bool ends = T::kColumnsInside ? nt.step() && kt.step() : kt.step() && nt.step();
      return ends && pass.step() && round.step();
    }
  };

  static Axis<T::kOutBits> word_of(const typename R::Line& line, int core, const Next& next, int place) {
#pragma HLS inline
    const int group = quotient<T::kOutLinks, T::kWriters>(core);
    const int tile = next.round * ColumnTiles<T>::kGroups + group;
    Axis<T::kOutBits> word;
    for (int copy = 0; copy < R::kCopies; ++copy) {
#pragma HLS unroll
      const int element = next.word * R::kLanes + copy * T::kPixels;  // of a block
      const int outer = quotient<kBlock, T::kOutBlockRows * T::kOutBlockCols>(element);
      const int inner = element - outer * kBlock;
      const int row = T::kByColumn ? inner : outer;
      const int column = T::kByColumn ? outer : inner;
      const int k = (next.pass * T::kOutLinks + core - group * T::kOutLinks) * T::kOutTileK + next.kt * T::kOutBlockRows + row;
      const int pixel = tile * T::kOutTileN + next.nt * T::kOutBlockCols + column;
      const int channel = quotient<kArea, kMostTap>(k);
      const int tap = k - channel * kArea;
      const int down = quotient<T::kKernelX, kArea>(tap);
      const int above = quotient<T::kOutWidth, kMostPixel>(pixel);
      const int y = above * T::kStrideY + down - T::kPaddingY;
      const int left = (pixel - above * T::kOutWidth) * T::kStrideX + tap - down * T::kKernelX - T::kPaddingX;
      const bool inside = k < kTaps && pixel < kResults && 0 <= y && y < T::kHeight;
      typename T::Element::Value values[T::kPixels];
      R::row_of(line, copy, inside ? channel : 0, inside ? P::row_of(group, y) : 0, left, inside, place, values);
      for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
        put_lane<typename T::Out>(word, copy * T::kPixels + i, values[i]);
      }
    }
    word.keep = -1;
    word.last = next.ends_round();
    return word;
  }
};

template <class T, class Input, int kCore = 0>
void write_columns(hls::stream<Beat<T>>& beats, Port<T::kOutBits>& out) {
  serve<T, Input, ColumnOrder<T>>(kCore, beats, out);
}

/// What leaves in plain order, each value of a word from a copy of its own; the last word is filled up with zeros.
/// `Reorder::from` makes the place of a result to one of the image. Traits besides those of a line buffer: kOutRounds
/// (one, or the image's rows), kOutChannels, kOutHeight, kOutWidth.
template <class T, class Reorder, class R = Ring<T>>
struct PlainOrder {
  using Kept = R;
  static constexpr int kValues = T::kOutChannels * T::kOutHeight * T::kOutWidth;
  static constexpr int kRounds = T::kOutRounds, kPlaces = T::kHeight, kWords = ceil_div(kValues, R::kLanes * kRounds);
  static constexpr int kRoundWords = kWords, kPackets = 1;
  static constexpr int kTurn = kPlaces % T::kRows * R::kRowWords, kPipeline = kSettle;
  static constexpr int high(int round) { return kRounds == 1 ? T::kHeight - 1 : round; }
  static constexpr int low(int round) { return kRounds == 1 ? 0 : round; }
  static constexpr int touched(int row) { return row; }
  static_assert(!T::kOwnRows && T::kWriters == 1, "one writer sends all rows: kOwnRows is false, kWriters 1");
  static_assert(T::kPixels == 1, "each value of a word has a copy: kPixels is 1");
  static_assert(kRounds == 1 || kValues == kRounds * kWords * R::kLanes, "a round is whole words");

  struct Next {
    Counter<kRounds> round;
    Counter<kWords> word;
    Counter<T::kOutChannels + R::kLanes> channel;  // of the word's first value
    Counter<T::kOutHeight> y;
    Counter<T::kOutWidth> x;

    bool ends_round() const { return word.is_last(); }

    /// Makes a place to the one `more` values behind it: a constant for each lane.
    static void go(int more, int& to_channel, int& to_y, int& to_x) {
#pragma HLS inline
      to_x += more % T::kOutWidth;
      to_y += more / T::kOutWidth % T::kOutHeight;
      to_channel += more / (T::kOutWidth * T::kOutHeight);
      if (to_x >= T::kOutWidth) {
        to_x -= T::kOutWidth;
        ++to_y;
      }
      if (to_y >= T::kOutHeight) {
        to_y -= T::kOutHeight;
        ++to_channel;
      }
    }

    bool step() {
#pragma HLS inline
      const bool ends = word.step() && round.step();
      int to_channel = channel, to_y = y, to_x = x;
      go(R::kLanes, to_channel, to_y, to_x);
      channel.at = ends ? 0 : to_channel;
      y.at = ends ? 0 : to_y;
      x.at = ends ? 0 : to_x;
      return ends;
    }
  };

  static int row_kept(int, int row) { return row; }

  static Axis<T::kOutBits> word_of(const typename R::Line& line, int, const Next& next, int place) {
#pragma HLS inline
    Axis<T::kOutBits> word;
    for (int lane = 0; lane < R::kLanes; ++lane) {
#pragma HLS unroll
      int channel = next.channel, y = next.y, x = next.x;
      Next::go(lane, channel, y, x);
      const bool inside = channel < T::kOutChannels;
      channel = inside ? channel : 0;
      Reorder::from(channel, y, x);
      typename T::Element::Value value[1];
      R::row_of(line, lane, channel, remainder<T::kRows, T::kHeight - 1>(y), x, inside, place, value);
      put_lane<typename T::Out>(word, lane, inside ? value[0] : typename T::Element::Value(0));
    }
    word.keep = -1;
    word.last = next.round.is_last() && next.ends_round();
    return word;
  }
};

template <class T, class Input, class Reorder = InPlace>
void write_plain(hls::stream<Beat<T>>& beats, Port<T::kOutBits>& out) {
  serve<T, Input, PlainOrder<T, Reorder>>(0, beats, out);
}

}  // namespace pl
}  // namespace aieloom
