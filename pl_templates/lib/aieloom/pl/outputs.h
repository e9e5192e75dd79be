// In which orders words leave line buffers: each is a nest of counters, so that no index is divided.
//
//   rows        [y][channel][x]                                     between tasks
//   lane lines  [round][pass][line][block][column][channel][lane]   what a core of a direct convolution reads, with the border
//   vector      [round][pass][nt][kt][k][n]                         what a core of a matrix product reads of one pixel
//
// II=1: a word a cycle. LUTs and memories: those of the line buffer, a counter for each loop, and for lane lines of own rows a
// table of kHeight short numbers.
#pragma once

#include "line_buffer.h"

namespace aieloom {
namespace pl {

/// What leaves in rows, an image's row a round.
template <class T>
struct RowOrder {
  using R = Ring<T>;
  static constexpr int kRounds = T::kHeight, kPlaces = T::kHeight, kAcross = T::kWidth / R::kLanes;
  static constexpr int high(int round) { return round; }
  static constexpr int low(int round) { return round; }
  static constexpr int touched(int row) { return row; }
  static_assert(!T::kOwnRows && T::kOutGroups == 1, "one writer sends all rows: kOwnRows is false, kOutGroups 1");
  static_assert(R::kCopies == 1 && T::kWidth % R::kLanes == 0, "a word is a part of one row");
  static_assert(R::serves(T::kPixels, T::kWordApart, 0, T::kWidth, R::kLanes),
                "two values of a word lie in one bank: change kStep, kSkew or kBanks");

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

  static Row<T::kOutBits> word_of(const typename R::Line& line, int, const Next& next, int place) {
#pragma HLS inline
    typename T::Element::Value values[T::kPixels];
    R::row_of(line, 0, next.channel, next.row, next.across * R::kLanes, true, place, values);
    Row<T::kOutBits> word;
    for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
      put_lane<typename T::Element>(word, i, values[i]);
    }
    return word;
  }
};

template <class T, class Input>
void write_rows(hls::stream<Beat<T>>& beats, hls::stream<Row<T::kOutBits>>& out) {
  serve<T, Input, RowOrder<T>>(0, beats, out);
}

/// Which rows the tile of a round sees: kOutRows rows of a result, kOutGroups cores side by side.
template <class T>
struct TileRows {
  static constexpr int first(int round, int core) { return (round * T::kOutGroups + core) * T::kOutRows * T::kStrideY - T::kPaddingY; }
  static constexpr int low(int round, int core) { return first(round, core) < 0 ? 0 : first(round, core); }
  static constexpr int high(int round, int core) {
    return first(round, core) + T::kOutLines < T::kHeight ? first(round, core) + T::kOutLines - 1 : T::kHeight - 1;
  }
  static constexpr bool is_there(int round, int core) { return (round * T::kOutGroups + core) * T::kOutRows < T::kOutHeight; }

  /// The most rows that a tile sees.
  static constexpr int span() {
    int most = 0;
    for (int round = 0; round < T::kOutRounds; ++round) {
      for (int core = 0; core < T::kOutGroups; ++core) {
        const int seen = high(round, core) - low(round, core) + 1;
        most = is_there(round, core) && seen > most ? seen : most;
      }
    }
    return most;
  }
};

/// Where rows lie in a writer's ring that keeps only those that its own tiles see: span() places a round.
template <class T>
struct OwnRows {
  signed char at[T::kOutGroups][T::kHeight];  // the ring's row that holds a row of the image; -1: it is not kept
  static_assert(T::kRows < 128, "a ring of own rows has fewer than 128");
};
template <class T>
constexpr OwnRows<T> own_rows() {
  OwnRows<T> rows{};
  for (int core = 0; core < T::kOutGroups; ++core) {
    for (int y = 0; y < T::kHeight; ++y) {
      rows.at[core][y] = -1;
    }
    for (int round = 0; round < T::kOutRounds; ++round) {
      const int top = TileRows<T>::low(round, core);
      for (int y = top; TileRows<T>::is_there(round, core) && y <= TileRows<T>::high(round, core); ++y) {
        rows.at[core][y] = static_cast<signed char>((round * TileRows<T>::span() + y - top) % T::kRows);
      }
    }
  }
  return rows;
}

/// The places of rows in a ring: own rows by their table.
template <class T, bool kOwn = T::kOwnRows>
struct Places {
  using Rows = TileRows<T>;
  static constexpr int kImage = Rows::span() * T::kOutRounds;
  static constexpr int low(int round) { return round * Rows::span(); }
  static constexpr int touched(int row) {
    int begun = 0;
    while (begun + 1 < T::kOutRounds && Rows::first(begun + 1, 0) <= row) {
      ++begun;
    }
    return begun * Rows::span() + Rows::span() - 1;
  }
  static int kept(int core, int row) {
#pragma HLS inline
    constexpr OwnRows<T> rows = own_rows<T>();
    signed char at[T::kHeight];
#pragma HLS array_partition variable=at complete
    for (int y = 0; y < T::kHeight; ++y) {
#pragma HLS unroll
      at[y] = rows.at[core][y];
    }
    return at[row];
  }
  struct Top {
    void step(bool) {}
    int row(int core, int y, int) const { return kept(core, y); }
  };
};

/// All rows, one after another; the ring's row of a round's first line is counted.
template <class T>
struct Places<T, false> {
  using Rows = TileRows<T>;
  static constexpr int kImage = T::kHeight;
  static constexpr int kStep = T::kOutGroups * T::kOutRows * T::kStrideY % T::kRows;  // from round to round
  static constexpr int kFirst = (T::kRows - T::kPaddingY % T::kRows) % T::kRows;
  static_assert(T::kOutLines <= T::kRows, "a tile's lines lie in the ring: give it more kRows");
  static constexpr int low(int round) { return Rows::low(round, 0) < T::kHeight ? Rows::low(round, 0) : T::kHeight - 1; }
  static constexpr int touched(int row) { return row; }
  static int kept(int, int row) { return row; }
  struct Top {
    ap_uint<bits_for(T::kRows)> at = kFirst;

    void step(bool image_ends) {
#pragma HLS inline
      at = image_ends ? kFirst : in_ring<T::kRows>(at, kStep);
    }
    int row(int core, int, int line) const {
#pragma HLS inline
      return in_ring<T::kRows>(in_ring<T::kRows>(at, core * T::kOutRows * T::kStrideY % T::kRows), line);
    }
  };
};

/// What a core of a direct convolution reads. Traits besides those of a line buffer: kOutRounds, kOutGroups, kOutRows, kOutHeight,
/// kOutPasses, kOutLines, kOutBlocks, kOutColumns, kOutBlockRows, kOutBlockCols, kStrideY, kPaddingY.
template <class T>
struct LaneOrder {
  using R = Ring<T>;
  using P = Places<T>;
  static constexpr int kRounds = T::kOutRounds, kPlaces = P::kImage, kWords = T::kOutBlockRows * T::kOutBlockCols / R::kLanes;
  static constexpr int high(int round) {
    const int last = TileRows<T>::high(round, T::kOutGroups - 1);
    return last < 0 ? 0 : last;
  }
  static constexpr int low(int round) { return P::low(round); }
  static constexpr int touched(int row) { return P::touched(row); }
  static_assert(T::kOutBlockRows * T::kOutBlockCols % R::kLanes == 0, "a block is whole words");
  static_assert(T::kPixels == T::kOutBlockCols, "a copy gives all lanes of a channel");
  static_assert(R::serves(T::kPixels, T::kWordApart, -T::kPaddingX, T::kOutColumns - T::kPaddingX, 1),
                "two values of a word lie in one bank: change kStep, kSkew or kBanks");

  struct Next {
    Counter<kRounds> round;
    Counter<T::kOutPasses> pass;
    Counter<T::kOutLines> line;
    Counter<T::kOutBlocks> block;
    Counter<T::kOutColumns> column;
    Counter<kWords> word;
    typename P::Top top;

    bool ends_round() const { return pass.is_last() && line.is_last() && block.is_last() && column.is_last() && word.is_last(); }
    bool step() {
#pragma HLS inline
      if (!word.step() || !column.step() || !block.step() || !line.step() || !pass.step()) {
        return false;
      }
      const bool ends = round.step();
      top.step(ends);
      return ends;
    }
  };

  static int row_kept(int core, int row) {
#pragma HLS inline
    return P::kept(core, row);
  }

  static Axis<T::kOutBits> word_of(const typename R::Line& line, int core, const Next& next, int place) {
#pragma HLS inline
    const int tile = next.round * T::kOutGroups + core;
    const int y = tile * T::kOutRows * T::kStrideY + next.line - T::kPaddingY;
    const bool here = tile * T::kOutRows < T::kOutHeight && 0 <= y && y < T::kHeight;
    const int row = here ? next.top.row(core, y, next.line) : 0;
    Axis<T::kOutBits> word;
    for (int copy = 0; copy < R::kCopies; ++copy) {
#pragma HLS unroll
      const int channel = (next.pass * T::kOutBlocks + next.block) * T::kOutBlockRows + next.word * R::kCopies + copy;
      typename T::Element::Value values[T::kPixels];
      R::row_of(line, copy, channel, row, next.column - T::kPaddingX, here && channel < T::kChannels, place, values);
      for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
        put_lane<typename T::Element>(word, copy * T::kPixels + i, values[i]);
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

/// What a core of a matrix product reads of an image of one pixel: a tile's first column is the pixel, the others fill up. Traits
/// besides those of a line buffer: kOutRounds, kOutGroups, kOutPasses, kOutTileK, kOutTileN, kOutBlockRows, kOutBlockCols.
template <class T>
struct VectorOrder {
  using R = Ring<T>;
  static constexpr int kRounds = T::kOutRounds, kPlaces = 1, kWords = T::kOutBlockRows * T::kOutBlockCols / R::kLanes;
  static constexpr int kColumns = T::kOutTileN / T::kOutBlockCols, kDepths = T::kOutTileK / T::kOutBlockRows;
  static constexpr int high(int) { return 0; }
  static constexpr int low(int) { return 0; }
  static constexpr int touched(int row) { return row; }
  static_assert(T::kHeight == 1 && T::kWidth == 1 && T::kPixels == 1, "an image is one pixel, and each value of a word has a copy");
  static_assert(is_power_of_two(T::kOutBlockCols) && is_power_of_two(R::kLanes), "places in a block are bits of a number");

  struct Next {
    Counter<kRounds> round;
    Counter<T::kOutPasses> pass;
    Counter<kColumns> nt;
    Counter<kDepths> kt;
    Counter<kWords> word;

    bool ends_round() const { return pass.is_last() && nt.is_last() && kt.is_last() && word.is_last(); }
    bool step() {
#pragma HLS inline
      return word.step() && kt.step() && nt.step() && pass.step() && round.step();
    }
  };

  static int row_kept(int, int row) { return row; }

  static Axis<T::kOutBits> word_of(const typename R::Line& line, int core, const Next& next, int place) {
#pragma HLS inline
    const bool first = core == 0 && next.round == 0 && next.nt == 0;  // the tile, and its columns, with the pixel
    Axis<T::kOutBits> word;
    for (int copy = 0; copy < R::kLanes; ++copy) {
#pragma HLS unroll
      const int element = next.word * R::kLanes + copy;  // of a block
      const int k = next.pass * T::kOutTileK + next.kt * T::kOutBlockRows + element / T::kOutBlockCols;
      const bool inside = first && element % T::kOutBlockCols == 0 && k < T::kChannels;
      typename T::Element::Value value[1];
      R::row_of(line, copy, k, 0, 0, inside, place, value);
      put_lane<typename T::Element>(word, copy, value[0]);
    }
    word.keep = -1;
    word.last = next.ends_round();
    return word;
  }
};

template <class T, class Input, int kCore = 0>
void write_vector(hls::stream<Beat<T>>& beats, Port<T::kOutBits>& out) {
  serve<T, Input, VectorOrder<T>>(kCore, beats, out);
}

}  // namespace pl
}  // namespace aieloom
