@@ sha256: 8f7a3b248d47e2b7fa826824c9bcc584085f68445a5e0245eaf56531dddc1347
// first.cc: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 8
constexpr unsigned kRowTiles = 1;  // 4 / 4
constexpr unsigned kColTiles = 4;  // 16 / 4
constexpr unsigned kDepth = 1;  // 2 / 2
@@ same: 23
        chess_prepare_for_pipelining chess_loop_range(1, 1) {
@@ same: 14
FirstKernel::FirstKernel(float (&weights)[8], float (&bias)[16])
@@ same: 6
