@@ sha256: 75e58b7ed3a97dc77e67df3350fb55c384e9132807c5bf044cb3f3d16bc6b361
// first_weights.h: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 2
// One row per part of M (cores of different groups share it). [pass][row tile][k tile] of 4 x 2: 1 x 4 x 2.
inline constexpr float first_weights[1][8] = {
    {  // part 0
        -0.78125F, -0.140625F, 0.5F, -0.4375F, 0.203125F, -0.734375F, -0.09375F, 0.546875F,
@@ same: 3
// 4 rows, each 4 times: the columns of an mmul block.
inline constexpr float first_bias[1][16] = {
@@ same: 5 in first_weights.h, the table
