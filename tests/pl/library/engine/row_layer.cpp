// A layer of rows that own images: the last set and the last band have less.
#include "engine/row_layer.h"

using namespace aieloom::pl;
using namespace aieloom::pl::row;

extern "C" void top(hls::stream<Control>& control, int out[8]) {
  const Layer l = take(control);
  out[0] = l.opcode;
  out[1] = rounds_of(l, 4);
  out[2] = sets_of(l);
  out[3] = tiles_of(l, 0);
  out[4] = tiles_of(l, 2);
  out[5] = pixels_of(l, 0);
  out[6] = pixels_of(l, 3);
  out[7] = blocks_of(l, 3, 32);
}

int main() {
  Layer l = {};
  l.opcode = kProduct;
  l.images = 3;
  l.out_height = 7;
  l.out_width = 20;
  l.rows = 2;
  l.bands = 4;
  l.tiles = 5;
  l.together = 2;
  static hls::stream<Control> control;
  for (int i = 0; i < kNumbers; ++i) {
    Control word;
    word.data = reinterpret_cast<const int*>(&l)[i];
    control.write(word);
  }
  int out[8] = {};
  top(control, out);
  const int wanted[8] = {1, 4, 3, 2, 1, 40, 20, 1};
  for (int i = 0; i < 8; ++i) {
    if (out[i] != wanted[i]) {
      return 1 + i;
    }
  }
  return 0;
}
