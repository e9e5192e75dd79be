#include "graph.h"

void poke(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  const volatile int32* from = in.data();
  volatile int32* to = out.data();
  for (int i = 0; i < 1024; ++i) {
    to[i] = from[i];
  }
  const int at = from[1];
  if (from[0] == 1) {
    to[at] = 5;
  } else if (from[0] == 2) {
    to[0] = from[at];
  }
}
