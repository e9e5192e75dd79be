// Every operator of ap_int on pairs of types; the Python test knows what must come out.
// Input lines: <number of the pair> <a> <b> <shift>; output: <operation> <width> <signed> <value>, then "end".
#define AP_INT_MAX_W 4096
#include <ap_int.h>

#include <iostream>
#include <string>

namespace {

template <int W, bool S>
void show(const char* what, const ap_int_base<W, S>& value) {
  std::cout << what << ' ' << W << ' ' << S << ' ' << value.to_string(10) << '\n';
}

template <typename A, typename B>
void operate(const std::string& a_text, const std::string& b_text, int shift) {
  const A a(a_text.c_str(), 10);
  const B b(b_text.c_str(), 10);
  show("a", a);
  show("+", a + b);
  show("-", a - b);
  show("*", a * b);
  if (b != 0) {
    show("/", a / b);
    show("%", a % b);
  }
  show("&", a & b);
  show("|", a | b);
  show("^", a ^ b);
  show("~", ~a);
  show("neg", -a);
  show("<<", a << shift);
  show(">>", a >> shift);
  show("concat", (a, b).get());
  show("assign", B(a));
  show("compare", ap_uint<6>((a == b) | (a != b) << 1 | (a < b) << 2 | (a > b) << 3 | (a <= b) << 4 | (a >= b) << 5));
  show("int", ap_int<32>(a.to_int()));
  show("uint64", ap_uint<64>(a.to_uint64()));
  std::cout << std::hexfloat << "double 0 0 " << a.to_double() << '\n' << std::defaultfloat;
  std::cout << "hex 0 0 " << a.to_string(16) << '\n' << "bin 0 0 " << a.to_string(2) << '\n';
  const int at = shift % A::width;
  show("range", a.range(A::width - 1, at).get());
  show("turned", a.range(at, A::width - 1).get());
  A c = a;
  c.range(A::width - 1, at) = b;
  show("insert", c);
  c = a;
  c[at] = !c[at];
  show("flip", c);
  c = a;
  c += b;
  c <<= 1;
  show("update", c);
  show("reduce", ap_uint<3>(a.and_reduce() | a.or_reduce() << 1 | a.xor_reduce() << 2));
  show("count", ap_uint<16>(a.countLeadingZeros()));
  c = a;
  c.rrotate(at);
  show("rotate", c);
  std::cout << "end\n";
}

}  // namespace

int main() {
  int pair = 0;
  std::string a;
  std::string b;
  int shift = 0;
  while (std::cin >> pair >> a >> b >> shift) {
    switch (pair) {
#define PAIR(number, A, B)      \
  case number:                  \
    operate<A, B>(a, b, shift); \
    break;
#include "types.inc"
      default:
        return 1;
    }
  }
  return 0;
}
