@@ sha256: e3780c912c1e3acb8525543cfce031a1842bdd786faba4df679bf89e156a0192
// second_graph.h: second, 8x6x6 float32 to 4x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 7 in graph.h.j2
#include "second_kernel.h"
#include "second_weights.h"

/// second: 2 cores, 2 tiles in use.
class SecondGraph : public adf::graph {
@@ same: 2
  static constexpr unsigned kGroups = 2;  // input streams
  static constexpr unsigned kCores = 2;  // 2 groups x 1 parts
@@ same: 3 in graph.h.j2

  SecondGraph() {
@@ same: 3 in graph.h.j2
      core = adf::kernel::create_object<SecondKernel>(
          std::vector<float>(std::begin(second_weights[part]), std::end(second_weights[part])),
          std::vector<float>(std::begin(second_bias[part]), std::end(second_bias[part])));
      adf::source(core) = "second.cc";
@@ same: 5 in first_graph.h, graph.h.j2
      adf::dimensions(core.in[0]) = {720};  // 36 x 20
      adf::dimensions(core.out[0]) = {80};  // 4 x 20
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 5760), adf::address(at.col, at.row, 6080)};  // output, 320 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 6400);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 2880)};  // input, 2880 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 8192);  // weights, 1152 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 27616);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {7, 0}, {7, 1},
@@ same: 4 in graph.h.j2
