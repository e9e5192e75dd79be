// Numbers of layers, each at its place, and a token back.
#include "engine/control.h"

using namespace aieloom::pl;

extern "C" void top(hls::stream<Control>& control, hls::stream<Control>& done, int sums[3]) {
  for (int layer = 0; layer < 3; ++layer) {
    int number[5] = {};
    take_numbers(control, number);
    sums[layer] = 0;
    for (int i = 0; i < 5; ++i) {
      sums[layer] = 10 * sums[layer] + number[i];
    }
    done.write(token());
  }
}

int main() {
  static hls::stream<Control> control, done;
  for (int i = 0; i < 15; ++i) {
    Control word;
    word.data = i % 7;
    control.write(word);
  }
  int sums[3] = {};
  top(control, done, sums);
  for (int i = 0; i < 3; ++i) {
    const Control word = done.read();
    if (word.data != 1 || word.last != 1 || word.keep != 15) {
      return 1;
    }
  }
  return sums[0] == 1234 && sums[1] == 56012 && sums[2] == 34560 ? 0 : 2;
}
