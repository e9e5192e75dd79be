@@ sha256: 3dc9e12e257cda7de5d938121bbc5328d1b254a56729c844b5803c8c5954c46b
// one_kernel.h: one, 2x6x9 bfloat16 to 16x6x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 4 in kernel.h.j2
// 2 parts of the channels x 4 bands of the rows = 8 cores, each 8 channels x 2 output rows
// a core reads 4 rows x 1 blocks x 14 columns x 8 by 1 stream of 224 words of 4 B
// and writes 2 rows x 1 blocks x 12 columns x 8
// sums in flight: 2 rows x 4 pixels x 8 channels
// 108 mmuls of 4 x 8 x 4 a core, 14% of whose products count; 196 cycles modelled
// weights with bias come once, before the first image: 2 streams of 160 words of 64 bits
// each stream is for the cores of its part in all 4 bands
// no published figure judges this one: bfloat16 on AIE-ML has the loops of int8 code; published is one convolution's inner loop
class OneKernel {
 public:
  /// Makes its output channels of a band of rows; images lie in blocks of 8 channels, [row][block][column][8].
  void run(
      adf::input_buffer<bfloat16>& __restrict in0,
      adf::input_async_buffer<int32>& __restrict weights,
      adf::output_buffer<bfloat16>& __restrict out);
@@ same: 2
    REGISTER_FUNCTION(OneKernel::run);
@@ same: 3 in kernel.h.j2
  // The weights lie as [step][kernel row, block][kernel column][block][half][position] of 8 x 4.
  bool loaded_ = false;  // they have come
};
