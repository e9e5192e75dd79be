// first_kernel.h: first, 2x4x4 float32 to 4x4x4 float32 by im2col_gemm.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#pragma once

#include <adf.h>

// M x K x N = 4 x 2 x 16: output channels x inputs of one output x output pixels
// cut into 1 x 1 x 1 tiles of 4 x 2 x 16; 1 x 1 = 1 cores
// a call of 105 cycles is largely entry, locks and exit: the model's error is that of longer ones
class FirstKernel {
 public:
  FirstKernel(float (&weights)[8], float (&bias)[16]);

  /// Adds weights * in to the bias, for one tile of output pixels.
  void run(adf::input_buffer<float>& __restrict in, adf::output_buffer<float>& __restrict out);

  static void registerKernelClass() {
    REGISTER_FUNCTION(FirstKernel::run);
    REGISTER_PARAMETER(weights_);
    REGISTER_PARAMETER(bias_);
  }

 private:
  float (&weights_)[8];  // [pass][row tile][k tile] of 4 x 2: 1 x 4 x 2
  float (&bias_)[16];  // 4 rows, each 4 times: the columns of an mmul block
};
