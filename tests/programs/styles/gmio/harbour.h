// The new harbour owns its ports to DDR; the old one has plain ports, and main()'s file connects them.
#include <adf.h>

#include "tide.h"

using namespace adf;

class Harbour : public adf::graph {
  adf::kernel pilot;

 public:
  adf::input_gmio gauge = adf::input_gmio::create("gauge", 128, 600);
  adf::output_gmio log = adf::output_gmio::create("log", 256, 600);

  Harbour() {
    pilot = adf::kernel::create(forecast_error);
    adf::source(pilot) = "tide.cc";
    adf::runtime<adf::ratio>(pilot) = 0.7;
    adf::connect<>(gauge.out[0], pilot.in[0]);
    adf::connect<>(pilot.out[0], log.in[0]);
  };
};

class OldHarbour : public adf::graph {
  adf::kernel keeper;

 public:
  adf::port<output> changes;
  adf::port<input> levels;
  OldHarbour() {
    keeper = adf::kernel::create(rise);
    adf::source(keeper) = "tide.cc";
    adf::runtime<adf::ratio>(keeper) = 0.2;
    adf::connect<adf::stream>(keeper.out[0], changes);
    adf::connect<adf::stream>(levels, keeper.in[0]);
  }
};
