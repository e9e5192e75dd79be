// One door in, one door out, and four desks between them.
#include <adf.h>

#include "desks.h"

using namespace adf;

class Office : public adf::graph {
  adf::kernel desk[4];
  adf::pktsplit<4> sorter = adf::pktsplit<4>::create();
  adf::pktmerge<4> bag = adf::pktmerge<4>::create();

  void open(int number, unsigned words) {
    adf::connect<>(sorter.out[number], desk[number].in[0]);
    adf::connect<>(desk[number].out[0], bag.in[number]);
    dimensions(desk[number].in[0]) = {words};
    dimensions(desk[number].out[0]) = {words};
  }

 public:
  adf::input_plio letterbox;
  adf::output_plio van;
  Office() {
    letterbox = adf::input_plio::create("letterbox", plio_32_bits, "data/letters.txt");
    adf::connect<adf::pktstream>(letterbox.out[0], sorter.in[0]);

    desk[0] = adf::kernel::create(express);
    adf::connect<adf::pktstream>(sorter.out[0], desk[0].in[0]);
    adf::connect<adf::pktstream>(desk[0].out[0], bag.in[0]);
    desk[1] = adf::kernel::create(mirror);
    adf::connect<adf::pktstream, adf::window<48>>(sorter.out[1], desk[1].in[0]);
    adf::connect<adf::window<48>, adf::pktstream>(desk[1].out[0], bag.in[1]);
    desk[2] = adf::kernel::create(halve);
    open(2, 20);
    desk[3] = adf::kernel::create(rank);
    open(3, 16);
    for (adf::kernel& one : desk) {
      adf::source(one) = "desks.cpp";
      adf::runtime<ratio>(one) = 0.35;
    }

    van = adf::output_plio::create("van", plio_32_bits, "data/sorted.txt");
    adf::connect<adf::pktstream>(bag.out[0], van.in[0]);
  };
};
