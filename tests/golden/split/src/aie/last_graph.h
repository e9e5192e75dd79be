// last_graph.h: last, 6x3x7 float32 to 3x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
#pragma once

#include <adf.h>

#include <iterator>
#include <vector>

#include "last_kernel.h"
#include "last_weights.h"

/// last: 1 core, 1 tile in use.
class LastGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 1;  // cores along M that share an input stream
  static constexpr unsigned kGroups = 1;  // input streams
  static constexpr unsigned kCores = 1;  // 1 groups x 1 parts

  adf::input_port in[kGroups];
  adf::output_port out[kCores];

  LastGraph() {
    for (unsigned i = 0; i < kCores; ++i) {
      const unsigned part = i % kParts;
      adf::kernel& core = cores_[i];
      core = adf::kernel::create_object<LastKernel>(
          std::vector<float>(std::begin(last_weights[part]), std::end(last_weights[part])),
          std::vector<float>(std::begin(last_bias[part]), std::end(last_bias[part])));
      adf::source(core) = "last.cc";
      adf::runtime<adf::ratio>(core) = 0.9;
      adf::stack_size(core) = 1024;
      adf::repetition_count(core) = 6;  // tiles of an image, one after another

      adf::connect<>(in[i / kParts], core.in[0]);
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.in[0]) = {24};  // 6 x 4
      adf::dimensions(core.out[0]) = {16};  // 4 x 4
      adf::single_buffer(core.in[0]);
      adf::single_buffer(core.out[0]);

      const Place& at = kPlaces[i];
      adf::location<adf::kernel>(core) = adf::tile(at.col, at.row);
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 96)};  // output, 64 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 160);  // bias, 32 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0)};  // input, 96 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 8192);  // weights, 96 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 30688);  // stack, then heap and the tools' own
    }
  }

 private:
  /// A core's tile.
  struct Place {
    int col, row;
  };
  static constexpr Place kPlaces[kCores] = {
      {7, 0},
  };

  adf::kernel cores_[kCores];
};
