@@ sha256: 926564cc8515fcc990273eed9837015d791238f2041624b10fabe774aa54c125
// pool.cc: pool, 8x8x9 bfloat16 to 8x4x4 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
#include "pool_kernel.h"
@@ same: 5 in pool.cc.j2
constexpr unsigned kRows = 4;  // rows of the output
constexpr unsigned kColSteps = 1;  // steps along a row around the inner loop
constexpr unsigned kTrips = 2;  // 1 block x 2 steps of a row
constexpr unsigned kDown = 2;  // rows from one window to the next
constexpr unsigned kInRow = 64;  // 1 block x 8 columns x 8
constexpr unsigned kOutRow = 32;  // 1 block x 4 columns x 8
constexpr unsigned kInStep = 32;  // from one trip to the next
constexpr unsigned kOutStep = 16;  // the same of the output
constexpr unsigned kStepPixels = 32;  // 4 pixels x 8
constexpr unsigned kOutPixels = 16;  // 2 pixels x 8
@@ same: 2
void pool(const bfloat16* __restrict in, bfloat16* __restrict out) {
  for (unsigned y = 0; y < kRows; ++y) chess_prepare_for_pipelining chess_loop_range(4, 4) {
    for (unsigned x = 0; x < kColSteps; ++x) chess_flatten_loop {
      const bfloat16* __restrict a0 = in + (y * kDown + 0) * kInRow + x * kStepPixels;
      const bfloat16* __restrict a1 = in + (y * kDown + 1) * kInRow + x * kStepPixels;
      bfloat16* o = out + y * kOutRow + x * kOutPixels;
      for (unsigned k = 0; k < kTrips; ++k)
        chess_flatten_loop {
          auto v0 = aie::load_v<32>(a0);
          v0 = aie::max(v0, aie::load_v<32>(a1));
          aie::vector<bfloat16, 16> y = aie::max(aie::filter_even(v0, 8), aie::filter_odd(v0, 8));
          y = aie::max(y, aie::broadcast<bfloat16, 16>(bfloat16(0.0F)));
          aie::store_v(o, y);
          a0 += kInStep;
          a1 += kInStep;
@@ same: 8 in pool.cc.j2
void PoolKernel::run(
    adf::input_buffer<bfloat16>& __restrict in0,
    adf::output_buffer<bfloat16>& __restrict out) {
@@ same: 2
