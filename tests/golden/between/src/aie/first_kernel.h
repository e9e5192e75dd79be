@@ sha256: 22f1cebd26d217b7c643002b494190ffa886de1f1c73fa4261ffa71f5c2f6885
// first_kernel.h: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 4 in kernel.h.j2
// M x K x N = 4 x 2 x 16: output channels x inputs of one output x output pixels
// cut into 1 x 1 x 1 tiles of 4 x 2 x 16; 1 x 1 = 1 cores
// a call of 123 cycles is largely entry, locks and exit: published are longer ones
@@ same: 2
  FirstKernel(float (&weights)[8], float (&bias)[16]);
@@ same: 5 in first_kernel.h, kernel.h.j2
    REGISTER_FUNCTION(FirstKernel::run);
@@ same: 5 in kernel.h.j2
  float (&weights_)[8];  // [pass][row tile][k tile] of 4 x 2: 1 x 4 x 2
@@ same: 2
