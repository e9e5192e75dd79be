@@ sha256: 7d047998faeb486b4cfde79a7a3542c1400784a18190923cb87bc3efbd7a7c0c
// one_graph.h: one, 2x6x9 bfloat16 to 16x6x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 4 in graph.h.j2
#include "one_kernel.h"

/// one: 8 cores, 8 tiles in use.
class OneGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 2;  // cores along the output channels
  static constexpr unsigned kBands = 4;  // cores along the output rows
  static constexpr unsigned kCores = 8;  // 4 bands x 2 parts
  static constexpr unsigned kPorts = 1;  // streams of images into a core
@@ same: 3 in graph.h.j2
  adf::input_port weights[kParts];  // once, for the cores of a part in all bands

  OneGraph() {
    for (unsigned i = 0; i < kCores; ++i) {
      adf::kernel& core = cores_[i];
      core = adf::kernel::create_object<OneKernel>();
      adf::source(core) = "one.cc";
@@ same: 2

      adf::connect<>(in[i * kPorts + 0], core.in[0]);
      adf::dimensions(core.in[0]) = {448};  // 4 rows x 1 block x 14 columns x 8
      adf::connect<>(weights[i % kParts], core.in[kPorts]);
      adf::dimensions(core.in[kPorts]) = {320};  // weights, then bias
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.out[0]) = {192};  // 2 rows x 1 blocks x 12 columns x 8
      adf::single_buffer(core.in[1]);
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.in[1]) = {adf::address(at.col, at.row, 0)};  // weights and bias, 1280 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 16384), adf::address(at.col, at.row, 17280)};  // input, 896 B
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 1280), adf::address(at.col, at.row, 1664)};  // output, 384 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 60384);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {5, 0}, {5, 1}, {5, 2}, {5, 3}, {6, 0}, {6, 1}, {6, 2}, {6, 3},
@@ same: 4 in graph.h.j2
