@@ sha256: 33e15b2a295bc3e723c00ae6f1b308cf39d39c76ecace44cfe9e887b73acd41e
// wide_graph.h: wide, 1x5x7 float32 to 6x3x7 float32 by im2col_gemm.
@@ same: 8
#include "wide_kernel.h"
#include "wide_weights.h"

/// wide: 4 cores, 4 tiles in use.
class WideGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 2;  // cores along M that share an input stream
  static constexpr unsigned kGroups = 2;  // input streams
  static constexpr unsigned kCores = 4;  // 2 groups x 2 parts
@@ same: 4
  WideGraph() {
@@ same: 3
      core = adf::kernel::create_object<WideKernel>(
          std::vector<float>(std::begin(wide_weights[part]), std::end(wide_weights[part])),
          std::vector<float>(std::begin(wide_bias[part]), std::end(wide_bias[part])));
      adf::source(core) = "wide.cc";
      adf::runtime<adf::ratio>(core) = 0.9;
      adf::stack_size(core) = 1024;
      adf::repetition_count(core) = 2;  // tiles of an image, one after another
@@ same: 3
      adf::dimensions(core.in[0]) = {64};  // 8 x 8
      adf::dimensions(core.out[0]) = {32};  // 4 x 8
@@ same: 3
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 256), adf::address(at.col, at.row, 384)};  // output, 128 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 512);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 8192)};  // input, 256 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 16384);  // weights, 256 B
@@ same: 10
      {6, 0}, {6, 1}, {6, 2}, {6, 3},
@@ same: 4
