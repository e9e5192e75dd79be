@@ sha256: 416e4cb715fc44ecb892246364a58f16203454afe570acd7efa4e83e2161640b
// first.cc: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "first_kernel.h"
@@ same: 7 in kernel.cc.j2, first.cc
constexpr unsigned kRowTiles = 1;  // 4 / 4
constexpr unsigned kColTiles = 4;  // 16 / 4
constexpr unsigned kDepth = 1;  // 2 / 2
@@ same: 2
void start_with_bias(const float* __restrict bias, float* out) {
@@ same: 9 in kernel.cc.j2
/// Adds the products of one pass; blocks of 1 x 2 mmuls share the tiles they load.
@@ same: 10 in second.cc, last.cc
        chess_prepare_for_pipelining chess_loop_range(1, 1) {
@@ same: 7 in last.cc, first.cc
      aie::store_v(c0 + 1 * Mmul::size_C, c01.to_vector<float>());
@@ same: 6 in kernel.cc.j2
FirstKernel::FirstKernel(float (&weights)[8], float (&bias)[16])
@@ same: 6 in kernel.cc.j2, first.cc
