// Three nights of an open studio.
#include <adf.h>
using namespace adf;
#include "studio.h"

Studio<true> studio;

int main(int argc, char** argv) {
  studio.init();
  studio.run(3);
  studio.end();
  return 0;
}
