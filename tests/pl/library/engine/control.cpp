// Numbers of layers, each at its place, and a token back; units share images, each of which is one's.
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
  for (int i = 0; i < 4; ++i) {
    control.write(control_of(i - 2));
  }
  int read[4] = {};
  read_numbers(control, read);
  if (read[0] != -2 || read[1] != -1 || read[2] != 0 || read[3] != 1) {
    return 3;
  }
  for (int images = 0; images < 12; ++images) {
    int owners[12] = {};
    for (int unit = 0; unit < 5; ++unit) {
      const Share share = Share::of(images, 5, unit);
      for (int i = share.first; i < share.first + share.images; ++i) {
        owners[i] += 1;
      }
    }
    for (int i = 0; i < 12; ++i) {
      if (owners[i] != (i < images ? 1 : 0)) {
        return 4;
      }
    }
  }
  return sums[0] == 1234 && sums[1] == 56012 && sums[2] == 34560 ? 0 : 2;
}
