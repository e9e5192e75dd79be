@@ sha256: ef4de327354b190cd6d57a917902131bdb41e178e3667996cf9c1b26a8ff22a3
// conv_engine.cpp: the convolution engine.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 pixels x 64 output channels: 1024 products of int8 a cycle, 640 GOP/s at 312.5 MHz at most
// 1184 DSP, 98784 LUT, 52224 FF, 112 block RAMs, modelled
@@ same: 6 in conv_engine.cpp.j2
constexpr int kLanes = 16;  // channels of a word of device memory
constexpr int kPixels = 16;  // output pixels side by side
constexpr int kOut = 64;  // output channels side by side: a tile
constexpr int kOutWords = 4;  // words of them
constexpr int kRounds = 8;  // rounds of pixels that share a load of weights
constexpr int kTurns = 3;  // rounds that take turns at least while an adder works
constexpr int kDepth = 64;  // words of input channels of a block
constexpr int kWordChannels = 1;  // whose numbers beside weights lie in a word
@@ same: 20 in circuit.cpp.j2, conv_engine.cpp.j2
  std::int32_t multiplier;  // of integers: see finished()
  std::int32_t shift;
  std::int32_t fills;  // of floats: not 0 where it only fills a word up
@@ same: 196 in conv_engine.cpp.j2, circuit.cpp.j2, finish_held.j2, finish_multiplier.j2
#pragma HLS dependence variable=sums type=inter direction=RAW distance=3 true
@@ same: 23 in conv_engine.cpp.j2
#pragma HLS dependence variable=sums type=inter direction=RAW distance=48 true
@@ same: 114 in conv_engine.cpp.j2
extern "C" void conv_engine(const Word* x, const Word* w, const Channel* channels, Word* y, unsigned x_at, unsigned w_at, unsigned channels_at,
@@ same: 2
                            int zero, int shift, std::int32_t low, std::int32_t high) {
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
@@ same: 3 in conv_engine.cpp.j2
                   {zero, shift, low, high}};
@@ same: 2
