// Several graphs, one after the other; parameters by graph port and by kernel port.
#include "graph.h"

#include <fstream>

MyGraph<false> g1;
MyGraph<true> g2;
Arrays<1> g3;
Arrays<2> g4;
Cascades g5;

int main(int argc, char** argv) {
  g1.init();
  g1.run(2);
  g1.end();

  g2.init();
  g2.run(2);
  // RTP update through graph port, then through the kernel's
  g2.update(g2._sub._in1, 10);
  g2.update(g2._sub._k.in[1], 20);

  int32_t vals[2];
  g2.read(g2._sub._inout0, vals[0]);
  g2.read(g2._sub._k.inout[0], vals[1]);
  g2.end();
  std::ofstream(argc > 1 ? argv[1] : "data/vals.txt") << vals[0] << "\n" << vals[1] << "\n";
  printf("%d %d\n", vals[0], vals[1]);

  g3.init();
  g4.init();
  g5.init();
  g3.run(2);
  g4.run(2);
  g5.run(2);
  g5.end();
  g4.end();
  g3.end();
  return 0;
}
