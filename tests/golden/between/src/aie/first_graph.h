// first_graph.h: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#pragma once

#include <adf.h>

#include <iterator>
#include <vector>

#include "first_kernel.h"
#include "first_weights.h"

/// first: 1 core, 1 tile in use.
class FirstGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 1;  // cores along M that share an input stream
  static constexpr unsigned kGroups = 1;  // input streams
  static constexpr unsigned kCores = 1;  // 1 groups x 1 parts

  adf::input_port in[kGroups];
  adf::output_port out[kCores];

  FirstGraph() {
    for (unsigned i = 0; i < kCores; ++i) {
      const unsigned part = i % kParts;
      adf::kernel& core = cores_[i];
      core = adf::kernel::create_object<FirstKernel>(
          std::vector<float>(std::begin(first_weights[part]), std::end(first_weights[part])),
          std::vector<float>(std::begin(first_bias[part]), std::end(first_bias[part])));
      adf::source(core) = "first.cc";
      adf::runtime<adf::ratio>(core) = 0.9;
      adf::stack_size(core) = 1024;

      adf::connect<>(in[i / kParts], core.in[0]);
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.in[0]) = {32};  // 2 x 16
      adf::dimensions(core.out[0]) = {64};  // 4 x 16

      const Place& at = kPlaces[i];
      adf::location<adf::kernel>(core) = adf::tile(at.col, at.row);
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 256), adf::address(at.col, at.row, 8224)};  // output, 256 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 512);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 128)};  // input, 128 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 8192);  // weights, 32 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 30688);  // stack, then heap and the tools' own
    }
  }

 private:
  /// A core's tile.
  struct Place {
    int col, row;
  };
  static constexpr Place kPlaces[kCores] = {
      {6, 0},
  };

  adf::kernel cores_[kCores];
};
