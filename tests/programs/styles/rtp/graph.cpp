// The loom first: both its colours and the bell's numbers come while it stands or works. Then the kiln, asked twice.
#include "workshop.h"

Loom loom;
Kiln kiln;
static int32 autumn[10] = {40, -3, 0, 12, 5, 6, -70, 81, 9, 2};
static int32 winter[10] = {-1, 1, -2, 2, -3, 3, -4, 4, -5, 5};

int main(int argc, char** argv) {
  loom.init();
  loom.update(loom.stride, 11);
  loom.update(loom.palette, autumn, 10);
  loom.update(loom.strokes, 4);
  loom.run(1);
  loom.wait();
  loom.update(loom.palette, winter, 10);
  loom.run(2);
  loom.update(loom.strokes, 9);
  loom.update(loom.strokes, 3);
  loom.wait();
  loom.end();

  const int32 stoneware[6] = {0, 200, 500, 570, 900, 1200};
  const int32 raku[6] = {-100, 100, 300, 600, 800, 950};
  int counted = -1;
  kiln.init();
  kiln.update(kiln.limits, stoneware, 6);
  kiln.run(1);
  kiln.wait();
  kiln.read(kiln.hottest, counted);
  printf("%d ", counted);
  kiln.update(kiln.limits, raku, 6);
  kiln.run(2);
  kiln.wait();
  kiln.read(kiln.hottest, counted);
  printf("%d\n", counted);
  kiln.end();
  return 0;
}
