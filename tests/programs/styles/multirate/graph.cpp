// Everything runs NIterations times.
#include <adf.h>
using namespace adf;
#include "graph.h"

MultiRateGraph G;

int main(int argc, char** argv) {
  G.init();
  G.run(NIterations);
  G.end();
  return 0;
}
