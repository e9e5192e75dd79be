@@ sha256: 5130938efdcc07302e426b59ea68a78477fabbe26198c7d37d844a30dc8d82a3
// pool_kernel.h: pool, 8x8x9 bfloat16 to 8x4x4 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 4 in gemm.h.j2
// 1 parts of the channels x 1 bands of the rows = 1 core of its own, each 8 channels x 4 output rows
// a core reads 8 rows x 1 blocks x 8 columns x 8 by a stream of 256 words of 4 B
// and writes 4 rows x 1 blocks x 4 columns x 8
// the largest of windows of 2 x 2 by 2 x 2, 4 pixels x 8 channels at a step: 4 x 2 steps; 111 cycles modelled
// the kernel does low as well
class PoolKernel {
 public:
  /// The largest of each window of a band of rows; images lie in blocks of 8 channels, [row][block][column][8].
@@ same: 2
      adf::output_buffer<bfloat16>& __restrict out);
@@ same: 2
    REGISTER_FUNCTION(PoolKernel::run);
@@ same: 2
