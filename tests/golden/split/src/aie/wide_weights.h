@@ sha256: f3a3788959ce480049d4b2a71d5110d524656cb6088be7a99a2e74a21b032d7d
// wide_weights.h: wide, 1x5x7 float32 to 6x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 2
// One row per part of M (cores of different groups share it). [pass][row tile][k tile] of 4 x 2: 2 x 4 x 8.
inline constexpr float wide_weights[2][64] = {
    {  // part 0
        -0.78125F, -0.140625F, -0.640625F, 0.0F, -0.5F, 0.140625F, -0.359375F, 0.28125F, 0.5F, -0.4375F,
        0.640625F, -0.296875F, 0.78125F, -0.15625F, -0.65625F, -0.015625F, 0.203125F, -0.734375F, 0.34375F,
        -0.59375F, 0.484375F, -0.453125F, 0.625F, -0.3125F, -0.09375F, 0.546875F, 0.046875F, 0.6875F, 0.1875F,
@@ same: 4 in the table
    },
    {  // part 1
        -0.21875F, 0.421875F, -0.078125F, 0.5625F, 0.0F, 0.0F, 0.0F, 0.0F, -0.515625F, 0.125F, -0.375F,
        0.265625F, 0.0F, 0.0F, 0.0F, 0.0F, 0.765625F, -0.171875F, -0.671875F, -0.03125F, 0.0F, 0.0F, 0.0F, 0.0F,
        0.46875F, -0.46875F, 0.609375F, -0.328125F, 0.0F, 0.0F, 0.0F, 0.0F, 0.171875F, -0.765625F, 0.3125F,
@@ same: 6 in the table
// 4 rows, each 4 times: the columns of an mmul block.
inline constexpr float wide_bias[2][16] = {
@@ same: 2
        0.5F, 0.5F, -0.4375F, -0.4375F, -0.4375F, -0.4375F,
@@ same: 2
        0.203125F, 0.203125F, 0.203125F, 0.203125F, -0.734375F, -0.734375F, -0.734375F, -0.734375F, 0.0F, 0.0F,
        0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F,
@@ same: 2
