@@ sha256: d25c3c863cdd90b797b9d10474bc3d42f48c29b6c1d2531f8d4a0ea38e7b7267
// one_graph.h: one, 2x8x9 bfloat16 to 8x8x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 4 in graph.h.j2
#include "one_feeder.h"
@@ same: 2
/// one: 1 core, 2 tiles in use.
@@ same: 5 in one_graph.h, two_graph.h
  static constexpr unsigned kPorts = 1;  // streams of images into a core
@@ same: 14 in graph.h.j2, one_graph.h, first_graph.h
      adf::dimensions(core.in[0]) = {768};  // 8 rows x 1 block x 12 columns x 8
      adf::kernel& feeder = feeders_[i];
      feeder = adf::kernel::create_object<OneFeeder>();
      adf::source(feeder) = "one_feeder.cc";
      adf::runtime<adf::ratio>(feeder) = 0.9;
      adf::stack_size(feeder) = 1024;
@@ same: 2
      adf::dimensions(feeder.out[0]) = {64};
      adf::single_buffer(feeder.out[0]);
      adf::dimensions(core.in[kPorts]) = {64};  // weights, then bias
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.out[0]) = {768};  // 8 rows x 1 blocks x 12 columns x 8
      adf::single_buffer(core.in[1]);
@@ same: 3 in graph.h.j2
      adf::location<adf::kernel>(feeder) = adf::tile(at.beside, at.row);
      adf::location<adf::stack>(feeder) = adf::address(at.beside, at.row, 63456);
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 16384)};  // input, 1536 B
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 32768), adf::address(at.col, at.row, 49152)};  // output, 1536 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 60384);  // stack, then heap and the tools' own
      adf::location<adf::buffer>(core.in[1]) = {adf::address(at.beside, at.row, 0)};  // weights and bias, 256 B
@@ same: 9 in graph.h.j2, two_graph.h
      {11, 0, 10},
@@ same: 3 in graph.h.j2
  adf::kernel feeders_[kCores];
};
