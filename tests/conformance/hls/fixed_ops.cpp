// ap_fixed on pairs of types, and conversion into types of every mode; the Python test knows what must come out.
// Input: "op <pair> <a> <b>" with the bits as whole numbers, "cast <pair> <a>", "double <pair> <hexadecimal float>".
#include <ap_fixed.h>

#include <iostream>
#include <string>
#include <type_traits>

namespace {

template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O, int N>
void show(const char* what, const ap_fixed_base<W, I, S, Q, O, N>& value) {
  std::cout << what << ' ' << W << ' ' << I << ' ' << S << ' ' << value.number().to_string(10) << '\n';
}

template <typename T>
T bits(const std::string& text) {
  return T(T::from_number(ap_int_base<T::width, T::kSigned>(text.c_str(), 10)));
}

template <typename A, typename B>
void operate() {
  std::string a_text;
  std::string b_text;
  std::cin >> a_text >> b_text;
  const A a = bits<A>(a_text);
  const B b = bits<B>(b_text);
  show("+", a + b);
  show("-", a - b);
  show("*", a * b);
  if (b != 0) {
    show("/", a / b);
  }
  show("&", a & b);
  show("|", a | b);
  show("^", a ^ b);
  show("neg", -a);
  show("~", ~a);
  show("<<", a << 2);
  show(">>", a >> 3);
  show("int", a + 5);
  show("ap_int", ap_uint<3>(6) * a);
  A c = a;
  c += b;
  show("update", c);
  c = a;
  show("++", ++c);
  const int relations = (a == b) | (a != b) << 1 | (a < b) << 2 | (a > b) << 3 | (a <= b) << 4 | (a >= b) << 5;
  std::cout << "compare 0 0 0 " << relations << '\n';
  std::cout << "to_int 0 0 0 " << a.to_int() << '\n' << "ap_int_of 0 0 0 " << ap_int<12>(a) << '\n';
  std::cout << "to_double 0 0 0 " << std::hexfloat << a.to_double() << std::defaultfloat << '\n';
  std::cout << "decimal 0 0 0 " << a.to_string(10) << "\nend\n";
}

template <typename B, typename A>
void cast() {
  std::string a_text;
  std::cin >> a_text;
  const B b = bits<A>(a_text);
  std::cout << b.number() << '\n';
}

template <typename T>
void from_double() {
  std::string text;
  std::cin >> text;
  const T value = std::stod(text);
  std::cout << value.number() << '\n';
}

}  // namespace

int main() {
  std::string what;
  int number = 0;
  while (std::cin >> what >> number) {
    switch (number) {
#define PAIR(n, A, B)  \
  case n:              \
    operate<A, B>();   \
    break;
#define CAST(n, B, A)                                \
  case n:                                            \
    what == "cast" ? cast<B, A>() : from_double<B>(); \
    break;
#define COMMA ,
#include "types.inc"
      default:
        return 1;
    }
  }
  return 0;
}
