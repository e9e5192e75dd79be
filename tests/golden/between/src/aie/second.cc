@@ sha256: 95c059accdc0d638cf07653f705dc45233cd798a6c7af54eef111e24d1bf0174
// second.cc: second, 4x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "second_kernel.h"
@@ same: 9 in kernel.cc.j2, first.cc
constexpr unsigned kDepth = 18;  // 36 / 2
@@ same: 2
void start_with_bias(const float* __restrict bias, float* out) {
@@ same: 9 in kernel.cc.j2
/// Adds the products of one pass; blocks of 1 x 2 mmuls share the tiles they load.
@@ same: 18 in second.cc, last.cc, first.cc
      aie::store_v(c0 + 1 * Mmul::size_C, c01.to_vector<float>());
@@ same: 6 in kernel.cc.j2
SecondKernel::SecondKernel(float (&weights)[144], float (&bias)[16])
@@ same: 2
void SecondKernel::run(adf::input_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out) {
@@ same: 3 in first.cc
