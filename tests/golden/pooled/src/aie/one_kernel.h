@@ sha256: a51410db1a951978fc18d6a2b3242934aa9db79954126fb0cb4fbbf9180927e1
// one_kernel.h: one, 2x8x9 bfloat16 to 8x8x9 bfloat16 by chained.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
@@ same: 4 in kernel.h.j2
// 1 parts of the channels x 1 bands of the rows = 1 cores, each 8 channels x 8 output rows
// a core reads 8 rows x 1 blocks x 12 columns x 8 by 1 stream of 384 words of 4 B
// and writes 8 rows x 1 blocks x 12 columns x 8
// sums in flight: 4 rows x 4 pixels x 8 channels
// 48 mmuls of 4 x 8 x 4 a core, 19% of whose products count; 188 cycles modelled
// weights with bias come once, before the first image: 1 stream of 32 words of 64 bits
// a kernel on the tile beside each core copies them into that tile's memory, 256 B
@@ same: 10 in one_kernel.h, kernel.h.j2
    REGISTER_FUNCTION(OneKernel::run);
@@ same: 6 in kernel.h.j2, one_kernel.h
