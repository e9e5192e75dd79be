// Rows from a port, joined, parted and sent: as tasks, image after image.
#include "join.h"

#include <hls_task.h>

using namespace aieloom::pl;

struct Both {
  using Element = Int8;
  static constexpr int kBits = 32, kWords = 6;
};
struct Minus {
  static std::int8_t of(std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a - b); }
};

extern "C" void top(Port<32>& in, hls::stream<Row<32>>& other, Port<32>& out, hls::stream<Row<32>>& rest) {
  hls_thread_local hls::stream<Row<32>> brought;
  hls_thread_local hls::stream<Row<32>> joined;
  hls_thread_local hls::stream<Row<32>> parted;
#pragma HLS stream variable=brought depth=4
#pragma HLS stream variable=joined depth=4
#pragma HLS stream variable=parted depth=4
  hls_thread_local hls::task bring(bring_rows<32, 6>, in, brought);
  hls_thread_local hls::task join(join_rows<Both, Minus>, brought, other, joined);
  hls_thread_local hls::task part(fork_rows<32, 6>, joined, parted, rest);
  hls_thread_local hls::task send(send_rows<32, 6>, parted, out);
}

int main() {
  static Port<32> in, out;
  static hls::stream<Row<32>> other, rest;
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
  top(in, other, out, rest);
  for (int i = 0; i < 18; ++i) {
    const Axis<32> word = out.read();
    const Row<32> row = rest.read();
    for (int lane = 0; lane < 4; ++lane) {
      const int wanted = 3 * i - 4 * lane;
      if (lane_of<Int8>(word, lane) != wanted || lane_of<Int8>(row, lane) != wanted) {
        return 1;
      }
    }
    if (word.last != (i % 6 == 5) || word.keep != 15) {
      return 2;
    }
  }
  return out.empty() && rest.empty() ? 0 : 3;
}
