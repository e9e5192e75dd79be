@@ sha256: 64f0a5cd55daa262cca57fd522ad460e9a398597eb5c71139136cef2ca43689f
// first_graph.h: first, 2x6x6 float32 to 8x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 7 in graph.h.j2
#include "first_kernel.h"
#include "first_weights.h"

/// first: 3 cores, 3 tiles in use.
class FirstGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 1;  // cores along M that share an input stream
  static constexpr unsigned kGroups = 3;  // input streams
  static constexpr unsigned kCores = 3;  // 3 groups x 1 parts
@@ same: 3 in graph.h.j2

  FirstGraph() {
@@ same: 3 in graph.h.j2
      core = adf::kernel::create_object<FirstKernel>(
          std::vector<float>(std::begin(first_weights[part]), std::end(first_weights[part])),
          std::vector<float>(std::begin(first_bias[part]), std::end(first_bias[part])));
      adf::source(core) = "first.cc";
      adf::runtime<adf::ratio>(core) = 0.9;
      adf::stack_size(core) = 4096;
@@ same: 3 in graph.h.j2
      adf::dimensions(core.in[0]) = {216};  // 18 x 12
      adf::dimensions(core.out[0]) = {96};  // 8 x 12
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 1728), adf::address(at.col, at.row, 2112)};  // output, 384 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 2496);  // bias, 128 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 864)};  // input, 864 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 8192);  // weights, 576 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 27616);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {6, 0}, {6, 1}, {6, 2},
@@ same: 4 in graph.h.j2
