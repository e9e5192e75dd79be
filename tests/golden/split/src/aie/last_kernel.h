@@ sha256: 710749ee98433abbd051b2a0fd2368d1e0afad20429b7454ecc2fb1381570753
// last_kernel.h: last, 6x3x7 float32 to 3x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 4 in kernel.h.j2
// M x K x N = 3 x 6 x 21: output channels x inputs of one output x output pixels
// cut into 1 x 1 x 6 tiles of 4 x 6 x 4; 1 x 1 = 1 cores
// each core works on 6 tiles of an image, one after another
// a call of 124 cycles is largely entry, locks and exit: published are longer ones
class LastKernel {
 public:
  LastKernel(float (&weights)[24], float (&bias)[8]);
@@ same: 5 in first_kernel.h, kernel.h.j2
    REGISTER_FUNCTION(LastKernel::run);
@@ same: 5 in kernel.h.j2
  float (&weights_)[24];  // [pass][row tile][k tile] of 2 x 2: 1 x 4 x 6
  float (&bias_)[8];  // 4 rows, each 2 times: the columns of an mmul block
};
