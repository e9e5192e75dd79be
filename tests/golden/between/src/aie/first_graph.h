@@ sha256: 9219053fe0ce44f53bef89d1f51b02d4bb3e198f4fa77628a350f00597b8e1c1
// first_graph.h: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 10 in graph.h.j2, first_graph.h
/// first: 1 core, 1 tile in use.
@@ same: 22 in first_graph.h, last_graph.h, graph.h.j2
      adf::dimensions(core.in[0]) = {32};  // 2 x 16
      adf::dimensions(core.out[0]) = {64};  // 4 x 16
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 256), adf::address(at.col, at.row, 8224)};  // output, 256 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 512);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 128)};  // input, 128 B
      adf::location<adf::parameter>(core.param[0]) = adf::address(at.col, at.row, 8192);  // weights, 32 B
      adf::location<adf::stack>(core) = adf::address(at.col, at.row, 27616);  // stack, then heap and the tools' own
@@ same: 9 in graph.h.j2
      {6, 0},
@@ same: 4 in graph.h.j2
