// Update, run, wait, read, update, run.
#include "graph.h"

rtpgraph gr;
ToyGraph toy;
static int32 narrow_filter[12] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3};
static int32 wide_filter[12] = {-5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7};

int main(int argc, char** argv) {
  const int32 value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int32 other[8] = {-1, -2, -3, -4, -5, -6, -7, -8};
  gr.init();
  gr.update(gr.value, value, 8);
  gr.run(2);
  gr.wait();
  int iter = 0;
  gr.read(gr.iter, iter);
  printf("%d\n", iter);
  gr.update(gr.value, other, 8);
  gr.run(1);
  gr.wait();
  gr.read(gr.iter, iter);
  printf("%d\n", iter);
  gr.end();

  toy.init();
  toy.update(toy.phase_port, 10);
  toy.update(toy.coefficients, narrow_filter, 12);
  toy.run(2);
  toy.update(toy.size, 1);
  toy.update(toy.size, 2);
  toy.wait();
  toy.update(toy.coefficients, wide_filter, 12);
  toy.run(1);
  toy.update(toy.size, 3);
  toy.wait();
  toy.end();
  return 0;
}
