// New GMIO members of the graph.
#include <adf.h>

#include "kernel.h"

using namespace adf;

class mygraph : public adf::graph {
 private:
  adf::kernel k_m;

 public:
  adf::output_gmio gmioOut;
  adf::input_gmio gmioIn;

  mygraph() {
    k_m = adf::kernel::create(weighted_sum_with_margin);
    gmioOut = adf::output_gmio::create("gmioOut", 64, 1000);
    gmioIn = adf::input_gmio::create("gmioIn", 64, 1000);

    adf::connect<>(gmioIn.out[0], k_m.in[0]);
    adf::connect<>(k_m.out[0], gmioOut.in[0]);
    adf::source(k_m) = "weighted_sum.cc";
    adf::runtime<adf::ratio>(k_m) = 0.9;
  };
};

class oldgraph : public adf::graph {
 private:
  adf::kernel k;

 public:
  adf::port<input> in;
  adf::port<output> out;
  oldgraph() {
    k = adf::kernel::create(old_scale);
    adf::connect<adf::stream>(in, k.in[0]);
    adf::connect<adf::stream>(k.out[0], out);
    adf::source(k) = "weighted_sum.cc";
    adf::runtime<adf::ratio>(k) = 0.4;
  }
};
