@@ sha256: bc20f8f21a192f7d6609321f97c999dd1a20ea86401a3993852de553fdb9605d
// wide_kernel.h: wide, 1x5x7 float32 to 6x3x7 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 4 in kernel.h.j2
// M x K x N = 6 x 15 x 21: output channels x inputs of one output x output pixels
// cut into 2 x 2 x 4 tiles of 4 x 8 x 8; 2 x 2 = 4 cores
// K in 2 passes, summed in the output buffer
// each core works on 2 tiles of an image, one after another
class WideKernel {
 public:
  WideKernel(float (&weights)[64], float (&bias)[16]);
@@ same: 2
  void run(adf::input_async_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out);
@@ same: 2
    REGISTER_FUNCTION(WideKernel::run);
@@ same: 5 in kernel.h.j2
  float (&weights_)[64];  // [pass][row tile][k tile] of 4 x 2: 2 x 4 x 8
@@ same: 2
