// What all rows need beside weights: of a product the channels of its tiles, of a depthwise layer channels and weights.
#include "engine/row_tables.h"

using namespace aieloom::pl;
using namespace aieloom::pl::row;

struct Small {
  static constexpr int kRows = 3, kColumns = 2, kTileN = 4;
};

extern "C" void top(const ap_uint<128>* words, hls::stream<Control>& control, Port<128> to_stores[3], Port<128> to_loads[3]) {
  tables<Small>(words, control, to_stores, to_loads);
}

void send(const Layer& l, hls::stream<Control>& control) {
  for (int i = 0; i < kNumbers; ++i) {
    control.write(control_of(reinterpret_cast<const int*>(&l)[i]));
  }
}

int main() {
  static ap_uint<128> words[200];
  for (int i = 0; i < 200; ++i) {
    words[i] = i;
  }
  static hls::stream<Control> control;
  Layer product = {}, depthwise = {}, pool = {}, end = {};
  product.opcode = kProduct;
  product.channels_at = 10;
  product.groups = 2;
  product.tiles = 3;
  depthwise.opcode = pool.opcode = kFold;
  depthwise.operation = kDepthwise;
  depthwise.channels_at = 70;
  depthwise.words = 3;
  depthwise.kernel_y = 3;
  depthwise.kernel_x = 2;
  pool.operation = kMaximum;
  for (const Layer& l : {product, pool, depthwise, end}) {
    send(l, control);
  }
  static Port<128> to_stores[3], to_loads[3];
  top(words, control, to_stores, to_loads);
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 2 * 3 * 2 * 4; ++i) {
      if (to_stores[row].read().data != ap_uint<128>(10 + i)) {
        return 1;
      }
    }
    for (int i = 0; i < 3 * 16 + 3 * 6; ++i) {
      if (to_loads[row].read().data != ap_uint<128>(70 + i)) {
        return 2;
      }
    }
    if (!to_stores[row].empty() || !to_loads[row].empty()) {
      return 3;
    }
  }
  return control.empty() ? 0 : 4;
}
