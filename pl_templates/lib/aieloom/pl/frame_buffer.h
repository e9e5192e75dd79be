// Frame buffers: an image is stored whole, and read in any order. Processes of a dataflow region, each a loop.
//
//   ports --> read --> [values] --> untile --> map --> fold_map ... --> [results] --> store --> map
//                                                                                               |
//                              ports <-- write <-- [words] <-- gather <------------------------'
//
// Of more streams than one process serves well several read, or write, a share of them each; `merge` brings the shares'
// values in order, `deal` deals words out to them. A map is Value[copies][values], a copy for each value that is read of
// it in a cycle, in order of channel, row and column; the region keeps two images of it, one that is written and one
// that is read.
//
// II=1, a value in or a word out a cycle; a fold takes a place of its window in kTapCycles. LUTs: addresses of a map,
// and the choice of a word among a process's ports.
#pragma once

#include "inputs.h"
#include "maps.h"
#include "outputs.h"

namespace aieloom {
namespace pl {

/// Keeps a value in all copies of each map.
template <class Value>
void keep(int, Value) {}
template <class Value, int kCopies, int kSize, class... Maps>
void keep(int place, Value value, Value (&map)[kCopies][kSize], Maps&... maps) {
#pragma HLS inline
  for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
    map[copy][place] = value;
  }
  keep(place, value, maps...);
}

/// How many values come on each of a part's streams before it is another's turn: a tile's, or an image's, whose last
/// word may be filled up.
template <class T>
constexpr int values_of_turn(int values) {
  return ceil_div(values, T::kInBits / T::In::kBits) * (T::kInBits / T::In::kBits);
}
template <class T, class Tiles>
struct TileTurns {
  static constexpr int kTurns = T::kInRounds, kValues = Tiles::kTile;
};
template <class T>
struct ImageTurns {
  static constexpr int kTurns = 1, kValues = values_of_turn<T>(T::kChannels * T::kHeight * T::kWidth);
};

/// Reads a turn of each of its ports, one after another, image after image; does the function of each value.
template <class T, class Turns, int kPorts, class Ports = typename NumbersBelow<kPorts>::Type>
struct FrameReader;
template <class T, class Turns, int kPorts, int... kNumbers>
struct FrameReader<T, Turns, kPorts, Numbers<kNumbers...>> {
  static constexpr int kLanes = T::kInBits / T::In::kBits;
  static void read_ports(InPort<T, kNumbers>&... in, hls::stream<typename T::Element::Value>& values) {
    Axis<T::kInBits> word;
    for (int turn = 0; turn < Turns::kTurns; ++turn) {
      for (int port = 0; port < kPorts; ++port) {
        for (int i = 0; i < Turns::kValues; ++i) {
#pragma HLS pipeline II=1
          if (i % kLanes == 0) {
            word = read_of(port, in...);
          }
          values.write(value_of<T>(word, i % kLanes));
        }
      }
    }
  }
};

/// Passes on so many items of a queue.
template <int kCount, class Item>
void pass_on(hls::stream<Item>& from, hls::stream<Item>& to) {
#pragma HLS inline
  for (int i = 0; i < kCount; ++i) {
#pragma HLS pipeline II=1
    to.write(from.read());
  }
}

/// The queue of a share of kPorts ports.
template <int kPorts, class Item>
using QueueOf = hls::stream<Item>;

/// A turn of each share, one after another: kItems for each of its ports.
template <int kItems, int... kShares>
struct Shares {
  template <class Item>
  static void bring(hls::stream<Item>&) {}
  template <class Item>
  static void deal(hls::stream<Item>&) {}
};
template <int kItems, int kShare, int... kOthers>
struct Shares<kItems, kShare, kOthers...> {
  template <class Item>
  static void bring(hls::stream<Item>& to, hls::stream<Item>& share, QueueOf<kOthers, Item>&... others) {
#pragma HLS inline
    pass_on<kItems * kShare>(share, to);
    Shares<kItems, kOthers...>::bring(to, others...);
  }
  template <class Item>
  static void deal(hls::stream<Item>& from, hls::stream<Item>& share, QueueOf<kOthers, Item>&... others) {
#pragma HLS inline
    pass_on<kItems * kShare>(from, share);
    Shares<kItems, kOthers...>::deal(from, others...);
  }
};

/// Brings what readers of kShares ports each give in the order of all ports: one process would choose among these.
template <class Turns, int... kShares, class Value>
void merge(hls::stream<Value>& values, QueueOf<kShares, Value>&... shares) {
  for (int turn = 0; turn < Turns::kTurns; ++turn) {
    Shares<Turns::kValues, kShares...>::bring(values, shares...);
  }
}

/// Puts the values of tiles into maps; what lies outside the image fills tiles up.
template <class T, class Tiles, class... Maps>
void untile(hls::stream<typename T::Element::Value>& values, Maps&... maps) {
  constexpr int kBlocks = T::kInTileM / T::kInBlockRows;
  static_assert(T::kInTileM % T::kInBlockRows == 0, "a tile is whole blocks: change kInTileM");
  using Whole = Image<T::kChannels, T::kHeight, T::kWidth>;
  for (int round = 0; round < T::kInRounds; ++round) {
    for (int group = 0; group < T::kInGroups; ++group) {
      for (int part = 0; part < T::kInShare; ++part) {
        for (int block = 0; block < kBlocks; ++block) {
          for (int line = 0; line < T::kInTileRows; ++line) {
            for (int step = 0; step < T::kInSteps; ++step) {
              for (int row = 0; row < T::kInBlockRows; ++row) {
                for (int across = 0; across < T::kInBlockCols; ++across) {
#pragma HLS pipeline II=1
                  const typename T::Element::Value value = values.read();
                  const int channel = (part * kBlocks + block) * T::kInBlockRows + row;
                  const Pixel pixel = Tiles::place(round * T::kInGroups + group, line, step, across);
                  if (channel < T::kChannels && pixel.y < T::kHeight && pixel.x < T::kWidth) {
                    keep(Whole::place(channel, pixel.y, pixel.x), value, maps...);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

/// Puts an image that comes row by row, each of all channels, into maps.
template <class T, class... Maps>
void keep_rows(hls::stream<typename T::Element::Value>& values, Maps&... maps) {
  using Whole = Image<T::kChannels, T::kHeight, T::kWidth>;
  for (int y = 0; y < T::kHeight; ++y) {
    for (int channel = 0; channel < T::kChannels; ++channel) {
      for (int x = 0; x < T::kWidth; ++x) {
#pragma HLS pipeline II=1
        keep(Whole::place(channel, y, x), values.read(), maps...);
      }
    }
  }
}

/// Puts an image in plain order into maps; its last word may be filled up.
template <class T, class... Maps>
void keep_image(hls::stream<typename T::Element::Value>& values, Maps&... maps) {
  for (int i = 0; i < ImageTurns<T>::kValues; ++i) {
#pragma HLS pipeline II=1
    const typename T::Element::Value value = values.read();
    if (i < T::kChannels * T::kHeight * T::kWidth) {
      keep(i, value, maps...);
    }
  }
}

/// Stores results in the order in which they come, after a function of each.
template <class Function, class Value, int kCopies, int kSize, class... Maps>
void store(hls::stream<Value>& results, Value (&map)[kCopies][kSize], Maps&... maps) {
  for (int i = 0; i < kSize; ++i) {
#pragma HLS pipeline II=1
    keep(i, Function::of(results.read()), map, maps...);
  }
}

/// A map from which words leave in one of the orders of outputs.h, in place of a ring. `Reorder` makes the place of a
/// result one of the image that is kept. Traits T: kPixels, and what an order takes.
template <class T, class Kept, class Reorder = InPlace>
struct Frame {
  using Value = typename T::Element::Value;
  static constexpr int kLanes = T::kOutBits / T::Out::kBits, kCopies = kLanes / T::kPixels, kRowWords = 1;
  static_assert(kLanes % T::kPixels == 0, "a word takes kPixels values from each copy; give whole copies a word");
  static_assert(T::kChannels > 0 && T::kRows == T::kHeight, "a map holds all rows");
  using Line = Value[kLanes][Kept::kValues];

  static constexpr bool serves(int, int, int, int, int) { return true; }  // each value of a word has a copy

  static void row_of(const Line& map, int copy, int channel, int row, int left, bool inside, int,
                     Value (&values)[T::kPixels]) {
#pragma HLS inline
    for (int i = 0; i < T::kPixels; ++i) {
#pragma HLS unroll
      const int x = left + i * T::kWordApart;
      const bool seen = inside && 0 <= x && x < T::kWidth;
      int from_channel = seen ? channel : 0;
      int from_y = seen ? row : 0;
      int from_x = seen ? x : 0;
      Reorder::from(from_channel, from_y, from_x);
      values[i] = seen ? map[copy * T::kPixels + i][Kept::place(from_channel, from_y, from_x)] : Value(T::kZero);
    }
  }
};

/// Gathers the words of an image, in each round those of one stream after another.
template <class T, class Order, class Value, int kCopies, int kSize>
void gather(const Value (&map)[kCopies][kSize], hls::stream<ap_uint<T::kOutBits>>& words) {
  static_assert(kCopies == Order::Kept::kLanes, "a map has a copy for each value of a word");
  typename Order::Next next;
  for (int round = 0; round < Order::kRounds; ++round) {
    for (int core = 0; core < T::kWriters; ++core) {
      for (int i = 0; i < Order::kRoundWords; ++i) {
#pragma HLS pipeline II=1
        next.round.at = round;
        words.write(Order::word_of(map, core, next, 0).data);
        next.step();
      }
    }
  }
}

/// How many words leave on each stream before it is another's turn.
template <class Order>
struct Packets {
  static constexpr int kTurns = Order::kPackets, kWords = Order::kRounds * Order::kRoundWords / Order::kPackets;
};

/// Deals words out to writers of kShares ports each.
template <class Order, int... kShares, class Word>
void deal(hls::stream<Word>& words, QueueOf<kShares, Word>&... shares) {
  for (int turn = 0; turn < Packets<Order>::kTurns; ++turn) {
    Shares<Packets<Order>::kWords, kShares...>::deal(words, shares...);
  }
}

/// A writer's ports.
template <class T, int>
using OutPort = Port<T::kOutBits>;

/// Writes a packet to each of its ports, one after another, image after image.
template <class T, class Order, int kPorts, class Ports = typename NumbersBelow<kPorts>::Type>
struct FrameWriter;
template <class T, class Order, int kPorts, int... kNumbers>
struct FrameWriter<T, Order, kPorts, Numbers<kNumbers...>> {
  static void write_ports(hls::stream<ap_uint<T::kOutBits>>& words, OutPort<T, kNumbers>&... out) {
    constexpr int kWords = Packets<Order>::kWords;
    for (int turn = 0; turn < Packets<Order>::kTurns; ++turn) {
      for (int port = 0; port < kPorts; ++port) {
        for (int i = 0; i < kWords; ++i) {
#pragma HLS pipeline II=1
          Axis<T::kOutBits> word;
          word.data = words.read();
          word.keep = -1;
          word.last = i == kWords - 1;
          write_to(port, word, out...);
        }
      }
    }
  }
};

}  // namespace pl
}  // namespace aieloom
