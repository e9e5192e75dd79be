@@ sha256: 668e0574859bfd39df881fa290d05ee9a369caa171da32935fb4a19e5c3fea4b
// second_graph.h: second, 4x4x4 float32 to 4x4x4 float32 by im2col_gemm.
@@ same: 11
/// second: 1 core, 1 tile in use.
@@ same: 9
  SecondGraph() {
@@ same: 12
      adf::dimensions(core.in[0]) = {576};  // 36 x 16
@@ same: 4
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 4608), adf::address(at.col, at.row, 4864)};  // output, 256 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 5120);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 2304)};  // input, 2304 B
@@ same: 11
      {7, 0},
@@ same: 4
