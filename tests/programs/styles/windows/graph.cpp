// A platform of two files, as programs had before PLIO objects.
#include "project.h"

simpleGraph mygraph;
simulation::platform<1, 1> platform("data/input.txt", "data/output.txt");
connect<> net0(platform.src[0], mygraph.in);
connect<> net1(mygraph.out, platform.sink[0]);

int main(void) {
  mygraph.init();
  mygraph.run(4);
  mygraph.end();
  return 0;
}
