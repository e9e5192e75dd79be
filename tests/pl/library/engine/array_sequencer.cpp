// Layers go to the units that compute them, a program is refused at what is none, and its end goes to all.
#include "engine/array_sequencer.h"

using namespace aieloom::pl;
using namespace aieloom::pl::array;

struct Units {
  static constexpr int kRows = 2, kArrayUnits = 5, kVectorUnits = 1, kRowUnits = 1, kUnits = 7, kDoneUnits = 4, kMostLayers = 4;
};

extern "C" void top(const int* program, int* status, int count, int last, hls::stream<Control> to[7], hls::stream<Control> done[4]) {
  run<Units>(program, status, count, last, to, done);
}

int main() {
  static int program[4 * kNumbers];
  const int opcodes[4] = {kProduct, kVector, kRow, 9};
  for (int i = 0; i < 4 * kNumbers; ++i) {
    program[i] = i % kNumbers == 0 ? opcodes[i / kNumbers] : i;
  }
  static hls::stream<Control> to[7], done[4];
  for (auto& d : done) {
    d.write(token());
  }
  int status[2] = {-1, -1};
  top(program, status, 4, 1, to, done);
  if (status[0] != kUnknown || status[1] != 3) {
    return 1;
  }
  for (int unit = 0; unit < 7; ++unit) {
    const int layer = unit < 5 ? 0 : unit - 4;  // movers, the vector unit, the row unit
    for (int i = 0; i < 2 * kNumbers; ++i) {    // its layer, and the end
      const int wanted = i < kNumbers ? program[layer * kNumbers + i] : i == kNumbers ? kEnd : -1;
      const int found = number_of(to[unit].read());
      if (wanted >= 0 && found != wanted) {
        return 2 + unit;
      }
    }
    if (!to[unit].empty()) {
      return 10;
    }
  }
  top(program, status, 5, 0, to, done);
  return status[0] == kTooLong && status[1] == 0 && done[0].empty() && done[3].empty() && to[0].empty() ? 0 : 11;
}
