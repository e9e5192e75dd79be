// A line buffer: a ring of rows in banks, which takes a beat and gives a word in every cycle.
//
//   beat: kWays channels x kBeat columns       word: kCopies channels x kPixels columns
//        |                                         ^
//        v   one write a bank                      |   one read a bank
//   [way][copy][bank] : kRows x kSetChannels x kColumns values; x lies in bank (x / kStep + x % kStep x kSkew) % kBanks
//
// A part's traits T, which inherit Elements<...> and LineTraits, say
//   the image  kChannels, kHeight, kWidth, kPaddingX
//   a beat     kReaders, kTogether (channels that each reader brings in a cycle, each on a way), kSetChannels (that a
//              way brings one after another), kBeat (values of each), kBeatApart (columns between them)
//   the ring   kRows, kBanks, kStep, kSkew, Storage, kOwnRows (each writer keeps rows of its own), kWriters
//   a word     kOutBits, kPixels (values of a channel), kWordApart (columns between them), kZero (outside the image)
//
// II=1. Memory: kWays x kCopies x kBanks of kDepth values. LUTs: for each bank a choice of one value of kBeat to write
// and of one address of kPixels to read, for each value of a word a choice of one of kWays x kBanks.
#pragma once

#include "flow.h"
#include "schedule.h"
#include "storage.h"
#include "words.h"

namespace aieloom {
namespace pl {

/// What most line buffers have in common; traits say what differs.
struct LineTraits {
  static constexpr int kReaders = 1, kTogether = 1, kBeatApart = 1, kStep = 1, kSkew = 0;
  static constexpr int kWordApart = 1, kPaddingX = 0, kPaddingY = 0, kZero = 0, kOutLinks = 1, kStrideX = 1, kStrideY = 1;
  using Storage = Lutram;
  static constexpr int kWriters = 1;
  static constexpr bool kOwnRows = false, kByColumn = false, kColumnsInside = false;
};

/// Channels that come on all ways in a cycle, one on each.
template <class T>
constexpr int ways() {
  return T::kReaders * T::kTogether;
}

/// Channels that a reader brings on all its ways.
template <class T>
constexpr int read_channels() {
  return T::kSetChannels * T::kTogether;
}

/// The image's channel that is number `number` of a way.
template <class T>
int channel_of(int way, int number) {
#pragma HLS inline
  return way / T::kTogether * read_channels<T>() + number * T::kTogether + way % T::kTogether;
}

/// Rows that a beat's row counts: of the image where those who keep them know where they lie, else of the ring.
template <class T>
constexpr int beat_rows() {
  return T::kOwnRows ? T::kHeight : T::kRows;
}

/// A row of the image, of kMost at most, as a beat says it.
template <class T, int kMost = T::kHeight - 1>
int beat_row(int y) {
#pragma HLS inline
  return T::kOwnRows ? y : remainder<T::kRows, kMost>(y);
}

/// Values of `kWays` channels, kBeatApart columns from each other, and their place in the image and in the ring.
template <class T, int kWays = ways<T>()>
struct Beat {
  typename T::Element::Value value[kWays][T::kBeat];
  ap_uint<bits_for(beat_rows<T>() - 1)> row;      // see beat_rows
  ap_uint<bits_for(T::kSetChannels - 1)> number;  // of the channel, among a way's
  ap_uint<bits_for(T::kWidth - 1)> column;        // of the first value
  bool keep[kWays];                               // false: outside the image
};

/// The ring of a part, and how columns lie in banks: those of a beat in different ones, and so those of a word.
template <class T>
struct Ring {
  using Value = typename T::Element::Value;
  static constexpr int kLanes = T::kOutBits / T::Out::kBits;
  static constexpr int kCopies = kLanes / T::kPixels;
  static constexpr int kWays = ways<T>();
  static constexpr int kReadChannels = read_channels<T>();
  static constexpr int kColumns = ceil_div(T::kWidth, T::kBanks * T::kStep) * T::kStep;  // words of a bank for a row
  static constexpr int kRowWords = T::kSetChannels * kColumns;
  static constexpr int kDepth = T::kRows * kRowWords;  // words of a bank
  // keeps columns positive
  static constexpr int kShift = ceil_div(T::kPaddingX, T::kBanks * T::kStep) * T::kBanks * T::kStep;
  static constexpr int kMostColumn = 2 * T::kWidth + T::kBeat * T::kBeatApart + T::kPixels * T::kWordApart + kShift;
  static constexpr int kMostBank = (kMostColumn / T::kStep + 1) + T::kStep * T::kSkew;
  static_assert(T::kWidth <= kMostColumn && T::kPaddingX <= kShift, "columns are not negative");
  static_assert(is_power_of_two(T::kTogether),
      "a word has a power of two of channels, by which a channel's number is divided");
  static_assert(kReadChannels * T::kReaders >= T::kChannels, "all channels come: give a way more kSetChannels");
  static_assert(kLanes % T::kPixels == 0, "a word takes kPixels values from each copy; give whole copies a word");
  using Line = Value[kWays][kCopies][T::kBanks][kDepth];

  static constexpr int step_of(int x) { return quotient<T::kStep, kMostColumn>(x); }
  static constexpr int in_step(int x) { return x - T::kStep * step_of(x); }

  static constexpr int bank_of(int x) {
    return remainder<T::kBanks, kMostBank>(step_of(x + kShift) + in_step(x + kShift) * T::kSkew);
  }

  /// Whether values that are written or read together lie in different banks: `count`, `apart` columns from each other,
  /// from any of the columns begin, begin + by, ... below end.
  static constexpr bool serves(int count, int apart, int begin, int end, int by) {
    for (int first = begin; first < end; first += by) {
      for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
          const int a = first + i * apart;
          const int b = first + j * apart;
          if (a >= 0 && b < T::kWidth && bank_of(a) == bank_of(b)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  static int word_of(int x) {
#pragma HLS inline
    return quotient<T::kBanks, kMostColumn>(step_of(x)) * T::kStep + in_step(x);
  }

  /// Stores a beat at a row: each bank is written at most once.
  static void store(Line& line, const Beat<T>& beat, int row, int place) {
#pragma HLS inline
    constexpr bool kNeighbours = T::kBeatApart == 1;
    constexpr int kEnd = kNeighbours ? T::kWidth : T::kBeatApart;
    static_assert(serves(T::kBeat, T::kBeatApart, 0, kEnd, kNeighbours ? T::kBeat : 1),
                  "two values of a beat lie in one bank: change kStep, kSkew or kBanks");
    const int first = row * kRowWords + static_cast<int>(beat.number) * kColumns;
    for (int bank = 0; bank < T::kBanks; ++bank) {
#pragma HLS unroll
      int chosen = 0;
      int x = T::kWidth;
      for (int i = 0; i < T::kBeat; ++i) {
#pragma HLS unroll
        const int at = static_cast<int>(beat.column) + i * T::kBeatApart;
        if (bank_of(at) == bank && at < T::kWidth) {
          chosen = i;
          x = at;
        }
      }
      const int word = in_ring<kDepth>(first + word_of(x), place);
      for (int way = 0; way < kWays; ++way) {
#pragma HLS unroll
        for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
          if (row >= 0 && beat.keep[way] && x < T::kWidth) {
            line[way][copy][bank][word] = beat.value[way][chosen];
          }
        }
      }
    }
  }

  /// kPixels values of a channel's row, kWordApart columns apart, from column `left` on: each bank of a copy is read
  /// once.
  static void row_of(const Line& line, int copy, int channel, int row, int left, bool inside, int place,
                     Value (&values)[T::kPixels]) {
#pragma HLS inline
    constexpr int kMost = kReadChannels * T::kReaders - 1;
    const int reader = T::kReaders == 1 ? 0 : quotient<kReadChannels, kMost>(channel);
    const int way = reader * T::kTogether + channel % T::kTogether;
    const int first = row * kRowWords + (channel - reader * kReadChannels) / T::kTogether * kColumns;
    int bank_at[T::kPixels];
    Value found[T::kBanks];
#pragma HLS array_partition variable=bank_at complete
#pragma HLS array_partition variable=found complete
    for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
      const int at = left + i * T::kWordApart;
      bank_at[i] = 0 <= at && at < T::kWidth ? bank_of(at) : T::kBanks;
    }
    for (int bank = 0; bank < T::kBanks; ++bank) {
#pragma HLS unroll
      int x = T::kWidth;
      for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
        x = bank_at[i] == bank ? left + i * T::kWordApart : x;
      }
      const bool seen = inside && x < T::kWidth;
      found[bank] = seen ? line[way][copy][bank][in_ring<kDepth>(first + word_of(x), place)] : Value(T::kZero);
    }
    for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
      values[i] = bank_at[i] < T::kBanks ? found[bank_at[i]] : Value(T::kZero);
    }
  }
};

/// Sends word after word in an order, image after image, and takes beats meanwhile; never returns.
/// II=1: a word's addresses follow from counters alone; every bank is read once and written once at most.
/// `core` is no template argument: HLS inlines this function and folds it, g++ compiles it once for all cores.
template <class T, class Input, class Order, class Word>
void serve(int core, hls::stream<Beat<T>>& beats, hls::stream<Word>& out) {
#pragma HLS inline
  using R = typename Order::Kept;
  constexpr int kRounds = Order::kRounds;
  constexpr Schedule<kRounds> plan = schedule<T, Input, Order>();
  static_assert(fits(plan), "the ring has too few rows for what a round reads: give kRows more");
  typename R::Line line;
#pragma HLS array_partition variable=line dim=1 complete
#pragma HLS array_partition variable=line dim=2 complete
#pragma HLS array_partition variable=line dim=3 complete
// What a step writes is read kSettle steps later at the earliest: a beat counts as whole only then.
#pragma HLS dependence variable=line type=inter direction=RAW dependent=false
  bind_storage(line, typename T::Storage());
  int needs_of[kRounds];
  int room_of[kRounds];
// Registers, not a ROM: what is needed next is chosen in the step that ends a round.
#pragma HLS array_partition variable=needs_of complete
#pragma HLS array_partition variable=room_of complete
  for (int i = 0; i < kRounds; ++i) {
#pragma HLS unroll
    needs_of[i] = plan.needs[i];
    room_of[i] = plan.room[i];
  }
  typename Order::Next next;
  Flow<Input::kBeats, most_room(plan), Order::kTurn, R::kDepth> flow;
  Quiet<Order::kPipeline> quiet;
  int needs = needs_of[0];
  int room = room_of[0];
  for (;;) {
#pragma HLS pipeline II=1 style=flp
    const bool sends = flow.whole >= needs;
    const bool waits = !sends && quiet.enough();
    const bool takes = flow.taken < room && (waits || !beats.empty());
    if (sends) {
      out.write(Order::word_of(line, core, next, flow.reads));
    }
    if (takes) {
      const Beat<T> beat = beats.read();
      R::store(line, beat, Order::row_kept(core, beat.row), flow.writes);
    }
    if (sends && next.ends_round()) {
      const int round = next.round.is_last() ? 0 : static_cast<int>(next.round) + 1;
      needs = needs_of[round];
      room = room_of[round];
    }
    flow.step(takes, sends && next.step());
    quiet.step(sends || takes);
  }
}

}  // namespace pl
}  // namespace aieloom
