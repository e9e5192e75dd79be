@@ sha256: 9254f22bc6cc02150235a2119ad3be880f87e1e31d2000c6b60dc4a931685573
// second_weights.h: second, 4x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 2
// One row per part of M (cores of different groups share it). [pass][row tile][k tile] of 4 x 2: 1 x 4 x 36.
inline constexpr float second_weights[1][144] = {
    {  // part 0
        -0.78125F, -0.140625F, 0.1875F, -0.75F, -0.421875F, 0.21875F, 0.546875F, -0.390625F, 0.5F, -0.4375F,
@@ same: 24 in the table, second_weights.h, first_weights.h
