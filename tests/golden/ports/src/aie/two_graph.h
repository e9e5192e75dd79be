// two_graph.h: two, 16x6x9 bfloat16 to 8x5x7 bfloat16 by chained.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#pragma once

#include <adf.h>

#include "two_kernel.h"

/// two: 1 core, 2 tiles in use.
class TwoGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 1;  // cores along the output channels
  static constexpr unsigned kBands = 1;  // cores along the output rows
  static constexpr unsigned kCores = 1;  // 1 bands x 1 parts
  static constexpr unsigned kPorts = 2;  // streams of images into a core

  adf::input_port in[kCores * kPorts];
  adf::output_port out[kCores];
  adf::input_port weights[kParts];  // once, for the cores of a part in all bands

  TwoGraph() {
    for (unsigned i = 0; i < kCores; ++i) {
      adf::kernel& core = cores_[i];
      core = adf::kernel::create_object<TwoKernel>();
      adf::source(core) = "two.cc";
      adf::runtime<adf::ratio>(core) = 0.9;
      adf::stack_size(core) = 1024;

      adf::connect<>(in[i * kPorts + 0], core.in[0]);
      adf::dimensions(core.in[0]) = {560};  // 7 rows x 1 block x 10 columns x 8
      adf::connect<>(in[i * kPorts + 1], core.in[1]);
      adf::dimensions(core.in[1]) = {560};  // 7 rows x 1 block x 10 columns x 8
      adf::connect<>(weights[i % kParts], core.in[kPorts]);
      adf::dimensions(core.in[kPorts]) = {416};  // weights, then bias
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.out[0]) = {384};  // 6 rows x 1 blocks x 8 columns x 8
      adf::single_buffer(core.in[2]);

      const Place& at = kPlaces[i];
      adf::location<adf::kernel>(core) = adf::tile(at.col, at.row);
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 1120)};  // input, 1120 B
      adf::location<adf::buffer>(core.in[1]) = {adf::address(at.col, at.row, 2240), adf::address(at.col, at.row, 3360)};  // input, 1120 B
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 4480), adf::address(at.col, at.row, 5248)};  // output, 768 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 63456);  // stack, then heap and the tools' own
      adf::location<adf::buffer>(core.in[2]) = {adf::address(at.beside, at.row, 0)};  // weights and bias, 1664 B
    }
  }

 private:
  /// A core's tile and the column whose memory it borrows.
  struct Place {
    int col, row, beside;
  };
  static constexpr Place kPlaces[kCores] = {
      {8, 0, 7},
  };

  adf::kernel cores_[kCores];
};
