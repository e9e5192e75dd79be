@@ sha256: 0e365ef8f9c3f16ea0e07ad12c5970e649918719d2df2cc83e0e2090f980e045
// conv_engine.cpp: the convolution engine.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 pixels x 64 output channels: 1024 products of int8 a cycle, 640 GOP/s at 312.5 MHz at most
// 1184 DSP, 98784 LUT, 52224 FF, 112 block RAMs, modelled
#include "../include/aieloom/pl/engine/conv_engine.h"
@@ same: 8 in instance.cpp.j2, array_store.cpp
  static constexpr int kPixels = 16, kOut = 64, kRounds = 8, kTurns = 3, kDepth = 64, kWordChannels = 1;
@@ same: 4 in instance.cpp.j2
/// Computes a convolution or matrix product of tensors in device memory.
extern "C" void conv_engine(
    const Word<Integers::Element>* x, const Word<Integers::Element>* w, const Channel<Integers::Sum>* channels,
    Word<Integers::Element>* y, unsigned x_at, unsigned w_at, unsigned channels_at, unsigned y_at, int sets,
    int images, int height, int width, int words, int out_height, int out_width, int group_words, int tap_words,
    int set_words, int kernel_y, int kernel_x, int stride_y, int stride_x, int top, int left, int groups,
    int depthwise, int outside, int zero, int shift, Integers::Sum low, Integers::Sum high) {
@@ same: 8 in array_load.cpp, array_weights.cpp, array_store.cpp
#pragma HLS interface s_axilite port=x_at bundle=control
#pragma HLS interface s_axilite port=w_at bundle=control
#pragma HLS interface s_axilite port=channels_at bundle=control
#pragma HLS interface s_axilite port=y_at bundle=control
#pragma HLS interface s_axilite port=sets bundle=control
#pragma HLS interface s_axilite port=images bundle=control
#pragma HLS interface s_axilite port=height bundle=control
#pragma HLS interface s_axilite port=width bundle=control
#pragma HLS interface s_axilite port=words bundle=control
#pragma HLS interface s_axilite port=out_height bundle=control
#pragma HLS interface s_axilite port=out_width bundle=control
#pragma HLS interface s_axilite port=group_words bundle=control
#pragma HLS interface s_axilite port=tap_words bundle=control
#pragma HLS interface s_axilite port=set_words bundle=control
#pragma HLS interface s_axilite port=kernel_y bundle=control
#pragma HLS interface s_axilite port=kernel_x bundle=control
#pragma HLS interface s_axilite port=stride_y bundle=control
#pragma HLS interface s_axilite port=stride_x bundle=control
#pragma HLS interface s_axilite port=top bundle=control
#pragma HLS interface s_axilite port=left bundle=control
#pragma HLS interface s_axilite port=groups bundle=control
#pragma HLS interface s_axilite port=depthwise bundle=control
#pragma HLS interface s_axilite port=outside bundle=control
#pragma HLS interface s_axilite port=zero bundle=control
#pragma HLS interface s_axilite port=shift bundle=control
#pragma HLS interface s_axilite port=low bundle=control
#pragma HLS interface s_axilite port=high bundle=control
#pragma HLS interface s_axilite port=return bundle=control
  conv::engine<Engine>(x, w, channels, y, x_at, w_at, channels_at, y_at, sets, images, height, width, words,
      out_height, out_width, group_words, tap_words, set_words, kernel_y, kernel_x,
      stride_y, stride_x, top, left, groups, depthwise, outside, zero, shift, low, high);
}
