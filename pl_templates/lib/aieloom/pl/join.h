// Where tensors meet and part, as rows: all tasks take and give one row's word a cycle (II=1).
//
//   port --> bring_rows --> [rows] --.
//                                    join_rows --> [rows] --> ForkRows  --> [rows] --> send_rows --> port
//                           [rows] --'                                `--> [rows]
//
// LUTs: a register of a word, and what the join's function takes for each lane. Queues wait for whole images where
// inputs differ.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

/// Joins a word of each input a cycle, all lanes side by side. Traits, which inherit Elements<...>: kBits, kWords.
template <class T, class Function>
void join_rows(hls::stream<Row<T::kBits>>& first, hls::stream<Row<T::kBits>>& second,
    hls::stream<Row<T::kBits>>& joined) {
  using Element = typename T::Element;
  static_assert(T::kBits % Element::kBits == 0, "a word is whole elements");
  for (int i = 0; i < T::kWords; ++i) {
#pragma HLS pipeline II=1
    const Row<T::kBits> a = first.read();
    const Row<T::kBits> b = second.read();
    Row<T::kBits> y;
    for (int lane = 0; lane < T::kBits / Element::kBits; ++lane) {
#pragma HLS unroll
      put_lane<Element>(y, lane, T::Function::of(Function::of(lane_of<Element>(a, lane), lane_of<Element>(b, lane))));
    }
    joined.write(y);
  }
}

/// One of the inputs whose channels come one after another: words of a row, and what becomes of each value.
template <int kRowWords, class Function = Unchanged>
struct Channels {
  static constexpr int kWords = kRowWords;
  using Applied = Function;
};

/// Passes on, row by row, the channels of one input after another, a word a cycle. Traits, which inherit Elements<...>:
/// kBits, kHeight.
template <class T, class... Inputs>
struct JoinChannels {
  template <class>
  using Rows = hls::stream<Row<T::kBits>>;

  static void run(Rows<Inputs>&... in, Rows<void>& joined) {
    for (int y = 0; y < T::kHeight; ++y) {
      pass<Inputs...>(joined, in...);
    }
  }

 private:
  template <class Input>
  static void pass(Rows<void>& joined, Rows<void>& in) {
#pragma HLS inline
    using Element = typename T::Element;
    for (int i = 0; i < Input::kWords; ++i) {
#pragma HLS pipeline II=1
      const Row<T::kBits> came = in.read();
      Row<T::kBits> word;
      for (int lane = 0; lane < T::kBits / Element::kBits; ++lane) {
#pragma HLS unroll
        put_lane<Element>(word, lane, T::Function::of(Input::Applied::of(lane_of<Element>(came, lane))));
      }
      joined.write(word);
    }
  }
  template <class Input, class Second, class... Others, class... Rest>
  static void pass(Rows<void>& joined, Rows<void>& in, Rest&... rest) {
#pragma HLS inline
    pass<Input>(joined, in);
    pass<Second, Others...>(joined, rest...);
  }
};

/// Gives each of an image's words to every one of so many queues.
template <int, int kBits>
using RowOf = Row<kBits>;
template <int kBits, int kWords, int kOuts, class Outs = typename NumbersBelow<kOuts>::Type>
struct ForkRows;
template <int kBits, int kWords, int kOuts, int... kNumbers>
struct ForkRows<kBits, kWords, kOuts, Numbers<kNumbers...>> {
  static void run(hls::stream<Row<kBits>>& rows, hls::stream<RowOf<kNumbers, kBits>>&... out) {
    for (int i = 0; i < kWords; ++i) {
#pragma HLS pipeline II=1
      write_all(rows.read(), out...);
    }
  }
};

/// Brings an image's words from a port.
template <int kBits, int kWords>
void bring_rows(Port<kBits>& in, hls::stream<Row<kBits>>& rows) {
  for (int i = 0; i < kWords; ++i) {
#pragma HLS pipeline II=1
    Row<kBits> word;
    word.data = in.read().data;
    rows.write(word);
  }
}

/// Sends an image's words to a port.
template <int kBits, int kWords>
void send_rows(hls::stream<Row<kBits>>& rows, Port<kBits>& out) {
  for (int i = 0; i < kWords; ++i) {
#pragma HLS pipeline II=1
    out.write(Sent<Axis<kBits>>::of(rows.read(), i == kWords - 1));
  }
}

}  // namespace pl
}  // namespace aieloom
