// second_graph.h: second, 8x6x6 float32 to 4x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
#pragma once

#include <adf.h>

#include <iterator>
#include <vector>

#include "second_kernel.h"
#include "second_weights.h"

/// second: 2 cores, 2 tiles in use.
class SecondGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 1;  // cores along M that share an input stream
  static constexpr unsigned kGroups = 2;  // input streams
  static constexpr unsigned kCores = 2;  // 2 groups x 1 parts

  adf::input_port in[kGroups];
  adf::output_port out[kCores];

  SecondGraph() {
    for (unsigned i = 0; i < kCores; ++i) {
      const unsigned part = i % kParts;
      adf::kernel& core = cores_[i];
      core = adf::kernel::create_object<SecondKernel>(
          std::vector<float>(std::begin(second_weights[part]), std::end(second_weights[part])),
          std::vector<float>(std::begin(second_bias[part]), std::end(second_bias[part])));
      adf::source(core) = "second.cc";
      adf::runtime<adf::ratio>(core) = 0.9;
      adf::stack_size(core) = 1024;

      adf::connect<>(in[i / kParts], core.in[0]);
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.in[0]) = {720};  // 36 x 20
      adf::dimensions(core.out[0]) = {80};  // 4 x 20

      const Place& at = kPlaces[i];
      adf::location<adf::kernel>(core) = adf::tile(at.col, at.row);
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 5760), adf::address(at.col, at.row, 6080)};  // output, 320 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 6400);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 2880)};  // input, 2880 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 8192);  // weights, 1152 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 30688);  // stack, then heap and the tools' own
    }
  }

 private:
  /// A core's tile.
  struct Place {
    int col, row;
  };
  static constexpr Place kPlaces[kCores] = {
      {7, 0}, {7, 1},
  };

  adf::kernel cores_[kCores];
};
