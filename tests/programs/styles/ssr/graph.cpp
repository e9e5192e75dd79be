// PLIO objects by pointer, names with spaces, a platform object.
#include <adf.h>

#include "graph.h"

adf::PLIO* pl64_in0 = new adf::PLIO("Stream for Block 0", plio_64_bits, "data/PhaseIn_0.txt", 500);
adf::PLIO* pl64_in1 = new adf::PLIO("Stream for Block 1", plio_64_bits, "data/PhaseIn_1.txt", 500);
adf::PLIO* pl64_out0 = new adf::PLIO("64 bits out 0", plio_64_bits, "data/Output_0.txt", 500);
adf::PLIO* pl64_out1 = new adf::PLIO("64 bits out 1", plio_64_bits, "data/Output_1.txt", 500);

adf::simulation::platform<2, 2> Platform(pl64_in0, pl64_in1, pl64_out0, pl64_out1);

TopGraph G;

connect<> net000(Platform.src[0], G.in[0]);
connect<> net001(Platform.src[1], G.in[1]);
connect<> net100(G.out[0], Platform.sink[0]);
connect<> net101(G.out[1], Platform.sink[1]);

int main() {
  G.init();
  G.run(2);
  G.end();

  return (0);
}
