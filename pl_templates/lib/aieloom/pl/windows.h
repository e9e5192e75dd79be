// Layers that see neighbours (pools, borders, upsampling): each gives the folds of its windows, row after row of all
// channels.
//
//   beat: kWays channels x kBeat columns       beat: kWays channels x kOutBeat results
//        |                                         ^
//        v   one write a bank                      |   one read a bank: all places that the beat's windows see
//   [way][row % kKernelY][column % kBanks] : kRows / kKernelY rows of kSetChannels x kColumns values
//
// A result at (y, x) folds kKernelY x kKernelX places from (y / kUpY x kStrideY - kTop, x / kUpX x kStrideX - kLeft)
// on. Traits S, which inherit Elements<...> and WindowTraits: the image kChannels, kHeight, kWidth; a beat kReaders,
// kTogether, kSetChannels, kBeat; the ring kRows, kBanks, Storage; the window kKernelY, kKernelX, kStrideY, kStrideX,
// kTop, kLeft, kUpY, kUpX; kOutHeight, kOutBeats (of a row); kPipeline (more steps than its pipeline is deep); kWraps
// (a beat may go on in the next row).
//
// II=1. Memory: kWays x kKernelY x kBanks of kDepth values. LUTs: the fold of every place of a beat's windows, and the
// choice of each from the banks of its row.
#pragma once

#include "line_buffer.h"

namespace aieloom {
namespace pl {

/// What most windows have in common; traits say what differs. One task takes the beats, which count rows of the image.
struct WindowTraits {
  static constexpr int kReaders = 1, kTogether = 1, kBeatApart = 1, kStrideY = 1, kStrideX = 1;
  static constexpr int kUpY = 1, kUpX = 1, kTop = 0, kLeft = 0;
  static constexpr int kWriters = 1;
  using Storage = Lutram;
  static constexpr int kRows = 1;  // of a ring, where there is one: more
  static constexpr bool kOwnRows = true, kWraps = false;
};

/// The place that is `i` modulo `kSize`, as a distance from one that is `first` modulo it.
template <int kSize>
int ahead(int first, int i) {
#pragma HLS inline
  return i >= first ? i - first : i - first + kSize;
}

/// The ring of a window: rows that it sees lie in different banks, and so do columns.
template <class S>
struct WindowRing {
  using Value = typename S::Element::Value;
  static constexpr int kWays = ways<S>();
  static constexpr int kKept = S::kRows / S::kKernelY;  // rows of a bank
  static constexpr int kColumns = ceil_div(S::kWidth, S::kBanks);
  static constexpr int kRowWords = S::kSetChannels * kColumns;
  static constexpr int kDepth = kKept * kRowWords;
  static_assert(S::kRows % S::kKernelY == 0, "each of kKernelY banks has as many rows: kRows is a multiple of it");
  static_assert(S::kBeat <= S::kBanks, "a beat's columns lie in different banks: give kBanks more");
  static_assert(!S::kWraps || S::kKernelY > 1, "a beat on two rows needs banks for both");
  using Line = Value[kWays][S::kKernelY][S::kBanks][kDepth];

  /// Where a bank holds a row of the image.
  static int row_word(int row, int number) {
#pragma HLS inline
    const int kept = quotient<S::kKernelY, S::kRows>(remainder<S::kRows, S::kHeight>(row));
    return (kept * S::kSetChannels + number) * kColumns;
  }

  /// Stores a beat: each bank is written at most once.
  static void store(Line& line, const Beat<S>& beat, int row, int place) {
#pragma HLS inline
    const int first = remainder<S::kKernelY, S::kHeight>(row);
    const int second = first == S::kKernelY - 1 ? 0 : first + 1;
    const int words[2] = {row_word(row, beat.number), row_word(row + 1, beat.number)};
    for (int i = 0; i < S::kKernelY; ++i) {
#pragma HLS unroll
      for (int bank = 0; bank < S::kBanks; ++bank) {
#pragma HLS unroll
        int chosen = 0;
        int x = S::kWidth;
        for (int j = 0; j < S::kBeat; ++j) {
#pragma HLS unroll
          const int at = static_cast<int>(beat.column) + j;
          const bool next = S::kWraps && at >= S::kWidth;
          const int column = next ? at - S::kWidth : at;
          const bool there = next ? i == second && row + 1 < S::kHeight : i == first;
          if (there && remainder<S::kBanks, S::kWidth + S::kBeat>(column) == bank) {
            chosen = j;
            x = column;
          }
        }
        const int across = quotient<S::kBanks, S::kWidth + S::kBeat>(x);
        const int word = in_ring<kDepth>(words[i == first ? 0 : 1] + across, place);
        for (int way = 0; way < kWays; ++way) {
#pragma HLS unroll
          if (beat.keep[way] && x < S::kWidth) {
            line[way][i][bank][word] = beat.value[way][chosen];
          }
        }
      }
    }
  }
};

/// The folds of windows in order of row, channel and column, a row of the result a round, as beats of `To`.
template <class S, class Fold, class To>
struct WindowOrder {
  using R = WindowRing<S>;
  using Kept = R;
  static constexpr int kRounds = S::kOutHeight, kPlaces = ceil_div(S::kHeight, S::kKernelY) * S::kKernelY;
  static constexpr int kTurn = kPlaces / S::kKernelY % R::kKept * R::kRowWords, kPipeline = S::kPipeline;
  static constexpr int kShiftY = ceil_div(S::kTop, S::kKernelY) * S::kKernelY;  // keeps rows positive
  static constexpr int kShiftX = ceil_div(S::kLeft, S::kBanks) * S::kBanks;     // and columns
  static constexpr int kMostX = S::kOutBeats * To::kBeat;
  static constexpr int kMostRow = S::kOutHeight * S::kStrideY + kShiftY + S::kKernelY;
  static constexpr int kMostColumn = kMostX * S::kStrideX + kShiftX + S::kKernelX + S::kBanks;
  static_assert(ways<S>() == ways<To>() && S::kSetChannels == To::kSetChannels, "channels stay on their ways");
  static_assert(S::kOutHeight == To::kHeight && kMostX == To::kWidth, "results are the image that is read behind");
  static constexpr int inside(int row) { return row < 0 ? 0 : row < S::kHeight ? row : S::kHeight - 1; }
  static constexpr int low(int round) { return inside(round / S::kUpY * S::kStrideY - S::kTop); }
  static constexpr int high(int round) { return inside(round / S::kUpY * S::kStrideY - S::kTop + S::kKernelY - 1); }
  static constexpr int touched(int row) { return row; }

  struct Next {
    Counter<kRounds> round;
    Counter<S::kSetChannels> channel;
    Counter<S::kOutBeats> beat;

    bool ends_round() const { return channel.is_last() && beat.is_last(); }
    bool step() {
#pragma HLS inline
      return beat.step() && channel.step() && round.step();
    }
  };

  static int row_kept(int, int row) { return row; }

  static Beat<To> word_of(const typename R::Line& line, int, const Next& next, int place) {
#pragma HLS inline
    const int first = next.beat * To::kBeat;
    const int top = quotient<S::kUpY, S::kOutHeight>(next.round) * S::kStrideY - S::kTop;
    const int left = quotient<S::kUpX, kMostX>(first) * S::kStrideX - S::kLeft;
    const int row_bank = remainder<S::kKernelY, kMostRow>(top + kShiftY);
    const int bank = remainder<S::kBanks, kMostColumn>(left + kShiftX);
    Beat<To> beat;
    for (int way = 0; way < R::kWays; ++way) {
#pragma HLS unroll
      const bool real = channel_of<S>(way, next.channel) < S::kChannels;
      typename S::Element::Value found[S::kKernelY][S::kBanks];
#pragma HLS array_partition variable=found dim=0 complete
      for (int i = 0; i < S::kKernelY; ++i) {
#pragma HLS unroll
        const int row = top + ahead<S::kKernelY>(row_bank, i);
        const bool seen = real && 0 <= row && row < S::kHeight;
        for (int j = 0; j < S::kBanks; ++j) {
#pragma HLS unroll
          const int column = left + ahead<S::kBanks>(bank, j);
          const bool there = seen && 0 <= column && column < S::kWidth;
          const int across = quotient<S::kBanks, S::kWidth>(there ? column : 0);
          const int word = R::row_word(there ? row : 0, next.channel) + across;
          found[i][j] = there ? line[way][i][j][in_ring<R::kDepth>(word, place)] : 0;
        }
      }
      for (int i = 0; i < To::kBeat; ++i) {
#pragma HLS unroll
        const int from = quotient<S::kUpX, kMostX>(first + i) * S::kStrideX - S::kLeft;
        Fold window;
        for (int dy = 0; dy < S::kKernelY; ++dy) {
#pragma HLS unroll
          const int row = top + dy;
          const int row_at = row_bank + dy < S::kKernelY ? row_bank + dy : row_bank + dy - S::kKernelY;
          for (int dx = 0; dx < S::kKernelX; ++dx) {
#pragma HLS unroll
            const int column = from + dx;
            const bool there = 0 <= row && row < S::kHeight && 0 <= column && column < S::kWidth;
            window.take(found[row_at][remainder<S::kBanks, kMostColumn>(column + kShiftX)], there);
          }
        }
        beat.value[way][i] = To::Function::of(window.result());
      }
      beat.keep[way] = real;
    }
    beat.row = beat_row<To>(next.round);
    beat.number = static_cast<int>(next.channel);
    beat.column = first;
    return beat;
  }
};

template <class S, class Input, class Fold, class To>
void fold_windows(hls::stream<Beat<S>>& beats, hls::stream<Beat<To>>& results) {
  serve<S, Input, WindowOrder<S, Fold, To>>(0, beats, results);
}

/// Folds an image as it comes, then gives each channel's result: a beat in kTakeCycles, for a channel's fold is back
/// before its next beat; then a result a cycle. Memory: a fold for each channel in LUTs. Traits, which inherit
/// Elements<...> and WindowTraits:
/// the image, a beat, and kTakeCycles.
template <class S, class Input, class Fold, class To>
void fold_image(hls::stream<Beat<S>>& beats, hls::stream<Beat<To>>& results) {
  constexpr int kWays = ways<S>();
  static_assert(S::kTakeCycles > 0, "a beat takes a cycle at least");
  static_assert(ways<To>() == kWays && To::kBeat == 1 && S::kSetChannels == To::kSetChannels, "a result is a beat");
  Fold folds[kWays][S::kSetChannels];
#pragma HLS array_partition variable=folds dim=1 complete
#pragma HLS aggregate variable=folds
#pragma HLS bind_storage variable=folds type=ram_s2p impl=lutram
  for (int i = 0; i < Input::kBeats; ++i) {
#pragma HLS pipeline II=S::kTakeCycles
    const Beat<S> beat = beats.read();
    for (int way = 0; way < kWays; ++way) {
#pragma HLS unroll
      if (beat.keep[way]) {
        Fold kept = beat.row == 0 && beat.column == 0 ? Fold() : folds[way][beat.number];
        for (int k = 0; k < S::kBeat; ++k) {
#pragma HLS unroll
          kept.take(beat.value[way][k], true);
        }
        folds[way][beat.number] = kept;
      }
    }
  }
  for (int channel = 0; channel < S::kSetChannels; ++channel) {
#pragma HLS pipeline II=1
    Beat<To> beat;
    for (int way = 0; way < kWays; ++way) {
#pragma HLS unroll
      beat.keep[way] = channel_of<S>(way, channel) < S::kChannels;
      const typename S::Element::Value nothing = 0;
      beat.value[way][0] = To::Function::of(beat.keep[way] ? folds[way][channel].result() : nothing);
    }
    beat.row = 0;
    beat.number = channel;
    beat.column = 0;
    results.write(beat);
  }
}

}  // namespace pl
}  // namespace aieloom
