@@ sha256: 2f4ef80f756df273165dfcc65b383bba1b23efa27346f69ff6eff38e32ea48ba
// second_kernel.h: second, 4x4x4 float32 to 4x4x4 float32 by im2col_gemm.
@@ same: 5
// M x K x N = 4 x 36 x 16: output channels x inputs of one output x output pixels
// cut into 1 x 1 x 1 tiles of 4 x 36 x 16; 1 x 1 = 1 cores
class SecondKernel {
 public:
  SecondKernel(float (&weights)[144], float (&bias)[16]);
@@ same: 11
  float (&weights_)[144];  // [pass][row tile][k tile] of 4 x 2: 1 x 4 x 36
  float (&bias_)[16];  // 4 rows, each 4 times: the columns of an mmul block
};
