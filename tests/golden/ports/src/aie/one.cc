@@ sha256: 4e26a76124ea2b370c229a80d329aa7417f350e58cab104e266b0652f876ba1e
// one.cc: one, 2x6x9 bfloat16 to 16x6x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#include "one_kernel.h"
@@ same: 5 in kernel.cc.j2
using Mmul = aie::mmul<4, 8, 4, bfloat16, bfloat16>;
using Sums = aie::vector<float, Mmul::size_C>;
using Elements = aie::vector<bfloat16, Mmul::size_C>;

constexpr unsigned kBlockSteps = 1;  // 8 channels / 8
constexpr unsigned kRowSteps = 1;  // 2 rows / 2
constexpr unsigned kColSteps = 3;  // 9 columns / 4
constexpr unsigned kStepRows = 2;  // rows of pixels in flight
constexpr unsigned kStepBlocks = 1;  // blocks of 8 output channels in flight
constexpr unsigned kStepPixels = 32;  // 4 pixels x 8
constexpr unsigned kPitch = 112;  // 14 columns x 8: a row of a block
constexpr unsigned kWeightsOfTrip = 192;  // of one kernel row and block
constexpr unsigned kWeightsOfStep = 576;  // of all of them
constexpr unsigned kOutRows = 2;  // rows that a step stores
constexpr unsigned kOutBlocks = 1;  // blocks of 8 channels of the output
constexpr unsigned kOutPitch = 96;  // 12 columns x 8
constexpr unsigned kOutPixels = 32;  // 4 pixels x 8
constexpr unsigned kBlocks0 = 1;  // blocks of 8 channels of the input
constexpr unsigned kTrips0 = 3;  // 3 kernel rows x 1 blocks
constexpr unsigned kRowVectors = 1;  // vectors for each row of mmul blocks: the bias

@@ same: 2
  return block.to_vector<bfloat16>();
@@ same: 2
/// Slides over the image; 2 rows x 4 pixels x 8 channels share what they load.
void convolve(const bfloat16* __restrict weights, const float* __restrict rows,
              const bfloat16* __restrict in0,
              bfloat16* __restrict out) {
  for (unsigned step = 0; step < kBlockSteps; ++step) {
    const float* __restrict row0 = rows + (step * 2 + 0) * kRowVectors * Mmul::size_C;
    const Sums start0 = aie::load_v<Mmul::size_C>(row0);
    const float* __restrict row1 = rows + (step * 2 + 1) * kRowVectors * Mmul::size_C;
    const Sums start1 = aie::load_v<Mmul::size_C>(row1);
    for (unsigned y = 0; y < kRowSteps; ++y) {
      for (unsigned x = 0; x < kColSteps; ++x) chess_prepare_for_pipelining chess_loop_range(3, 3) {
        const bfloat16* __restrict w = weights + step * kWeightsOfStep;
        Mmul c0_0_0(start0);
        Mmul c0_1_0(start1);
        Mmul c1_0_0(start0);
        Mmul c1_1_0(start1);
        const bfloat16* __restrict a0_0 = in0 + (y * kStepRows + 0) * kBlocks0 * kPitch + x * kStepPixels;
        const bfloat16* __restrict a0_1 = in0 + (y * kStepRows + 1) * kBlocks0 * kPitch + x * kStepPixels;
        for (unsigned k = 0; k < kTrips0; ++k)
          chess_flatten_loop {
            const auto v0_0 = aie::load_v<32>(a0_0);
            const auto v0_1 = aie::load_v<16>(a0_0 + 32).grow<32>();
            const auto v1_0 = aie::load_v<32>(a0_1);
            const auto v1_1 = aie::load_v<16>(a0_1 + 32).grow<32>();
            const auto w0_0_0 = aie::load_v<Mmul::size_B>(w + 0).cast_to<bfloat16>();
            c0_0_0.mac(v0_0, w0_0_0);
            c1_0_0.mac(v1_0, w0_0_0);
            const auto w0_1_0 = aie::load_v<Mmul::size_B>(w + 32).cast_to<bfloat16>();
            c0_1_0.mac(v0_0, w0_1_0);
            c1_1_0.mac(v1_0, w0_1_0);
            const auto p0_1 = aie::shuffle_down_fill(v0_0, v0_1, 8);
            const auto p1_1 = aie::shuffle_down_fill(v1_0, v1_1, 8);
            const auto w1_0_0 = aie::load_v<Mmul::size_B>(w + 64).cast_to<bfloat16>();
            c0_0_0.mac(p0_1, w1_0_0);
            c1_0_0.mac(p1_1, w1_0_0);
            const auto w1_1_0 = aie::load_v<Mmul::size_B>(w + 96).cast_to<bfloat16>();
            c0_1_0.mac(p0_1, w1_1_0);
            c1_1_0.mac(p1_1, w1_1_0);
            const auto p0_2 = aie::shuffle_down_fill(v0_0, v0_1, 16);
            const auto p1_2 = aie::shuffle_down_fill(v1_0, v1_1, 16);
            const auto w2_0_0 = aie::load_v<Mmul::size_B>(w + 128).cast_to<bfloat16>();
            c0_0_0.mac(p0_2, w2_0_0);
            c1_0_0.mac(p1_2, w2_0_0);
            const auto w2_1_0 = aie::load_v<Mmul::size_B>(w + 160).cast_to<bfloat16>();
            c0_1_0.mac(p0_2, w2_1_0);
            c1_1_0.mac(p1_2, w2_1_0);
            w += kWeightsOfTrip;
            a0_0 += kPitch;
            a0_1 += kPitch;
          }
        Elements e0_0 = scaled_back(c0_0_0, row0);
        Elements e0_1 = scaled_back(c0_1_0, row1);
        const auto z0_0 = aie::interleave_zip(e0_0, e0_1, 4);
        const aie::vector<bfloat16, 32> q0_0 = aie::concat(z0_0.first, z0_0.second);
        aie::vector<bfloat16, 32> y0_0 = q0_0;
        aie::store_v(out + ((y * kOutRows + 0) * kOutBlocks + step * kStepBlocks + 0) * kOutPitch + x * kOutPixels, y0_0);
        Elements e1_0 = scaled_back(c1_0_0, row0);
        Elements e1_1 = scaled_back(c1_1_0, row1);
        const auto z1_0 = aie::interleave_zip(e1_0, e1_1, 4);
        const aie::vector<bfloat16, 32> q1_0 = aie::concat(z1_0.first, z1_0.second);
        aie::vector<bfloat16, 32> y1_0 = q1_0;
        aie::store_v(out + ((y * kOutRows + 1) * kOutBlocks + step * kStepBlocks + 0) * kOutPitch + x * kOutPixels, y1_0);
@@ same: 7 in kernel.cc.j2
void OneKernel::run(
    adf::input_buffer<bfloat16>& __restrict in0,
    adf::input_async_buffer<int32>& __restrict weights,
    adf::output_buffer<bfloat16>& __restrict out) {
@@ same: 4 in kernel.cc.j2
  const auto* __restrict table = reinterpret_cast<const bfloat16*>(weights.data());
  const auto* __restrict rows = reinterpret_cast<const float*>(weights.data() + 288);
  aie::set_saturation(aie::saturation_mode::saturate);
  aie::set_rounding(aie::rounding_mode::conv_even);
  convolve(table, rows, in0.data(), out.data());
}
