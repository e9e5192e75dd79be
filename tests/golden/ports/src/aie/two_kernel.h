@@ sha256: 5e0766853b9042a038aa3139bfb5790ee95a8be865c43e289e6c199a5c23b42b
// two_kernel.h: two, 16x6x9 bfloat16 to 8x5x7 bfloat16 by chained.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
@@ same: 4 in kernel.h.j2
// 1 parts of the channels x 1 bands of the rows = 1 cores, each 8 channels x 5 output rows
// a core reads 7 rows x 2 blocks x 10 columns x 8 by 2 streams of 280 and 280 words of 4 B
// and writes 6 rows x 1 blocks x 8 columns x 8
// sums in flight: 3 rows x 4 pixels x 8 channels
// 288 mmuls of 4 x 8 x 4 a core, 73% of whose products count; 433 cycles modelled
// weights with bias come once, before the first image: 1 stream of 208 words of 64 bits
// their 1664 B lie in the memory beside the core's: 2 streams of images take the 2 S2MM channels of its own tile's DMA
// no published figure judges this one: bfloat16 on AIE-ML has the loops of int8 code; published is one convolution's inner loop
class TwoKernel {
@@ same: 4 in one_kernel.h
      adf::input_buffer<bfloat16>& __restrict in1,
@@ same: 4 in one_kernel.h, kernel.h.j2
    REGISTER_FUNCTION(TwoKernel::run);
@@ same: 6 in kernel.h.j2, one_kernel.h
