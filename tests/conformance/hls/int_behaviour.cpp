// ap_int in the expressions that kernels write, and what it refuses; expectations stand beside each line.
#include <ap_axi_sdata.h>
#include <ap_int.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>

#define CHECK(condition)                                   \
  if (!(condition)) {                                      \
    std::printf("line %d: %s\n", __LINE__, #condition);    \
    ++failures;                                            \
  }

namespace {

int failures = 0;

void expressions() {
  ap_int<8> a = -100;
  ap_uint<8> u = 200;
  CHECK(a + 1 == -99);
  CHECK(1 + a == -99);
  CHECK((a + 100) * 5u == 0);
  CHECK(a * 1.5 == -150.0);                  // with a float the integer becomes one
  CHECK((std::is_same_v<decltype(a * 2.0f), float>));
  CHECK(u == 200u && u != 201 && u > -1);    // compared as numbers, not as bits
  CHECK(ap_int<8>(u) == -56);
  CHECK((u += 100) == 44);                   // 300 modulo 256
  CHECK(u++ == 44 && ++u == 46 && u-- == 46 && --u == 44);
  CHECK((u >> 2) == 11 && (u << 2) == 176 && (u << 3) == 96);
  CHECK((a >> 3) == -13 && (a >> 100) == -1 && (a << 100) == 0);
  CHECK((a >> ap_int<4>(-1)) == (a << 1));   // a negative amount goes the other way
  CHECK((ap_int<8>(3.99) == 3) && (ap_int<8>(-3.99) == -3));
  CHECK(ap_int<8>("0x1F") == 31 && ap_int<8>("-0b101") == -5 && ap_int<8>("0o17") == 15 && ap_int<8>("12") == 12);
  CHECK(ap_int<8>("101", 2) == 5 && ap_int<8>("7f", 16) == 127);
  int table[] = {10, 11, 12, 13};
  CHECK(table[ap_uint<2>(3)] == 13);
  int plain = u;
  CHECK(plain == 44);
  bool truth = u && a;
  CHECK(truth && !ap_uint<5>(0));
  CHECK((u ? 1 : 2) == 1);
  switch (u) {
    case 44:
      break;
    default:
      CHECK(false);
  }
  ap_uint<4> high = 0xA;
  ap_uint<4> low = 0x5;
  CHECK((high, low) == 0xA5);
  CHECK((high, low, ap_uint<8>(0xFF)) == 0xA5FF);
  (high, low) = ap_uint<8>(0x3C);
  CHECK(high == 3 && low == 0xC);
  CHECK(high.concat(low) == 0x3C && low.concat(ap_uint<4>(1)).get() == 0xC1);
  high.concat(low) = 0x3C;
  CHECK(high == 3 && low == 0xC);
  ap_uint<16> both = (high.range(1, 0), low);
  CHECK(both == 0x3C);
  both(15, 8) = both(7, 0);
  CHECK(both == 0x3C3C);
  both.range(3, 0) = both.range(7, 4);
  CHECK(both == 0x3C33);
  both[0] = both[15];
  CHECK(both == 0x3C32 && both[1] && !both[0]);
  ap_uint<64> words;
  words.range(63, 32) = 3.75F;  // a float's value, not its bits
  words.range(31, 0) = 1065353216.0;
  CHECK(words.range(63, 32) == 3 && words.range(31, 0) == 0x3F800000);
  CHECK(both.range(11, 8) + both.range(3, 0) == 0xC + 2);
  CHECK(both.range(11, 8) > 3 && both.range(11, 8).length() == 4);
  const ap_uint<16> constant = both;
  CHECK(constant.range(7, 0) == 0x32 && constant[1] && constant(15, 12) == 3);
  CHECK((unsigned long long)ap_uint<65>(ap_uint<65>(1) << 64) == 0);  // the conversion cuts, UG1399 says so
  CHECK((ap_uint<65>(1) << 64).to_bool());
  std::ostringstream out;
  out << a << ' ' << std::hex << ap_uint<12>(0xABC) << ' ' << ap_int<72>("-0x7F0123456789ABCDF0");
  CHECK(out.str() == "-100 2748 -2342818482890329542128");  // the base is std::cout's
  CHECK(ap_int<72>("0x80fedcba9876543210").to_string(16, false) == "0x80FEDCBA9876543210");
  CHECK(ap_int<72>("0x80fedcba9876543210").to_string(10) == "-2342818482890329542128");
  CHECK(ap_int<72>("0x80fedcba9876543210").to_string(8, false) == "0o401773345651416625031020");
  CHECK(ap_int<72>("0x80fedcba9876543210").to_string(16) == "-0x7F0123456789ABCDF0");
}

void words() {
  ap_axiu<32, 2, 3, 4> word;
  word.data = 0x12345678;
  word.keep = -1;
  word.last = 1;
  word.user = 3;
  CHECK(word.keep == 0xF && decltype(word.keep)::width == 4 && decltype(word.user)::width == 2);
  CHECK(decltype(word.id)::width == 3 && decltype(word.dest)::width == 4 && word.last);
  ap_axis<16, 0, 0, 0> sample;
  sample.data = -2;
  CHECK(sample.data < 0 && sample.get_data() == -2);
  qdma_axis<128, 0, 0, 0> beat;
  beat.set_data(ap_uint<128>(5) << 100);
  beat.set_keep(-1);
  beat.set_last(true);
  CHECK(beat.get_data().range(127, 96) == 80 && beat.get_keep() == 0xFFFF && beat.get_last() == 1);
  hls::axis<float, 0, 0, 0> value;
  value.data = 1.5F;
  value.keep = -1;
  CHECK(value.data == 1.5F && value.keep == 0xF);
  hls::axis_data<int, AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST> slim;
  slim.last = true;
  CHECK(slim.get_last() == 1 && (std::is_same_v<decltype(slim.strb), hls::axis_disabled_signal>));
  CHECK(std::is_trivially_copyable_v<decltype(word)> && sizeof(ap_uint<128>) == 16 && sizeof(ap_uint<512>) == 64);
}

}  // namespace

int main() {
  std::string what;
  std::cin >> what;
  ap_uint<8> number = 0;
  const volatile int eight = 8;
  if (what == "index") {
    number[eight] = 1;
  } else if (what == "range") {
    number = number.range(7, eight - 9);
  } else if (what == "zero") {
    number = ap_uint<8>(3) / number;
  } else if (what == "text") {
    number = ap_uint<8>("12Z", 10);
  } else if (what == "channel") {
    static_cast<void>(hls::axis<int>().get_user());
  } else if (what == "nan") {
    number = ap_uint<8>(std::nan(""));
  } else {
    expressions();
    words();
    std::puts(failures == 0 ? "ok" : "failed");
  }
  return 0;
}
