// Split, four kernels, merge.
#include <adf.h>

#include "kernels.h"

using namespace adf;
class mygraph : public adf::graph {
 private:
  adf::kernel core[4];

  adf::pktsplit<4> sp;
  adf::pktmerge<4> mg;

 public:
  adf::input_plio in;
  adf::output_plio out;
  mygraph() {
    core[0] = adf::kernel::create(aie_core1);
    core[1] = adf::kernel::create(aie_core2);
    core[2] = adf::kernel::create(aie_core3);
    core[3] = adf::kernel::create(aie_core4);
    in = adf::input_plio::create("Datain0", plio_32_bits, "data/input.txt");
    out = adf::output_plio::create("Dataout0", plio_32_bits, "data/output.txt");
    sp = adf::pktsplit<4>::create();
    mg = adf::pktmerge<4>::create();
    for (int i = 0; i < 4; i++) {
      adf::source(core[i]) = "cores.cpp";
      adf::runtime<ratio>(core[i]) = 0.9;
    }
    for (int i = 0; i < 2; i++) {
      adf::connect<>(sp.out[i], core[i].in[0]);
      adf::connect<>(core[i].out[0], mg.in[i]);
      dimensions(core[i].in[0]) = {8};
      dimensions(core[i].out[0]) = {8};
    }
    adf::connect<adf::pktstream, adf::window<32>>(sp.out[2], core[2].in[0]);
    adf::connect<adf::window<32>, adf::pktstream>(core[2].out[0], mg.in[2]);
    adf::connect<adf::pktstream>(sp.out[3], core[3].in[0]);
    adf::connect<adf::pktstream>(core[3].out[0], mg.in[3]);
    adf::connect<adf::pktstream>(in.out[0], sp.in[0]);
    adf::connect<adf::pktstream>(mg.out[0], out.in[0]);
  }
};
