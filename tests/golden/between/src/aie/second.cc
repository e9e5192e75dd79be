@@ sha256: 48e6b9d5afbbef0aae561c5762f62c25ba496d2c280ca28e90683684386de91e
// second.cc: second, 4x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "second_kernel.h"
@@ same: 9 in kernel.cc.j2, first.cc
constexpr unsigned kDepth = 18;  // 36 / 2
@@ same: 8 in first.cc, kernel.cc.j2
      chess_prepare_for_pipelining chess_loop_range(4, 4) {
@@ same: 8 in kernel.cc.j2, last.cc, second.cc
    for (unsigned nb = 0; nb < kColTiles; nb += 2) {
@@ same: 15 in last.cc, second.cc, first.cc
      aie::store_v(c0 + 1 * Mmul::size_C, c01.to_vector<float>());
@@ same: 6 in kernel.cc.j2
SecondKernel::SecondKernel(float (&weights)[144], float (&bias)[16])
@@ same: 2
void SecondKernel::run(adf::input_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out) {
@@ same: 3 in first.cc
