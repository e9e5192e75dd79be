// Every unit gets the layers that it takes, for group after group of images; what brings weights is a product ahead and rests at the end.
#include "engine/row_sequencer.h"

#include <string>

using namespace aieloom::pl;
using namespace aieloom::pl::row;

struct Units {  // two rows, three columns: 2 loads, 3 that bring weights, 1 for tables, 2 that make results, 2 that keep tensors
  static constexpr int kRows = 2, kUnits = 10, kGroupAt = 48, kMostLayers = 8;
};

extern "C" void top(const int* program, int* status, int count, int groups, int last, hls::stream<Control> to[10], hls::stream<Control> done[2]) {
  run<Units>(program, status, count, groups, last, to, done);
}

int main() {
  const int opcodes[4] = {kBring, kProduct, kFold, kGive};
  static int program[4 * kNumbers];
  for (int i = 0; i < 4 * kNumbers; ++i) {
    program[i] = i % kNumbers == 0 ? opcodes[i / kNumbers] : 100 + i;
  }
  static hls::stream<Control> to[10], done[2];
  for (int i = 0; i < 8; ++i) {
    done[0].write(token());
    done[1].write(token());
  }
  int status[2] = {-1, -1};
  top(program, status, 4, 2, 1, to, done);
  if (status[0] != kDone || status[1] != 4 || done[0].size() != 0 || done[1].size() != 0) {
    return 1;
  }
  // Loads and tables take products and folds; what makes results products; what keeps tensors all; 0 is the end, 5 rest.
  const std::string wanted[5] = {"10 20 11 21 00 ", "10 11 50 00 ", "10 20 11 21 00 ", "10 11 00 ", "30 10 20 40 31 11 21 41 00 "};
  for (int unit = 0; unit < 10; ++unit) {
    std::string told;
    for (unsigned left = to[unit].size() / kNumbers; left > 0; --left) {
      int number[kNumbers];
      for (int& n : number) {
        n = number_of(to[unit].read());
      }
      told += std::to_string(number[0]) + std::to_string(number[Units::kGroupAt]) + " ";
      const bool is_of_layer = number[0] != kEnd && number[0] != kRest;
      const int layer = number[0] == kBring ? 0 : number[0] == kProduct ? 1 : number[0] == kFold ? 2 : 3;
      for (int i = 1; i < kNumbers; ++i) {
        if (is_of_layer && i != Units::kGroupAt && number[i] != program[layer * kNumbers + i]) {
          return 2;
        }
      }
    }
    const int kind = unit < 2 ? 0 : unit < 5 ? 1 : unit < 6 ? 2 : unit < 8 ? 3 : 4;
    if (told != wanted[kind]) {
      return 3 + kind;
    }
  }
  // One layer by itself, whose group of images is said; the end has no tokens.
  int layer[kNumbers] = {kProduct};
  layer[Units::kGroupAt] = 6;
  done[0].write(token());
  done[1].write(token());
  if (!issue<Units>(layer, to, done) || to[0].size() != unsigned(kNumbers) || to[2].size() != 2U * kNumbers || done[1].size() != 0) {
    return 8;
  }
  layer[0] = 7;
  return issue<Units>(layer, to, done) ? 9 : 0;
}
