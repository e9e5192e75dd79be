// Declarations alone, without adf.h: the file that includes this one includes adf.h first.
#ifndef KERNELS_H
#define KERNELS_H

void butterfly(input_window_cint16* in, output_window_cint16* out);
void weighted_sum(input_window_cint16* restrict in, output_window_cint32* restrict out);
void weighted_init(void);
template <typename T, int SHIFT>
void scale(input_window<T>* in, output_window<T>* out);

#endif
