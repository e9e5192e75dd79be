@@ sha256: 8a27a123a25d28f22fd426edc889b44d6f226dfcfad63c0531cc7c2f453e1f19
// first.cc: first, 2x6x6 float32 to 8x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
#include "first_kernel.h"
@@ same: 5 in kernel.cc.j2
using Mmul = aie::mmul<4, 2, 4, float, float>;

constexpr unsigned kRowTiles = 2;  // 8 / 4
constexpr unsigned kColTiles = 3;  // 12 / 4
constexpr unsigned kDepth = 9;  // 18 / 2
constexpr unsigned kWeightStep = Mmul::size_A;  // from one step over K to the next
constexpr unsigned kInStep = Mmul::size_B;
@@ same: 2
void start_with_bias(const float* __restrict bias, float* out) {
  for (unsigned mt = 0; mt < kRowTiles; ++mt) {
@@ same: 2
      chess_prepare_for_pipelining chess_loop_range(3, 3) {
@@ same: 5 in kernel.cc.j2
/// Adds the products of one pass; blocks of 2 x 1 mmuls share the tiles they load.
void add_products(const float* __restrict weights, const float* __restrict in, float* out) {
  for (unsigned mb = 0; mb < kRowTiles; mb += 2) {
    for (unsigned nb = 0; nb < kColTiles; nb += 1) {
      const float* __restrict a0 = weights + (mb + 0) * kDepth * Mmul::size_A;
      const float* __restrict a1 = weights + (mb + 1) * kDepth * Mmul::size_A;
      const float* __restrict b0 = in + (nb + 0) * kDepth * Mmul::size_B;
      float* c0 = out + ((mb + 0) * kColTiles + nb) * Mmul::size_C;
      float* c1 = out + ((mb + 1) * kColTiles + nb) * Mmul::size_C;
      Mmul c00(aie::load_v<Mmul::size_C>(c0 + 0 * Mmul::size_C));
      Mmul c10(aie::load_v<Mmul::size_C>(c1 + 0 * Mmul::size_C));
      for (unsigned kt = 0; kt < kDepth; ++kt)
        chess_prepare_for_pipelining chess_loop_range(9, 9) {
          const auto va0 = aie::load_v<Mmul::size_A>(a0 + kt * kWeightStep);
          const auto va1 = aie::load_v<Mmul::size_A>(a1 + kt * kWeightStep);
          const auto vb0 = aie::load_v<Mmul::size_B>(b0 + kt * kInStep);
          c00.mac(va0, vb0);
          c10.mac(va1, vb0);
        }
      aie::store_v(c0 + 0 * Mmul::size_C, c00.to_vector<float>());
      aie::store_v(c1 + 0 * Mmul::size_C, c10.to_vector<float>());
@@ same: 6 in kernel.cc.j2
FirstKernel::FirstKernel(float (&weights)[144], float (&bias)[32])
@@ same: 2
void FirstKernel::run(adf::input_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out) {
  start_with_bias(bias_, out.data());
  add_products(weights_, in.data(), out.data());
}
