// Two graphs: the kiln has an array in and a count out, the loom scalars and an array, of which only the bell's is awaited.
#ifndef WORKSHOP_H
#define WORKSHOP_H

#include <adf.h>

#include "kiln.h"

constexpr int BATCH = 24;

class Kiln : public adf::graph {
 public:
  adf::port<adf::direction::in> limits;
  adf::port<adf::direction::inout> hottest;
  adf::input_plio thermometer = adf::input_plio::create("thermometer", adf::plio_32_bits, "data/degrees.csv");
  adf::output_plio chart = adf::output_plio::create("chart", adf::plio_32_bits, "data/zones.txt");

  Kiln() {
    k = adf::kernel::create(gauge<6>);
    adf::source(k) = "gauge.cc";
    adf::runtime<adf::ratio>(k) = 0.4;
    adf::dimensions(k.in[0]) = {BATCH};
    adf::dimensions(k.out[0]) = {BATCH};
    adf::connect<>(thermometer.out[0], k.in[0]);
    adf::connect<adf::parameter>(limits, async(k.in[1]));
    adf::connect<>(k.out[0], chart.in[0]);
    adf::connect<adf::parameter>(async(k.inout[0]), hottest);
  };

 private:
  adf::kernel k;
};

class Loom : public graph {
  kernel thrower, dyer, ringer;

 public:
  port<input> stride, palette, strokes;
  output_plio cloth, hour;

  Loom() {
    thrower = kernel::create(shuttle);
    dyer = kernel::create(dye);
    ringer = kernel::create(bell);
    for (kernel* one : {&thrower, &dyer, &ringer}) {
      source(*one) = "loom.cc";
      runtime<ratio>(*one) = 0.3;
    }
    cloth = output_plio::create("cloth", plio_32_bits, "data/cloth.txt");
    hour = output_plio::create("hour", plio_32_bits, "data/hour.txt");

    connect<parameter>(stride, async(thrower.in[0]));
    connect<parameter>(palette, async(dyer.in[1]));
    connect<parameter>(strokes, sync(ringer.in[0]));
    connect<>(thrower.out[0], dyer.in[0]);
    connect<>(dyer.out[0], cloth.in[0]);
    connect<stream>(ringer.out[0], hour.in[0]);
    dimensions(thrower.out[0]) = {BATCH};
    dimensions(dyer.in[0]) = {BATCH};
    dimensions(dyer.out[0]) = {BATCH};
    location<kernel>(dyer) = location<kernel>(thrower);
  };
};

#endif
