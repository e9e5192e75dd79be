@@ sha256: 788422497bcbb8a003399e107ea0dd70af3dab2d918343baab5e9947f7640475
// second_kernel.h: second, 8x6x6 float32 to 4x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 4 in kernel.h.j2
// M x K x N = 4 x 72 x 36: output channels x inputs of one output x output pixels
// cut into 1 x 2 x 2 tiles of 4 x 36 x 20; 1 x 2 = 2 cores
// K in 2 passes, summed in the output buffer
class SecondKernel {
 public:
  SecondKernel(float (&weights)[288], float (&bias)[16]);
@@ same: 2
  void run(adf::input_async_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out);
@@ same: 2
    REGISTER_FUNCTION(SecondKernel::run);
@@ same: 5 in kernel.h.j2
  float (&weights_)[288];  // [pass][row tile][k tile] of 4 x 2: 2 x 4 x 36
  float (&bias_)[16];  // 4 rows, each 4 times: the columns of an mmul block
};
