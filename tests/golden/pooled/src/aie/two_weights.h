@@ sha256: d58031ed93f1a1142ffca2ebd39632fafcc5e7b67e0dff7eabbe850919ac565a
// two_weights.h: two, 8x4x4 bfloat16 to 8x4x3 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 4 in gemm.h.j2
// One row per part of M (cores of different groups share it). [step][kernel row, block][kernel column][block][half][position] of 8 x 4.
inline constexpr int16 two_weights[1][128] = {
    {  // part 0
        -16568, 0, 16200, -17280, 16128, -16744, 16120, -16736, 15952, -16616, 15936, -16612, -16960, 16176,
@@ same: 12 in the table
// for each 4 channels their bias and what scales sums back, each for 4 pixels.
inline constexpr float two_bias[1][32] = {
    {  // part 0
        -0.78125F, -0.140625F, 0.5F, -0.4375F, -0.78125F, -0.140625F, 0.5F, -0.4375F, -0.78125F, -0.140625F,
@@ same: 5 in the table
