// The array's files, and DDR memory that main() fills.
#include "graph.h"

Top top;
Transposed transposed;

int main(void) {
  const int SIZE = 8 * 4 * 6;
  int32* from = (int32*)GMIO::malloc(SIZE * sizeof(int32));
  int32* to = (int32*)GMIO::malloc(SIZE * sizeof(int32));
  for (int i = 0; i < SIZE; i++) {
    from[i] = 5 * i - 100;
    to[i] = 0;
  }
  top.init();
  transposed.init();
  transposed.ddrin.setAddress(from);
  transposed.ddrout.setAddress(to);
  top.run(2);
  transposed.ddrin.gm2aie_nb(transposed.ddrin.out[0]);
  transposed.ddrout.aie2gm_nb(transposed.ddrout.in[0]);
  transposed.run(1);
  transposed.ddrin.wait(transposed.ddrin.out[0]);
  transposed.ddrout.wait(transposed.ddrout.in[0]);
  for (int i = 0; i < SIZE; i++) printf("%d ", to[i]);
  transposed.end();
  top.end();
  GMIO::free(from);
  GMIO::free(to);
  return 0;
}
