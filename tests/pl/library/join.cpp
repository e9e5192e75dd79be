// Rows from a port, joined, parted and sent: as tasks, image after image.
#include "join.h"

#include <hls_task.h>

using namespace aieloom::pl;

struct Negative {
  static std::int8_t of(std::int8_t value) { return static_cast<std::int8_t>(-value); }
};
struct Both : Elements<Int8, Negative> {
  static constexpr int kBits = 32, kWords = 6;
};
struct Difference {
  static std::int8_t of(std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a - b); }
};

// Two rows of 3, 1 and 2 words, the second of which is doubled; all are turned to their negatives behind.
struct Double {
  static std::int8_t of(std::int8_t value) { return static_cast<std::int8_t>(2 * value); }
};
struct Three : Elements<Int8, Negative> {
  static constexpr int kBits = 16, kHeight = 2;
};

bool channels() {
  static hls::stream<Row<16>> in[3], joined;
  const int words[3] = {3, 1, 2};
  for (int y = 0; y < 2; ++y) {
    for (int input = 0; input < 3; ++input) {
      for (int i = 0; i < words[input]; ++i) {
        Row<16> row;
        put_lane<Int8>(row, 0, static_cast<std::int8_t>(20 * input + 5 * y + i));
        put_lane<Int8>(row, 1, static_cast<std::int8_t>(20 * input + 5 * y + i + 50));
        in[input].write(row);
      }
    }
  }
  JoinChannels<Three, Channels<3>, Channels<1, Double>, Channels<2>>::run(in[0], in[1], in[2], joined);
  for (int y = 0; y < 2; ++y) {
    for (int input = 0; input < 3; ++input) {
      for (int i = 0; i < words[input]; ++i) {
        const Row<16> row = joined.read();
        const int value = 20 * input + 5 * y + i, times = input == 1 ? -2 : -1;
        if (lane_of<Int8>(row, 0) != times * value ||
            lane_of<Int8>(row, 1) != static_cast<std::int8_t>(times * (value + 50))) {
          return false;
        }
      }
    }
  }
  return joined.empty();
}

extern "C" void top(Port<32>& in, hls::stream<Row<32>>& other, Port<32>& out, hls::stream<Row<32>>& rest,
                    hls::stream<Row<32>>& third) {
  hls_thread_local hls::stream<Row<32>> brought;
  hls_thread_local hls::stream<Row<32>> joined;
  hls_thread_local hls::stream<Row<32>> parted;
#pragma HLS stream variable=brought depth=4
#pragma HLS stream variable=joined depth=4
#pragma HLS stream variable=parted depth=4
  hls_thread_local hls::task bring(bring_rows<32, 6>, in, brought);
  hls_thread_local hls::task join(join_rows<Both, Difference>, brought, other, joined);
  hls_thread_local hls::task part(ForkRows<32, 6, 3>::run, joined, parted, rest, third);
  hls_thread_local hls::task send(send_rows<32, 6>, parted, out);
}

int main() {
  static Port<32> in, out;
  static hls::stream<Row<32>> other, rest, third;
  for (int i = 0; i < 18; ++i) {
    Axis<32> a;
    Row<32> b;
    for (int lane = 0; lane < 4; ++lane) {
      put_lane<Int8>(a, lane, static_cast<std::int8_t>(3 * i + lane));
      put_lane<Int8>(b, lane, static_cast<std::int8_t>(5 * lane));
    }
    in.write(a);
    other.write(b);
  }
  top(in, other, out, rest, third);
  for (int i = 0; i < 18; ++i) {
    const Axis<32> word = out.read();
    const Row<32> row = rest.read(), same = third.read();
    for (int lane = 0; lane < 4; ++lane) {
      const int wanted = 4 * lane - 3 * i;
      if (lane_of<Int8>(word, lane) != wanted || lane_of<Int8>(row, lane) != wanted ||
          lane_of<Int8>(same, lane) != wanted) {
        return 1;
      }
    }
    if (word.last != (i % 6 == 5) || word.keep != 15) {
      return 2;
    }
  }
  return out.empty() && rest.empty() && third.empty() && channels() ? 0 : 3;
}
