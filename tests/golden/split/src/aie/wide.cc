@@ sha256: 165293d88ae49cdb42dde954c9a7a74bfa1a29710ee325fe00d6d28d24ce07be
// wide.cc: wide, 1x5x7 float32 to 6x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
#include "wide_kernel.h"
@@ same: 7 in kernel.cc.j2, first.cc
constexpr unsigned kRowTiles = 1;  // 4 / 4
constexpr unsigned kColTiles = 2;  // 8 / 4
constexpr unsigned kDepth = 4;  // 8 / 2
constexpr unsigned kPasses = 2;  // K = 15 in tiles of 8
constexpr unsigned kWeightsPerPass = 32;  // 4 x 8
@@ same: 4 in first.cc, kernel.cc.j2
void start_with_bias(const float* __restrict bias, float* out) {
  for (unsigned mt = 0; mt < kRowTiles; ++mt) chess_flatten_loop {
@@ same: 2
      chess_flatten_loop {
@@ same: 8 in kernel.cc.j2, last.cc, second.cc
    for (unsigned nb = 0; nb < kColTiles; nb += 2) {
@@ same: 7 in last.cc
        chess_prepare_for_pipelining chess_loop_range(4, 4) {
@@ same: 7 in last.cc, first.cc
      aie::store_v(c0 + 1 * Mmul::size_C, c01.to_vector<float>());
@@ same: 6 in kernel.cc.j2
WideKernel::WideKernel(float (&weights)[64], float (&bias)[16])
@@ same: 2
void WideKernel::run(adf::input_async_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out) {
  start_with_bias(bias_, out.data());
@@ same: 2
    add_products(weights_ + pass * kWeightsPerPass, in.data(), out.data());
@@ same: 3 in kernel.cc.j2
