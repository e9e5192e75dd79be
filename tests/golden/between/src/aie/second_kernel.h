@@ sha256: 2f4ef80f756df273165dfcc65b383bba1b23efa27346f69ff6eff38e32ea48ba
// second_kernel.h: second, 4x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 4 in kernel.h.j2
// M x K x N = 4 x 36 x 16: output channels x inputs of one output x output pixels
// cut into 1 x 1 x 1 tiles of 4 x 36 x 16; 1 x 1 = 1 cores
@@ same: 2
  SecondKernel(float (&weights)[144], float (&bias)[16]);
@@ same: 5 in first_kernel.h, kernel.h.j2
    REGISTER_FUNCTION(SecondKernel::run);
@@ same: 5 in kernel.h.j2
  float (&weights_)[144];  // [pass][row tile][k tile] of 4 x 2: 1 x 4 x 36
@@ same: 2
