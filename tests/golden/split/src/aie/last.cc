@@ sha256: 6d11c65f4f9345c5fe310767857ab6b5fbb1bb774c065954fbad4bdefa32bfbd
// last.cc: last, 6x3x7 float32 to 3x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
#include "last_kernel.h"
@@ same: 5 in kernel.cc.j2
using Mmul = aie::mmul<2, 2, 2, float, float>;

constexpr unsigned kRowTiles = 2;  // 4 / 2
constexpr unsigned kColTiles = 2;  // 4 / 2
constexpr unsigned kDepth = 3;  // 6 / 2
@@ same: 4 in first.cc, kernel.cc.j2
void start_with_bias(const float* __restrict bias, float* out) {
  for (unsigned mt = 0; mt < kRowTiles; ++mt) chess_prepare_for_pipelining chess_loop_range(2, 2) {
@@ same: 2
      chess_flatten_loop {
@@ same: 5 in kernel.cc.j2
/// Adds the products of one pass; blocks of 1 x 2 mmuls share the tiles they load.
void add_products(const float* __restrict weights, const float* __restrict in, float* out) {
  for (unsigned mb = 0; mb < kRowTiles; mb += 1) chess_prepare_for_pipelining chess_loop_range(2, 2) {
    for (unsigned nb = 0; nb < kColTiles; nb += 2) chess_flatten_loop {
      const float* __restrict a0 = weights + (mb + 0) * kDepth * Mmul::size_A;
      const float* __restrict b0 = in + (nb + 0) * kDepth * Mmul::size_B;
      const float* __restrict b1 = in + (nb + 1) * kDepth * Mmul::size_B;
      float* c0 = out + ((mb + 0) * kColTiles + nb) * Mmul::size_C;
      Mmul c00(aie::load_v<Mmul::size_C>(c0 + 0 * Mmul::size_C));
      Mmul c01(aie::load_v<Mmul::size_C>(c0 + 1 * Mmul::size_C));
      for (unsigned kt = 0; kt < kDepth; ++kt)
        chess_flatten_loop {
          const auto va0 = aie::load_v<Mmul::size_A>(a0 + kt * kWeightStep);
          const auto vb0 = aie::load_v<Mmul::size_B>(b0 + kt * kInStep);
          const auto vb1 = aie::load_v<Mmul::size_B>(b1 + kt * kInStep);
          c00.mac(va0, vb0);
          c01.mac(va0, vb1);
@@ same: 2
      aie::store_v(c0 + 1 * Mmul::size_C, c01.to_vector<float>());
@@ same: 6 in kernel.cc.j2
LastKernel::LastKernel(float (&weights)[24], float (&bias)[8])
@@ same: 2
void LastKernel::run(adf::input_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out) {
@@ same: 3 in first.cc
