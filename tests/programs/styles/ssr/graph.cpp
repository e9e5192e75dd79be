// Cables are PLIO objects behind pointers, whose names have spaces, and a platform takes the pointers.
#include <adf.h>

#include "mast.h"

adf::PLIO* north = new adf::PLIO("cable of the north antenna", plio_64_bits, "data/north.txt", 375);
adf::PLIO* south = new adf::PLIO("cable of the south antenna", plio_64_bits, "data/south.txt", 375);
adf::PLIO* whole = new adf::PLIO("beam of both cores", plio_64_bits, "data/whole.txt", 375);
adf::PLIO* own = new adf::PLIO("beam 2", plio_64_bits, "data/own.txt", 375);

adf::simulation::platform<2, 2> hut(north, south, whole, own);

Mast mast;

connect<> up0(hut.src[0], mast.foot[0]);
connect<> up1(hut.src[1], mast.foot[1]);
connect<> down0(mast.top[0], hut.sink[0]);
connect<> down1(mast.top[1], hut.sink[1]);

int main() {
  mast.init();
  mast.run(3);
  mast.end();
  return (0);
}
