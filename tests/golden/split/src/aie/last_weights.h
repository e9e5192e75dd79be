@@ sha256: a3ec694d90b3c9106f4651954a86a82cc55c58fc974ac1ee9bb26f764e1561f9
// last_weights.h: last, 6x3x7 float32 to 3x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 2
// One row per part of M (cores of different groups share it). [pass][row tile][k tile] of 2 x 2: 1 x 4 x 6.
inline constexpr float last_weights[1][24] = {
    {  // part 0
        -0.78125F, -0.140625F, -0.09375F, 0.546875F, 0.5F, -0.4375F, -0.390625F, 0.25F, 0.203125F, -0.734375F,
@@ same: 5 in the table
// 4 rows, each 2 times: the columns of an mmul block.
inline constexpr float last_bias[1][8] = {
    {  // part 0
        0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F,
@@ same: 2
