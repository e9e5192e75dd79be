@@ sha256: 060acccff994367fae9103b87cb1c7d3cef3967eea35bda83670000043262161
// wide_graph.h: wide, 1x5x7 float32 to 6x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 7 in graph.h.j2
#include "wide_kernel.h"
#include "wide_weights.h"

/// wide: 4 cores, 4 tiles in use.
class WideGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 2;  // cores along M that share an input stream
  static constexpr unsigned kGroups = 2;  // input streams
  static constexpr unsigned kCores = 4;  // 2 groups x 2 parts
@@ same: 3 in graph.h.j2

  WideGraph() {
@@ same: 3 in graph.h.j2
      core = adf::kernel::create_object<WideKernel>(
          std::vector<float>(std::begin(wide_weights[part]), std::end(wide_weights[part])),
          std::vector<float>(std::begin(wide_bias[part]), std::end(wide_bias[part])));
      adf::source(core) = "wide.cc";
@@ same: 2
      adf::repetition_count(core) = 2;  // tiles of an image, one after another
@@ same: 3 in graph.h.j2
      adf::dimensions(core.in[0]) = {64};  // 8 x 8
      adf::dimensions(core.out[0]) = {32};  // 4 x 8
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 256), adf::address(at.col, at.row, 384)};  // output, 128 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 512);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 8192)};  // input, 256 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 16384);  // weights, 256 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 27616);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {6, 0}, {6, 1}, {6, 2}, {6, 3},
@@ same: 4 in graph.h.j2
