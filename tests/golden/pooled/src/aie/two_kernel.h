@@ sha256: 04b3582ed25a57b7340ba20d82dcbe05d1f66df2ed440a20f92108041ec14b87
// two_kernel.h: two, 8x4x4 bfloat16 to 8x4x3 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 4 in kernel.h.j2
// 1 parts of the channels x 1 bands of the rows = 1 cores, each 8 channels x 4 output rows
// a core reads 4 rows x 1 blocks x 6 columns x 8 by 1 stream of 96 words of 4 B
// and writes 4 rows x 1 blocks x 4 columns x 8
// sums in flight: 4 rows x 4 pixels x 8 channels
// 16 mmuls of 4 x 8 x 4 a core, 75% of whose products count; 105 cycles modelled
@@ same: 2
 public:
  TwoKernel(int16 (&weights)[128], float (&rows)[32]);

@@ same: 3 in one_kernel.h
      adf::output_buffer<bfloat16>& __restrict out);
@@ same: 2
    REGISTER_FUNCTION(TwoKernel::run);
@@ same: 5 in kernel.h.j2
  int16 (&weights_)[128];  // [step][kernel row, block][kernel column][block][half][position] of 8 x 4
  float (&rows_)[32];  // for each 4 channels their bias and what scales sums back, each for 4 pixels
};
