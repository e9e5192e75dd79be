@@ sha256: 4371b358a8634c40e6f12dcb0934ca191ec4f48e5d319fe3dc92647d7d03b51a
// first_kernel.h: first, 2x6x6 float32 to 8x6x6 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 4 in kernel.h.j2
// M x K x N = 8 x 18 x 36: output channels x inputs of one output x output pixels
// cut into 1 x 1 x 3 tiles of 8 x 18 x 12; 1 x 3 = 3 cores
class FirstKernel {
 public:
  FirstKernel(float (&weights)[144], float (&bias)[32]);

  /// Adds weights * in to the bias, for one tile of output pixels.
  void run(adf::input_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out);
@@ same: 2
    REGISTER_FUNCTION(FirstKernel::run);
@@ same: 5 in kernel.h.j2
  float (&weights_)[144];  // [pass][row tile][k tile] of 4 x 2: 1 x 8 x 18
  float (&bias_)[32];  // 8 rows, each 4 times: the columns of an mmul block
};
