@@ sha256: 22cfd3463ea5854d56db155bea9d155cbe3396f4b44cf478afcdd0e107333514
// second_graph.h: second, 4x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 10 in graph.h.j2, second_graph.h
/// second: 1 core, 1 tile in use.
class SecondGraph : public adf::graph {
@@ same: 21 in first_graph.h, last_graph.h, graph.h.j2, second_graph.h
      adf::dimensions(core.in[0]) = {576};  // 36 x 16
      adf::dimensions(core.out[0]) = {64};  // 4 x 16
@@ same: 3 in graph.h.j2
      adf::location<adf::buffer>(core.out[0]) = {adf::address(at.col, at.row, 4608), adf::address(at.col, at.row, 4864)};  // output, 256 B
      adf::location<adf::parameter>(core.param[1]) = adf::address(at.col, at.row, 5120);  // bias, 64 B
      adf::location<adf::buffer>(core.in[0]) = {adf::address(at.col, at.row, 0), adf::address(at.col, at.row, 2304)};  // input, 2304 B
@@ same: 11 in first_graph.h, graph.h.j2
      {7, 0},
@@ same: 4 in graph.h.j2
