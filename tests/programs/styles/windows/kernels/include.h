// Sizes that kernels and graph share.
#ifndef INCLUDE_H
#define INCLUDE_H
#define NUM_SAMPLES 32
#define MARGIN 8
#define NUM_COEFFS 4
#endif
