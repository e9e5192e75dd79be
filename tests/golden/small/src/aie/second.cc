@@ sha256: e1f97508640feb6d9f83b13d5ad8fedb19ec8d87a98bfa7bdae08d9d2fd39504
// second.cc: second, 8x6x6 float32 to 4x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
#include "second_kernel.h"
@@ same: 7 in kernel.cc.j2, first.cc
constexpr unsigned kRowTiles = 1;  // 4 / 4
constexpr unsigned kColTiles = 5;  // 20 / 4
constexpr unsigned kDepth = 18;  // 36 / 2
constexpr unsigned kPasses = 2;  // K = 72 in tiles of 36
constexpr unsigned kWeightsPerPass = 144;  // 4 x 36
@@ same: 8 in first.cc, kernel.cc.j2
      chess_prepare_for_pipelining chess_loop_range(5, 5) {
@@ same: 5 in kernel.cc.j2
/// Adds the products of one pass; blocks of 1 x 1 mmuls share the tiles they load.
void add_products(const float* __restrict weights, const float* __restrict in, float* out) {
  for (unsigned mb = 0; mb < kRowTiles; mb += 1) {
@@ same: 4 in first.cc
      Mmul c00(aie::load_v<Mmul::size_C>(c0 + 0 * Mmul::size_C));
      for (unsigned kt = 0; kt < kDepth; ++kt)
        chess_prepare_for_pipelining chess_loop_range(18, 18) {
          const auto va0 = aie::load_v<Mmul::size_A>(a0 + kt * kWeightStep);
@@ same: 10 in first.cc, kernel.cc.j2
SecondKernel::SecondKernel(float (&weights)[288], float (&bias)[16])
@@ same: 2
void SecondKernel::run(adf::input_async_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out) {
  start_with_bias(bias_, out.data());
@@ same: 2
    add_products(weights_ + pass * kWeightsPerPass, in.data(), out.data());
@@ same: 3 in kernel.cc.j2
