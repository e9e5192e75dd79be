@@ sha256: f81f1aba38feda4cfd9dca345f1f93a4a2c1b53ae2ac567e43098ec78a303269
// two.cc: two, 8x4x4 bfloat16 to 8x4x3 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 11 in two_graph.h, kernel.cc.j2, one.cc
constexpr unsigned kRowSteps = 1;  // 4 rows / 4
constexpr unsigned kColSteps = 1;  // 3 columns / 4
constexpr unsigned kStepRows = 4;  // rows of pixels in flight
@@ same: 2
constexpr unsigned kPitch = 48;  // 6 columns x 8: a row of a block
constexpr unsigned kWeightsOfTrip = 128;  // of one kernel row and block
constexpr unsigned kWeightsOfStep = 128;  // of all of them
constexpr unsigned kOutRows = 4;  // rows that a step stores
constexpr unsigned kOutBlocks = 1;  // blocks of 8 channels of the output
constexpr unsigned kOutPitch = 32;  // 4 columns x 8
@@ same: 2
constexpr unsigned kTrips0 = 1;  // 1 kernel rows x 1 blocks
@@ same: 4 in one.cc, float.j2
  return block.to_vector<bfloat16>();
@@ same: 2
/// Slides over the image; 4 rows x 4 pixels x 8 channels share what they load.
void convolve(const int16* __restrict weights, const float* __restrict rows,
@@ same: 2
  for (unsigned step = 0; step < kBlockSteps; ++step) chess_flatten_loop {
@@ same: 4 in one.cc
    for (unsigned y = 0; y < kRowSteps; ++y) chess_flatten_loop {
      for (unsigned x = 0; x < kColSteps; ++x) chess_flatten_loop {
        const int16* __restrict w = weights + step * kWeightsOfStep;
@@ same: 20 in one.cc, two.cc
            const auto v3_0 = aie::load_v<32>(a0_3);
            const auto v3_1 = aie::load_v<16>(a0_3 + 32).grow<32>();
@@ same: 12 in one.cc
            const auto p2_1 = aie::shuffle_down_fill(v2_0, v2_1, 8);
            const auto p3_1 = aie::shuffle_down_fill(v3_0, v3_1, 8);
@@ same: 3 in one.cc
            c2_0_0.mac(p2_1, w1_0_0);
            c3_0_0.mac(p3_1, w1_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(p2_1, w1_1_0);
            c3_1_0.mac(p3_1, w1_1_0);
@@ same: 37 in one.cc, two.cc, kernel.cc.j2
TwoKernel::TwoKernel(int16 (&weights)[128], float (&rows)[32])
@@ same: 7 in kernel.cc.j2, two.cc, pool.cc, one.cc
  convolve(weights_, rows_, in0.data(), out.data());
}
