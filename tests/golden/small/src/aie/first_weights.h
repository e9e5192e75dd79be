@@ sha256: 00be479db5c00f5b236eac9566873a6a646c815efc4b24d0e02a528470241260
// first_weights.h: first, 2x6x6 float32 to 8x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 2
// One row per part of M (cores of different groups share it). [pass][row tile][k tile] of 4 x 2: 1 x 8 x 18.
inline constexpr float first_weights[1][144] = {
    {  // part 0
        -0.78125F, -0.140625F, -0.296875F, 0.34375F, 0.1875F, -0.75F, 0.671875F, -0.265625F, 0.5F, -0.4375F,
@@ same: 17 in the table
// 8 rows, each 4 times: the columns of an mmul block.
inline constexpr float first_bias[1][32] = {
    {  // part 0
        -0.78125F, -0.78125F, -0.78125F, -0.78125F, -0.140625F, -0.140625F, -0.140625F, -0.140625F, 0.5F, 0.5F,
@@ same: 3 in the table
    },
};
