// Which layer a unit computes, of which images: two units share what a sequencer tells them, one that is started has all.
#include "engine/row_unit.h"

using namespace aieloom::pl;
using namespace aieloom::pl::rows;

using Bytes = Word<std::int8_t>;

struct Marks {  // rows add 1 to images, heads 2
  template <class T>
  static void layer(const Bytes*, const Bytes*, Bytes* y, const int (&n)[T::kNumbers], int first, int images) {
    for (int i = first; i < first + images; ++i) {
      y[n[3] + i].lane[0] = static_cast<std::int8_t>(y[n[3] + i].lane[0] + 1);
    }
  }
  template <class T>
  static bool lay_out(const Bytes*, const Bytes*, Bytes* y, const int (&n)[T::kNumbers], int first, int images) {
    for (int i = first; n[4] == kLayOut && i < first + images; ++i) {
      y[n[3] + i].lane[0] = static_cast<std::int8_t>(y[n[3] + i].lane[0] + 2);
    }
    return n[4] == kLayOut;
  }
};
struct Small {
  using Values = Integers;
  using Rows = Marks;
  using Heads = Marks;
  static constexpr int kNumbers = 15, kUnits = 2;
};

extern "C" void top(const Bytes* x, const Bytes* w, Bytes* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
  told<Small>(x, w, y, unit, control, done);
}

int main() {
  static Bytes y[16];
  for (int unit = 0; unit < 2; ++unit) {
    static hls::stream<Control> control, done;
    for (int operation : {static_cast<int>(kNorm), static_cast<int>(kLayOut), -1}) {
      const int n[15] = {operation < 0 ? kEnd : 3, 0, 0, 2, operation, 5};
      for (int number : n) {
        control.write(control_of(number));
      }
    }
    top(y, y, y, unit, control, done);
    if (done.size() != 2 || !control.empty()) {
      return 1;
    }
    done.read();
    done.read();
  }
  for (int i = 0; i < 16; ++i) {  // five images from word 2 on, each once by either unit
    if (y[i].lane[0] != (2 <= i && i < 7 ? 3 : 0)) {
      return 2;
    }
  }
  started<Small>(y, y, y, 0, 0, 1, kLayOut, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  return y[1].lane[0] == 2 && y[6].lane[0] == 5 && y[7].lane[0] == 0 ? 0 : 3;
}
