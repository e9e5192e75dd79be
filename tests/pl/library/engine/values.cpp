// Numbers in words of every kind of element, against the bytes that lie in memory.
#include "engine/values.h"

#include <cstring>

using namespace aieloom::pl;

template <class Values, class Number>
bool holds(const Number (&numbers)[Values::kWordNumbers]) {
  Word<typename Values::Element> word;
  static_assert(sizeof(word) == sizeof(numbers), "a word has whole numbers");
  std::memcpy(&word, numbers, sizeof(word));
  bool all = true;
  for (int i = 0; i < Values::kWordNumbers; ++i) {
    int bits;
    std::memcpy(&bits, &numbers[i], sizeof(bits));
    all = all && Values::number_at(word, i) == numbers[i] && Values::number_of(bits) == numbers[i];
  }
  return all;
}

int main() {
  const int integers[4] = {-1, 0, 2147483647, -2147483647 - 1};
  float floats[16];
  float halves[8];
  for (int i = 0; i < 16; ++i) {
    floats[i] = -3.75F + 1.0625F * static_cast<float>(i);
    halves[i % 8] = floats[i];
  }
  if (!holds<Integers>(integers) || !holds<Floats>(floats) || !holds<Bfloats>(halves)) {
    return 1;
  }
  // bfloat16: 1 + 1/128 has a bit behind 1's last but one; halves go to the even one.
  const float between[3] = {1.0F + 1.0F / 256, 1.0F + 3.0F / 256, 1.0F + 1.5F / 256};
  const float nearest[3] = {1.0F, 1.0F + 2.0F / 128, 1.0F + 1.0F / 128};
  for (int i = 0; i < 3; ++i) {
    if (Bfloats::value_of(Bfloats::element_of(between[i])) != nearest[i]) {
      return 2;
    }
  }
  return Floats::value_of(Floats::element_of(0.1F)) == 0.1F && least_of(-2, 1) == -2 && least_of(3, 1) == 1 ? 0 : 3;
}
