// Packets come in any order, and leave in the order of the merger's inputs.
#include "kernels.h"

using namespace adf;

class Ordered : public graph {
 public:
  input_plio in;
  output_plio out, single;
  pktsplit<3> sp;
  pktorderedmerge<3> mg;
  kernel k[3];
  Ordered() {
    in = input_plio::create("in", plio_32_bits, "data/in.txt");
    out = output_plio::create("out", plio_32_bits, "data/out.txt");
    sp = pktsplit<3>::create();
    mg = pktorderedmerge<3>::create();
    k[0] = kernel::create(add<100>);
    k[1] = kernel::create(add<200>);
    k[2] = kernel::create(add<300>);
    connect<pktstream>(in.out[0], sp.in[0]);
    for (int i = 0; i < 3; i++) {
      source(k[i]) = "add.cc";
      runtime<ratio>(k[i]) = 0.5;
      dimensions(k[i].in[0]) = {4};
      dimensions(k[i].out[0]) = {4};
      connect<>(sp.out[i], k[i].in[0]);
      connect<>(k[i].out[0], mg.in[i]);
    }
    connect<pktstream>(mg.out[0], out.in[0]);
  }
};

Ordered g;

int main() {
  g.init();
  g.run(2);
  g.end();
}
