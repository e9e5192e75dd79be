@@ sha256: 8a62ccdbd7395f11ff83a627bda316aa3a057f6644060e68de07ed04317194d5
// pool_graph.h: pool, 8x8x9 bfloat16 to 8x4x4 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 4 in graph.h.j2
#include "pool_kernel.h"

/// pool: 1 core, 1 tile in use.
class PoolGraph : public adf::graph {
@@ same: 4 in two_graph.h
  static constexpr unsigned kPorts = 1;  // streams into a core
@@ same: 3 in graph.h.j2

  PoolGraph() {
@@ same: 2
      core = adf::kernel::create_object<PoolKernel>();
      adf::source(core) = "pool.cc";
@@ same: 4 in first_graph.h, one_graph.h
      adf::dimensions(core.in[0]) = {512};  // 8 rows x 1 blocks x 8 columns x 8
      adf::connect<>(core.out[0], out[i]);
      adf::dimensions(core.out[0]) = {128};  // 4 rows x 1 blocks x 4 columns x 8
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 16384)};  // input, 1024 B
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 32768), adf::address(at.col, at.row, 49152)};  // output, 256 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 60384);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {11, 1},
@@ same: 4 in graph.h.j2
