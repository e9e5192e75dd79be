@@ sha256: 12b2be2cfbef2d26a610faf40367acca7cec1c711bbd9b13506f6b2a3c1a6501
// last_graph.h: last, 6x3x7 float32 to 3x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 7 in graph.h.j2
#include "last_kernel.h"
#include "last_weights.h"

/// last: 1 core, 1 tile in use.
class LastGraph : public adf::graph {
@@ same: 2
  static constexpr unsigned kGroups = 1;  // input streams
  static constexpr unsigned kCores = 1;  // 1 groups x 1 parts
@@ same: 3 in graph.h.j2

  LastGraph() {
@@ same: 3 in graph.h.j2
      core = adf::kernel::create_object<LastKernel>(
          std::vector<float>(std::begin(last_weights[part]), std::end(last_weights[part])),
          std::vector<float>(std::begin(last_bias[part]), std::end(last_bias[part])));
      adf::source(core) = "last.cc";
@@ same: 2
      adf::repetition_count(core) = 6;  // tiles of an image, one after another
@@ same: 3 in graph.h.j2
      adf::dimensions(core.in[0]) = {24};  // 6 x 4
      adf::dimensions(core.out[0]) = {16};  // 4 x 4
      adf::single_buffer(core.in[0]);
      adf::single_buffer(core.out[0]);
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 96)};  // output, 64 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 160);  // bias, 32 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0)};  // input, 96 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 8192);  // weights, 96 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 27616);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {7, 0},
@@ same: 4 in graph.h.j2
