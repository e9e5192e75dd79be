// The rest of the HLS library: streams, tasks, blocks, bursts, vectors, mathematics, half; each case by its name.
// Names that users define: no header's own may be one of them.
#define N 7
#define M 8
#define K 9
#define T 10
#define W 11
#define I 12
#define D 13
#define A 14
#define B 15
#define SIZE 16
#define WIDTH 17
#define DEPTH 18
#define DATA 19
#include <ap_axi_sdata.h>
#include <ap_float.h>
#include <ap_fixed.h>
#include <ap_int.h>
#include <ap_shift_reg.h>
#include <ap_utils.h>
#include <etc/ap_utils.h>
#include <hls_array_partition.h>
#include <hls_burst_maxi.h>
#include <hls_directio.h>
#include <hls_dsp_builtins.h>
#include <hls_fft.h>
#include <hls_fir.h>
#include <hls_half.h>
#include <hls_math.h>
#include <hls_np_channel.h>
#include <hls_print.h>
#include <hls_stream.h>
#include <hls_streamofblocks.h>
#include <hls_task.h>
#include <hls_vector.h>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <type_traits>

#include "aieloom/pl_kernel.h"
#include "aieloom/scheduler.h"

#undef N
#undef M
#undef K
#undef T
#undef W
#undef I
#undef D
#undef A
#undef B
#undef SIZE
#undef WIDTH
#undef DEPTH
#undef DATA

#define CHECK(condition)                                \
  if (!(condition)) {                                   \
    std::printf("line %d: %s\n", __LINE__, #condition); \
    ++failures;                                         \
  }

namespace {

int failures = 0;

void produce(hls::stream<ap_int<24>>& out) {
  for (int i = 0; i < 1000; ++i) {
    out.write(i - 500);
  }
}

void twice(hls::stream<ap_int<24>>& in, hls::stream<int>& out) {
  for (int i = 0; i < 1000; ++i) {
    out << in.read() * 2;
  }
}

/// Processes of a dataflow region, one after another: a queue takes 1000 words whatever its depth.
void dataflow() {
  hls::stream<ap_int<24>, 2> deep("deep");
  static_assert(std::is_same_v<decltype(deep), hls::stream<ap_int<24>, 2>>);
  hls::stream<ap_int<24>> first("first");
#pragma HLS stream variable = first depth = 2
  hls::stream<int> second("second");
  produce(first);
  CHECK(first.size() == 1000 && !first.full());
  twice(first, second);
  CHECK(first.empty() && second.size() == 1000);
  int value = 0;
  for (int i = 0; i < 1000; ++i) {
    second >> value;
    CHECK(value == 2 * (i - 500));
  }
  CHECK(!second.read_nb(value) && second.write_nb(7) && second.read_nb(value) && value == 7);
  hls::stream<ap_axiu<32, 0, 0, 0>> several[3];
  several[1].write({});
  CHECK(several[0].empty() && several[1].read().last == 0 && several[2].size() == 0);
}

void square_all(hls::stream<int>& in, hls::stream<int>& out, int count) {
  for (int i = 0; i < count; ++i) {
    const int x = in.read();
    out.write(x * x);
  }
}

void square_one(hls::stream<int>& in, hls::stream<int>& out) { square_all(in, out, 1); }

/// Work for four, in turn: the results come in the order of the words; then as there is work: in any order.
void channels() {
  constexpr int kWorkers = 4, kWords = 40;
  hls::split::round_robin<int, kWorkers> deal;
  hls::merge::round_robin<int, kWorkers, 8> collect("collect");
  for (int i = 0; i < kWords; ++i) {
    deal.in.write(i);
  }
  for (int w = 0; w < kWorkers; ++w) {  // processes of a dataflow region
    square_all(deal.out[w], collect.in[w], kWords / kWorkers);
  }
  for (int i = 0; i < kWords; ++i) {
    CHECK(collect.out.read() == i * i);
  }
  hls_thread_local hls::split::load_balance<int, 2, 4> share;
  hls_thread_local hls::merge::load_balance<int, 2> gather;
  hls_thread_local hls::task first(square_one, share.out[0], gather.in[0]);
  hls_thread_local hls::task second(square_one, share.out[1], gather.in[1]);
  int sum = 0, want = 0;
  for (int i = 0; i < kWords; ++i) {
    share.in << i;
    want += i * i;
  }
  for (int i = 0; i < kWords; ++i) {
    sum += gather.out.read();
  }
  CHECK(sum == want && gather.out.empty());
}

void leftover() {
  hls::stream<int> s("forgotten");
  s.write(1);
  s.write(2);
}

void empty_read() {
  hls::stream<int> s("nobody_writes");
  s.read();
}

void increment(hls::stream<int>& in, hls::stream<int>& out) { out.write(in.read() + 1); }

/// Tasks run beside whoever starts them.
void tasks() {
  hls_thread_local hls::stream<int> a;
  hls_thread_local hls::stream<int> b;
  hls_thread_local hls::stream<int> c;
  hls_thread_local hls::task first(increment, a, b);
  hls_thread_local hls::task second(increment, b, c);
  for (int i = 0; i < 10; ++i) {
    a.write(i);
  }
  for (int i = 0; i < 10; ++i) {
    CHECK(c.read() == i + 2);
  }
}

void send_both(hls::stream<int>& first, hls::stream<int>& second) {
  for (int i = 0; i < 5; ++i) {
    first.write(i);
  }
  second.write(5);
}

void take_second_first(hls::stream<int>& first, hls::stream<int>& second, hls::stream<int>& sum) {
  int total = second.read();
  for (int i = 0; i < 5; ++i) {
    total += first.read();
  }
  sum.write(total);
}

/// One task sends five words before the one that the other waits for: a queue of four holds them apart for ever.
void five_words(int depth) {
  hls_thread_local hls::stream<int> first("first");
  hls_thread_local hls::stream<int> second("second");
  hls_thread_local hls::stream<int> sum("sum");
  aieloom::hold(first, depth);
  aieloom::between_tasks(first);
  hls_thread_local hls::task sender(send_both, first, second);
  hls_thread_local hls::task taker(take_second_first, first, second, sum);
  for (int i = 0; i < 3; ++i) {
    CHECK(sum.read() == 15);
  }
}

void queue_of_five() { five_words(5); }
void queue_of_four() { five_words(4); }

void fill(hls::stream_of_blocks<int[4]>& out) {
  for (int n = 0; n < 3; ++n) {
    hls::write_lock<int[4]> block(out);
    for (int i = 0; i < 4; ++i) {
      block[3 - i] = 10 * n + i;
    }
  }
}

void blocks() {
  hls::stream_of_blocks<int[4]> s;
  fill(s);
  for (int n = 0; n < 3; ++n) {
    hls::read_lock<int[4]> block(s);
    CHECK(block[0] == 10 * n + 3 && block[3] == 10 * n);
  }
  CHECK(s.empty());
}

void bursts() {
  int memory[32];
  for (int i = 0; i < 32; ++i) {
    memory[i] = i;
  }
  hls::burst_maxi<int> port(memory);
  port.read_request(4, 2);
  port.read_request(20, 1);
  CHECK(port.read() == 4 && port.read() == 5 && port.read() == 20);
  port.write_request(8, 2);
  port.write(80);
  port.write(81);
  port.write_response();
  CHECK(memory[8] == 80 && memory[9] == 81);
}

void bad_burst() {
  int memory[4] = {};
  hls::burst_maxi<int> port(memory);
  port.read_request(0, 1);
  port.read();
  port.read();
}

void bad_shift() {
  ap_shift_reg<int, 4> stages;
  volatile int stage = 4;
  stages.shift(1, static_cast<unsigned>(stage));
}

void bad_element() {
  hls::vector<int, 4> a = 1;
  volatile int element = 4;
  a[static_cast<std::size_t>(element)] = 2;
}

void bad_blocks() {
  volatile int depth = 0;
  hls::stream_of_blocks<int[4]> blocks(static_cast<int>(depth));
}

void vectors() {
  hls::vector<int, 4> a = {1, 2, 3, 4};
  hls::vector<int, 4> b = 10;
  const hls::vector<int, 4> c = a * b + 1;
  CHECK(c[0] == 11 && c[3] == 41 && c.reduce_add() == 104 && a.reduce_mult() == 24);
  CHECK((c > a) && (a == hls::vector<int, 4>{1, 2, 3, 4}) && (b % a)[2] == 1);
  CHECK((alignof(hls::vector<float, 16>) == 64) && sizeof(hls::vector<float, 16>) == 64 && (sizeof(hls::vector<char, 3>) == 3));
  hls::vector<ap_uint<4>, 2> n = {15, 1};
  n += n;
  CHECK(n[0] == 14 && n[1] == 2);  // 30 modulo 16
  // (1e8 + 1) + (-1e8 + 1): the halves first, each loses its 1 in float's 24 bits
  CHECK((hls::vector<float, 4>{1e8F, 1.0F, -1e8F, 1.0F}.reduce_add()) == 0.0F);
  hls::stream<hls::vector<short, 8>> s;
  s.write(hls::vector<short, 8>(5));
  CHECK(s.read().reduce_add() == 40);
}

void mathematics() {
  CHECK(hls::sqrt(2.0F) == 1.41421356F && hls::sqrt(2.0) == 1.4142135623730951);
  ap_fixed<16, 8> x = 2;
  CHECK(hls::sqrt(x) == 1.4140625);                          // 362 / 256 is below sqrt(2) = 362.04 / 256
  CHECK((hls::exp(ap_fixed<16, 8>(1)) == 695.0 / 256));      // e * 256 = 695.87
  CHECK((hls::atan2(ap_fixed<16, 3>(1), ap_fixed<16, 3>(1)) == 6433.0 / 8192));  // pi / 4 * 8192 = 6433.98
  CHECK(hls::abs(ap_int<8>(-5)) == 5 && hls::abs(-2.5F) == 2.5F && hls::max(3, 4) == 4 && hls::min(x, x) == x);
  CHECK(hls::sinpi(0.5) == 1.0 && hls::rsqrt(4.0F) == 0.5F && hls::recip(8.0) == 0.125 && hls::floor(-1.5) == -2.0);
  CHECK(hls::fma(3.0F, 4.0F, 5.0F) == 17.0F && hls::isnan(0.0F / 0.0F * 1.0F) && hls::signbit(-0.0) && hls::lround(2.5) == 3);
  CHECK(hls::sqrt(half(2)) == half(1.4142135) && hls::pow(2.0F, 10.0F) == 1024.0F && hls::fmod(7.0, 4.0) == 3.0);
}

void halves() {
  half a = 1.5F;
  half b = 2049;  // between 2048 and 2050: to even
  CHECK(a.get_bits() == 0x3E00 && static_cast<float>(b) == 2048.0F && half(2051).get_bits() == half(2052).get_bits());
  CHECK(half(65504.0F).get_bits() == 0x7BFF && half(65519.0F).get_bits() == 0x7BFF && half(65520.0F).get_bits() == 0x7C00);
  CHECK(half(5.960464477539063e-08).get_bits() == 1 && half(2.9e-08).get_bits() == 0 && half(6.1e-05).get_bits() == 0x03FF);
  CHECK(half(-0.0F).get_bits() == 0x8000 && half(0.1F).get_bits() == 0x2E66);
  CHECK((std::is_same_v<decltype(a + b), half>) && (std::is_same_v<decltype(a * 2.0F), float>) && (std::is_same_v<decltype(a + 1), half>));
  CHECK(a + a == half(3) && a * a == 2.25F && a / 3 == half(0.5F) && -a < a && a != b && a++ == half(1.5F) && a == 2.5F);
  CHECK(half(1) / half(3) == half(0.333251953125F) && half(2048) + half(1) == half(2048));
  for (unsigned bits = 0; bits < 0x7C00; ++bits) {  // every number goes there and back
    const half h = half::from_bits(static_cast<std::uint16_t>(bits));
    CHECK(half(static_cast<float>(h)).get_bits() == bits);
  }
}

/// A queue of any depth goes where a queue is asked for.
void any_depth() {
  hls::stream<ap_int<24>, 4> deep("deep");
  hls::stream<int, 8> twofold("twofold");
  produce(deep);
  twice(deep, twofold);
  CHECK(twofold.size() == 1000 && twofold.capacity() == 8 && twofold.read() == -1000 && deep.empty());
  while (!twofold.empty()) {
    twofold.read();
  }
}

void scale(hls::stream<int>& in, hls::stream<int>& out, const int* factor, ap_uint<8> offset) { out.write(in.read() * *factor + offset); }

void start_scaling(hls::stream<int>& in, hls::stream<int>& out, const int* factor, ap_uint<8> offset) {
  hls_thread_local hls::task worker(scale, in, out, factor, offset);
}

/// A task keeps its pointers and numbers: the call that started it has ended when it runs.
void lasting_arguments() {
  static hls::stream<int> in("in");
  static hls::stream<int> out("out");
  const int factor = 3;
  start_scaling(in, out, &factor, 5);
  in.write(7);
  CHECK(out.read() == 26);
}

void add_one(int* values, int count) {
  for (int i = 0; i < count; ++i) {
    ++values[i];
  }
}

void restarts() {
  int values[2] = {0, 10};
  hls::autorestart<3> run(add_one, values, 2);
  CHECK(values[0] == 3 && values[1] == 13);
  run(add_one, values, 1);
  CHECK(values[0] == 6 && values[1] == 13);
}

struct Rgb {
  char red, green, blue;
};

/// Elements of 3 bytes through a port of 8, from a byte that is no multiple of either.
void unaligned_bursts() {
  alignas(8) char memory[32];
  for (int i = 0; i < 32; ++i) {
    memory[i] = static_cast<char>(i);
  }
  hls::burst_maxi<ap_uint<64>> port(reinterpret_cast<ap_uint<64>*>(memory));
  port.read_request_unaligned<Rgb>(5, 2);
  port.read_request(2, 1);
  Rgb first = port.read<Rgb>();
  const Rgb second = port.read<Rgb>();
  CHECK(first.red == 5 && first.blue == 7 && second.red == 8 && second.blue == 10);
  CHECK(port.read() == ap_uint<64>(0x1716151413121110));
  port.write_request_unaligned<Rgb>(29, 1);
  first.green = 99;
  port.write<Rgb>(first);
  port.write_response();
  CHECK(memory[28] == 28 && memory[29] == 5 && memory[30] == 99 && memory[31] == 7);
}

void wires() {
  hls::ap_hs<int> both;
  CHECK(!both.valid() && both.ready());
  both.write(4);
  both << 5;
  CHECK(both.valid() && !both.ready() && both.read() == 4);
  int value = 0;
  both >> value;
  CHECK(value == 5 && !both.read_nb(value) && both.ready());
  hls::ap_vld<ap_int<4>> valid;
  valid.write(-3);
  CHECK(valid.valid() && valid.read() == -3);
  hls::ap_none<short> bare;
  bare.write(7);
  CHECK(bare.read() == 7);
}

void side_channels() {
  hls::axis_user<13, AXIS_ENABLE_USER | AXIS_ENABLE_LAST> word;
  word.set_user(8191);
  word.last = 1;
  word.set_user(word.get_user() + 2);
  CHECK(word.get_user() == 1 && word.get_last() == 1);
  static_assert(std::is_empty_v<decltype(word.data)>);
  qdma_axis<128, 0, 0, 0> beat;
  beat.data = ap_uint<128>("0x00010002000300040005000600070008", 16);
  CHECK(beat.keep == 0 && beat.last == 0 && beat.get_data().range(31, 16) == 7);
  beat.keep_all();
  CHECK(beat.keep == 0xFFFF);
}

void gathered() {
  float values[40];
  for (int i = 0; i < 40; ++i) {
    values[i] = static_cast<float>(i);
  }
  const std::size_t start = 3;
  const auto four = hls::gather<float, 4>(values, {start, start + 5, start + 10, start + 15});
  CHECK(four[0] == 3 && four[1] == 8 && four[2] == 13 && four[3] == 18 && four.reduce_add() == 42);
}

void one_bank() {
  float values[8] = {};
  hls::gather<float, 4>(values, {0, 1, 5, 7});
}

/// A filter that is a chain of blocks: each works on the sample before the one its neighbour works on.
void dsp_blocks() {
  using namespace hls::dsp58;
  cascade<REG_A1 | REG_B1 | REG_M | REG_P> head;
  cascade<REG_A1 | REG_B1 | REG_B2 | REG_M | REG_P> tail[2];
  const long weights[3] = {5, -7, 11};
  const long samples[6] = {1, 2, -3, 1000, 0, 4};
  for (int i = 0; i < 6; ++i) {
    auto out = head.mul_add(weights[0], samples[i], 100);
    for (int j = 0; j < 2; ++j) {
      out = tail[j].mul_add(weights[j + 1], out.bcout, out.pcout);
    }
    long wanted = 100;
    for (int j = 0; j < 3 && j <= i; ++j) {
      wanted += weights[j] * samples[i - j];
    }
    CHECK(out.pcout == wanted);
  }
  CHECK(mul_add(3, 4, 5) == 17 && mul_sub(3, 4, 5) == 7 && (add_mul_add<REG_A1 | REG_P>(1, 2, 4, 5) == 17));
  CHECK(mul_add(1L << 26, 1, 0) == -(1L << 26));                                   // A has 27 bits
  CHECK(add_mul_add((1L << 26) - 1, 1, 1, 0) == -(1L << 26));                      // and so has A + D
  CHECK(hls::dsp48e2::mul_add(1, 1L << 17, 0) == -(1L << 17));                     // B has 18 bits, or 24
  CHECK(mul_add(0, 0, (1L << 57)) == -(1L << 57) && hls::dsp48e1::mul_add(0, 0, 1L << 47) == -(1L << 47));
  acc<REG_P> sum;
  CHECK(sum.mul_acc(2, 3, true) == 6 && sum.mul_acc(4, 5, false) == 26 && sum.add_mul_acc(1, 2, 3, true) == 9);
  using Complex = std::complex<ap_int<18>>;
  const auto product = hls::dspcplx::mul_add(Complex(131071, -2), Complex(3, 131071), {1, 2});
  CHECK(product.real() == 131071 * 3 + 2 * 131071 + 1 && product.imag() == 131071L * 131071 - 6 + 2);
}

/// Under fixed and setprecision an ap_fixed keeps its digits, an ordinary number does not.
void printed_fixed() {
  std::ostringstream out;
  out << std::fixed << std::setprecision(15) << ap_fixed<16, 8>(0.25) << ' ' << 0.25 << ' ' << ap_ufixed<12, 4>(10) << std::setw(6) << ap_fixed<8, 4>(-1.5);
  CHECK(out.str() == "0.25 0.250000000000000 10  -1.5");
}

void small_things() {
  ap_shift_reg<int, 4> stages;
  for (int i = 1; i <= 5; ++i) {
    CHECK(stages.shift(i) == (i == 5 ? 1 : 0));
  }
  CHECK(stages.read(0) == 5 && stages.read(3) == 2 && stages.shift(9, 1, false) == 4 && stages.read(0) == 5);
  ap_wait();
  ap_wait_n(3);
  hls::print("%d\n", 42);
  hls::print("%.2f\n", 1.5F);
}

}  // namespace

int main() {
  const std::map<std::string, void (*)()> cases = {
      {"dataflow", dataflow}, {"leftover", leftover}, {"empty_read", empty_read}, {"tasks", tasks},     {"blocks", blocks},
      {"bursts", bursts},     {"bad_burst", bad_burst}, {"vectors", vectors},       {"half", halves},     {"math", mathematics},
      {"queue_of_five", queue_of_five}, {"queue_of_four", queue_of_four},
      {"small", small_things}, {"any_depth", any_depth}, {"lasting_arguments", lasting_arguments}, {"restarts", restarts},
      {"unaligned_bursts", unaligned_bursts}, {"wires", wires}, {"side_channels", side_channels}, {"gathered", gathered}, {"one_bank", one_bank},
      {"dsp_blocks", dsp_blocks}, {"printed_fixed", printed_fixed}, {"channels", channels}, {"bad_shift", bad_shift}, {"bad_element", bad_element}, {"bad_blocks", bad_blocks}};
  std::string name;
  std::cin >> name;
  cases.at(name)();
  std::puts(failures == 0 ? "ok" : "failed");
  return 0;
}
