// Synchronous and asynchronous parameters, scalars and arrays, written and read.
#ifndef __GRAPH_H__
#define __GRAPH_H__

#include <adf.h>

#include "kernels.h"

class rtpgraph : public adf::graph {
 private:
  adf::kernel k;

 public:
  adf::output_plio out;
  adf::input_plio in;
  adf::port<adf::direction::in> value;
  adf::port<adf::direction::inout> iter;

  rtpgraph() {
    k = adf::kernel::create(vect_add<8>);
    out = adf::output_plio::create("Dataout0", adf::plio_32_bits, "data/output0.txt");
    in = adf::input_plio::create("Datain0", adf::plio_32_bits, "data/input0.csv");
    adf::connect<adf::parameter>(value, async(k.in[1]));
    adf::connect<adf::parameter>(async(k.inout[0]), iter);
    adf::connect<>(k.out[0], out.in[0]);
    adf::connect<>(in.out[0], k.in[0]);
    adf::dimensions(k.in[0]) = {16};
    adf::dimensions(k.out[0]) = {16};
    adf::source(k) = "vect_add.cc";
    adf::runtime<adf::ratio>(k) = 0.9;
  };
};

class ToyGraph : public graph {
 private:
  kernel k_sine, k_fir, k_trigger;

 public:
  port<input> phase_port;
  port<input> coefficients;
  port<input> size;
  output_plio out, tick;

  ToyGraph() {
    k_sine = kernel::create(sine);
    k_fir = kernel::create(fir);
    k_trigger = kernel::create(trigger);
    source(k_sine) = "dds.cc";
    source(k_fir) = "dds.cc";
    source(k_trigger) = "dds.cc";
    runtime<ratio>(k_sine) = 0.1;
    runtime<ratio>(k_fir) = 0.1;
    runtime<ratio>(k_trigger) = 0.1;
    dimensions(k_sine.out[0]) = {16};
    dimensions(k_fir.in[0]) = {16};
    dimensions(k_fir.out[0]) = {16};
    out = output_plio::create("filtered", plio_32_bits, "data/filtered.txt");
    tick = output_plio::create("tick", plio_32_bits, "data/tick.txt");
    connect<parameter>(phase_port, async(k_sine.in[0]));
    connect<>(k_sine.out[0], k_fir.in[0]);
    connect<parameter>(coefficients, async(k_fir.in[1]));
    connect<>(k_fir.out[0], out.in[0]);
    connect<parameter>(size, sync(k_trigger.in[0]));
    connect<stream>(k_trigger.out[0], tick.in[0]);
    location<kernel>(k_fir) = location<kernel>(k_sine);
  };
};

#endif
