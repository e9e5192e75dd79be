@@ sha256: f3a3788959ce480049d4b2a71d5110d524656cb6088be7a99a2e74a21b032d7d
// wide_weights.h: wide, 1x5x7 float32 to 6x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 2
// One row per part of M (cores of different groups share it). [pass][row tile][k tile] of 4 x 2: 2 x 4 x 8.
inline constexpr float wide_weights[2][64] = {
    {  // part 0
        -0.78125F, -0.140625F, -0.640625F, 0.0F, -0.5F, 0.140625F, -0.359375F, 0.28125F, 0.5F, -0.4375F,
@@ same: 6 in the table
    },
    {  // part 1
        -0.21875F, 0.421875F, -0.078125F, 0.5625F, 0.0F, 0.0F, 0.0F, 0.0F, -0.515625F, 0.125F, -0.375F,
@@ same: 8 in the table
// 4 rows, each 4 times: the columns of an mmul block.
inline constexpr float wide_bias[2][16] = {
@@ same: 5 in first_weights.h, the table, wide_weights.h
        0.203125F, 0.203125F, 0.203125F, 0.203125F, -0.734375F, -0.734375F, -0.734375F, -0.734375F, 0.0F, 0.0F,
@@ same: 3 in the table
