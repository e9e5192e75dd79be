@@ sha256: 045a6a67a86895d64edc88e1ce62a7007616abad98c1d67e45c9ead6ad17ea66
// two_graph.h: two, 8x4x4 bfloat16 to 8x4x3 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 7 in graph.h.j2
#include "two_kernel.h"
#include "two_weights.h"

/// two: 1 core, 1 tile in use.
@@ same: 5 in two_graph.h
  static constexpr unsigned kPorts = 1;  // streams into a core
@@ same: 3 in graph.h.j2

  TwoGraph() {
@@ same: 3 in graph.h.j2
      core = adf::kernel::create_object<TwoKernel>(
          std::vector<int16>(std::begin(two_weights[part]), std::end(two_weights[part])),
          std::vector<float>(std::begin(two_bias[part]), std::end(two_bias[part])));
      adf::source(core) = "two.cc";
@@ same: 4 in first_graph.h, one_graph.h
      adf::dimensions(core.in[0]) = {192};  // 4 rows x 1 block x 6 columns x 8
@@ same: 5 in pool_graph.h, graph.h.j2
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 0);  // weights, 256 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 16384), adf::address(at.col, at.row, 16768)};  // input, 384 B
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 256), adf::address(at.col, at.row, 512)};  // output, 256 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 768);  // bias, 128 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 60384);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {12, 0},
@@ same: 4 in graph.h.j2
