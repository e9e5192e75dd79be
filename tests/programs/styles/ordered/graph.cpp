// Files reach four clerks as they come; the registry takes one from each in turn, whoever is done first.
#include "clerks.h"

using namespace adf;

class Registry : public graph {
  pktsplit<4> counter;
  pktorderedmerge<4> shelf;
  kernel clerk[4];

 public:
  input_plio arrivals = input_plio::create("arrivals", plio_32_bits, "data/arrivals.txt");
  output_plio records = output_plio::create("records", plio_32_bits, "data/records.txt");

  Registry() {
    counter = pktsplit<4>::create();
    shelf = pktorderedmerge<4>::create();
    connect<pktstream>(arrivals.out[0], counter.in[0]);
    clerk[0] = kernel::create(note<1>);
    clerk[1] = kernel::create(note<2>);
    clerk[2] = kernel::create(note<3>);
    clerk[3] = kernel::create(note<4>);
    for (int desk = 0; desk < 4; desk++) {
      connect<>(counter.out[desk], clerk[desk].in[0]);
      connect<>(clerk[desk].out[0], shelf.in[desk]);
      dimensions(clerk[desk].in[0]) = {PAGES};
      dimensions(clerk[desk].out[0]) = {PAGES};
      source(clerk[desk]) = "clerks.cc";
      runtime<ratio>(clerk[desk]) = 0.25;
    }
    connect<pktstream>(shelf.out[0], records.in[0]);
  }
};

Registry registry;

int main() {
  registry.init();
  registry.run(3);
  registry.end();
}
