@@ sha256: ed9768f92d2b8b6240369cde087ba6cedafd0eb07764cc8f64029c22eae606b2
// first.cc: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "first_kernel.h"
@@ same: 7 in kernel.cc.j2, first.cc
constexpr unsigned kRowTiles = 1;  // 4 / 4
constexpr unsigned kColTiles = 4;  // 16 / 4
constexpr unsigned kDepth = 1;  // 2 / 2
@@ same: 8 in first.cc, kernel.cc.j2
      chess_prepare_for_pipelining chess_loop_range(4, 4) {
@@ same: 8 in kernel.cc.j2, last.cc, second.cc
    for (unsigned nb = 0; nb < kColTiles; nb += 2) chess_prepare_for_pipelining chess_loop_range(2, 2) {
@@ same: 15 in last.cc, first.cc
      aie::store_v(c0 + 1 * Mmul::size_C, c01.to_vector<float>());
@@ same: 6 in kernel.cc.j2
FirstKernel::FirstKernel(float (&weights)[8], float (&bias)[16])
@@ same: 6 in kernel.cc.j2, first.cc
