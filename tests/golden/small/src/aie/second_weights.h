@@ sha256: dfeb4cadee528fc5dbfc119f045b65563656eedbdecaf049df8c652524232ce0
// second_weights.h: second, 8x6x6 float32 to 4x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 2
// One row per part of M (cores of different groups share it). [pass][row tile][k tile] of 4 x 2: 2 x 4 x 36.
inline constexpr float second_weights[1][288] = {
    {  // part 0
        -0.78125F, -0.140625F, -0.421875F, 0.21875F, -0.0625F, 0.578125F, 0.296875F, -0.640625F, 0.5F, -0.4375F,
@@ same: 32 in the table
// 4 rows, each 4 times: the columns of an mmul block.
inline constexpr float second_bias[1][16] = {
@@ same: 5 in first_weights.h, the table
