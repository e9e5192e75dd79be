@@ sha256: a57b88d089b4805381120be660c7a0ef627fa20dce709dff07716352a1f41da1
// two_graph.h: two, 16x6x9 bfloat16 to 8x5x7 bfloat16 by chained.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 4 in graph.h.j2
#include "two_kernel.h"

/// two: 1 core, 2 tiles in use.
class TwoGraph : public adf::graph {
 public:
  static constexpr unsigned kParts = 1;  // cores along the output channels
  static constexpr unsigned kBands = 1;  // cores along the output rows
  static constexpr unsigned kCores = 1;  // 1 bands x 1 parts
  static constexpr unsigned kPorts = 2;  // streams of images into a core
@@ same: 5 in graph.h.j2, one_graph.h
  TwoGraph() {
@@ same: 2
      core = adf::kernel::create_object<TwoKernel>();
      adf::source(core) = "two.cc";
@@ same: 4 in first_graph.h, one_graph.h
      adf::dimensions(core.in[0]) = {560};  // 7 rows x 1 block x 10 columns x 8
      adf::connect<>(in[i * kPorts + 1], core.in[1]);
      adf::dimensions(core.in[1]) = {560};  // 7 rows x 1 block x 10 columns x 8
      adf::connect<>(weights[i % kParts], core.in[kPorts]);
      adf::dimensions(core.in[kPorts]) = {416};  // weights, then bias
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.out[0]) = {384};  // 6 rows x 1 blocks x 8 columns x 8
      adf::single_buffer(core.in[2]);
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 1120)};  // input, 1120 B
      adf::location<adf::buffer>(core.in[1]) = {adf::address(at.col, at.row, 2240), adf::address(at.col, at.row, 3360)};  // input, 1120 B
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 4480), adf::address(at.col, at.row, 5248)};  // output, 768 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 60384);  // stack, then heap and the tools' own
      adf::location<adf::buffer>(core.in[2]) = {adf::address(at.beside, at.row, 0)};  // weights and bias, 1664 B
@@ same: 4 in graph.h.j2
  /// A core's tile and the column whose memory it borrows.
  struct Place {
    int col, row, beside;
@@ same: 2
      {8, 0, 7},
@@ same: 4 in graph.h.j2
