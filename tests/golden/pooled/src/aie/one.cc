@@ sha256: 3bde44c2a23cc56009bb1d61fea0bbfa20098d09a2266e1ccb9bf0a0bac2fb93
// one.cc: one, 2x8x9 bfloat16 to 8x8x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 11 in one_graph.h, kernel.cc.j2, one.cc
constexpr unsigned kRowSteps = 2;  // 8 rows / 4
constexpr unsigned kColSteps = 3;  // 9 columns / 4
constexpr unsigned kStepRows = 4;  // rows of pixels in flight
@@ same: 2
constexpr unsigned kPitch = 96;  // 12 columns x 8: a row of a block
constexpr unsigned kWeightsOfTrip = 64;  // of one kernel row and block
constexpr unsigned kWeightsOfStep = 64;  // of all of them
constexpr unsigned kOutRows = 4;  // rows that a step stores
@@ same: 4 in one.cc
constexpr unsigned kTrips0 = 1;  // 1 kernel rows x 1 blocks
@@ same: 4 in one.cc, float.j2
  return block.to_vector<bfloat16>();
@@ same: 2
/// Slides over the image; 4 rows x 4 pixels x 8 channels share what they load.
@@ same: 17 in one.cc, two.cc
        Mmul c3_0_0(start0);
        Mmul c3_1_0(start1);
@@ same: 2
        const bfloat16* __restrict a0_2 = in0 + (y * kStepRows + 2) * kBlocks0 * kPitch + x * kStepPixels;
        const bfloat16* __restrict a0_3 = in0 + (y * kStepRows + 3) * kBlocks0 * kPitch + x * kStepPixels;
@@ same: 3 in one.cc
            const auto v1_0 = aie::load_v<32>(a0_1);
            const auto v2_0 = aie::load_v<32>(a0_2);
            const auto v3_0 = aie::load_v<32>(a0_3);
@@ same: 3 in one.cc
            c2_0_0.mac(v2_0, w0_0_0);
            c3_0_0.mac(v3_0, w0_0_0);
@@ same: 3 in one.cc
            c2_1_0.mac(v2_0, w0_1_0);
            c3_1_0.mac(v3_0, w0_1_0);
@@ same: 3 in one.cc
            a0_2 += kPitch;
            a0_3 += kPitch;
@@ same: 19 in one.cc, two.cc
        Elements e3_0 = scaled_back(c3_0_0, row0);
        Elements e3_1 = scaled_back(c3_1_0, row1);
        const auto z3_0 = aie::interleave_zip(e3_0, e3_1, 4);
        const aie::vector<bfloat16, 32> q3_0 = aie::concat(z3_0.first, z3_0.second);
        aie::vector<bfloat16, 32> y3_0 = q3_0;
        aie::store_v(out + ((y * kOutRows + 3) * kOutBlocks + step * kStepBlocks + 0) * kOutPitch + x * kOutPixels, y3_0);
@@ same: 15 in kernel.cc.j2, one.cc
  const auto* __restrict table = reinterpret_cast<const bfloat16*>(weights.data());
  const auto* __restrict rows = reinterpret_cast<const float*>(weights.data() + 32);
@@ same: 4 in one.cc
