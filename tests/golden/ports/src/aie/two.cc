@@ sha256: 4e4ac9ae7164052fddb3b3bea2f2b43a6bbc080ae14a1b01434fd4fb934a25ca
// two.cc: two, 16x6x9 bfloat16 to 8x5x7 bfloat16 by chained.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#include "two_kernel.h"
@@ same: 10 in kernel.cc.j2, one.cc
constexpr unsigned kRowSteps = 2;  // 5 rows / 3
constexpr unsigned kColSteps = 2;  // 7 columns / 4
constexpr unsigned kStepRows = 3;  // rows of pixels in flight
@@ same: 2
constexpr unsigned kPitch = 80;  // 10 columns x 8: a row of a block
constexpr unsigned kWeightsOfTrip = 192;  // of one kernel row and block
constexpr unsigned kWeightsOfStep = 768;  // of all of them
constexpr unsigned kOutRows = 3;  // rows that a step stores
constexpr unsigned kOutBlocks = 1;  // blocks of 8 channels of the output
constexpr unsigned kOutPitch = 64;  // 8 columns x 8
@@ same: 2
constexpr unsigned kTrips0 = 2;  // 2 kernel rows x 1 blocks
constexpr unsigned kBlocks1 = 1;  // blocks of 8 channels of the input
constexpr unsigned kTrips1 = 2;  // 2 kernel rows x 1 blocks
@@ same: 4 in one.cc, float.j2
  return block.to_vector<bfloat16>();
@@ same: 2
/// Slides over the image; 3 rows x 4 pixels x 8 channels share what they load.
@@ same: 2
              const bfloat16* __restrict in1,
@@ same: 7 in one.cc
      for (unsigned x = 0; x < kColSteps; ++x) chess_prepare_for_pipelining chess_loop_range(2, 2) {
@@ same: 5 in one.cc
        Mmul c2_0_0(start0);
        Mmul c2_1_0(start1);
@@ same: 2
        const bfloat16* __restrict a0_2 = in0 + (y * kStepRows + 2) * kBlocks0 * kPitch + x * kStepPixels;
@@ same: 6 in one.cc
            const auto v2_0 = aie::load_v<32>(a0_2);
            const auto v2_1 = aie::load_v<16>(a0_2 + 32).grow<32>();
@@ same: 3 in one.cc
            c2_0_0.mac(v2_0, w0_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(v2_0, w0_1_0);
@@ same: 2
            const auto p2_1 = aie::shuffle_down_fill(v2_0, v2_1, 8);
@@ same: 3 in one.cc
            c2_0_0.mac(p2_1, w1_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(p2_1, w1_1_0);
@@ same: 2
            const auto p2_2 = aie::shuffle_down_fill(v2_0, v2_1, 16);
@@ same: 3 in one.cc
            c2_0_0.mac(p2_2, w2_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(p2_2, w2_1_0);
@@ same: 3 in one.cc
            a0_2 += kPitch;
          }
        const bfloat16* __restrict a1_0 = in1 + (y * kStepRows + 0) * kBlocks1 * kPitch + x * kStepPixels;
        const bfloat16* __restrict a1_1 = in1 + (y * kStepRows + 1) * kBlocks1 * kPitch + x * kStepPixels;
        const bfloat16* __restrict a1_2 = in1 + (y * kStepRows + 2) * kBlocks1 * kPitch + x * kStepPixels;
        for (unsigned k = 0; k < kTrips1; ++k)
          chess_flatten_loop {
            const auto v0_0 = aie::load_v<32>(a1_0);
            const auto v0_1 = aie::load_v<16>(a1_0 + 32).grow<32>();
            const auto v1_0 = aie::load_v<32>(a1_1);
            const auto v1_1 = aie::load_v<16>(a1_1 + 32).grow<32>();
            const auto v2_0 = aie::load_v<32>(a1_2);
            const auto v2_1 = aie::load_v<16>(a1_2 + 32).grow<32>();
@@ same: 3 in one.cc
            c2_0_0.mac(v2_0, w0_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(v2_0, w0_1_0);
@@ same: 2
            const auto p2_1 = aie::shuffle_down_fill(v2_0, v2_1, 8);
@@ same: 3 in one.cc
            c2_0_0.mac(p2_1, w1_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(p2_1, w1_1_0);
@@ same: 2
            const auto p2_2 = aie::shuffle_down_fill(v2_0, v2_1, 16);
@@ same: 3 in one.cc
            c2_0_0.mac(p2_2, w2_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(p2_2, w2_1_0);
            w += kWeightsOfTrip;
            a1_0 += kPitch;
            a1_1 += kPitch;
            a1_2 += kPitch;
@@ same: 13 in one.cc
        Elements e2_0 = scaled_back(c2_0_0, row0);
        Elements e2_1 = scaled_back(c2_1_0, row1);
        const auto z2_0 = aie::interleave_zip(e2_0, e2_1, 4);
        const aie::vector<bfloat16, 32> q2_0 = aie::concat(z2_0.first, z2_0.second);
        aie::vector<bfloat16, 32> y2_0 = q2_0;
        aie::store_v(out + ((y * kOutRows + 2) * kOutBlocks + step * kStepBlocks + 0) * kOutPitch + x * kOutPixels, y2_0);
@@ same: 7 in kernel.cc.j2
void TwoKernel::run(
    adf::input_buffer<bfloat16>& __restrict in0,
    adf::input_buffer<bfloat16>& __restrict in1,
@@ same: 6 in one.cc, kernel.cc.j2
  const auto* __restrict table = reinterpret_cast<const bfloat16*>(weights.data());
  const auto* __restrict rows = reinterpret_cast<const float*>(weights.data() + 384);
@@ same: 2
  convolve(table, rows, in0.data(), in1.data(), out.data());
}
