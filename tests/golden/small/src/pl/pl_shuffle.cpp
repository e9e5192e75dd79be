@@ sha256: a272f88e92cb4d8a5a732bdc3ec9e040a50491b6e1ae86ace210e8ac6cf3735c
// pl_shuffle.cpp: shuffle on programmable logic, 4x6x6 float32 to 1x12x12 float32.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 4x6x6 float32 to 1x12x12 float32 by reading channel c*4 + y%r*2 + x%r*1, r = 2
// Why these numbers: aieloom explain pl_shuffle, in the project's folder
#include "../include/aieloom/pl/frame_buffer.h"
#include "../include/aieloom/pl/reorder.h"
@@ same: 7 in kernel.cpp.j2
/// shuffle: pixel_shuffle.
struct shuffle_source {
  static constexpr int kUpscale = 2, kPerChannel = 4, kPerRow = 2, kPerColumn = 1;
@@ same: 4 in kernel.cpp.j2
/// What second sends.
struct From0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 4, kHeight = 6, kWidth = 6, kBeat = 1, kInBits = 64, kInRounds = 1, kInGroups = 2,
      kInShare = 1, kInTileM = 4, kInTileRows = 1, kInSteps = 5, kInBlockRows = 4, kInBlockCols = 4;
@@ same: 3 in pl_act.cpp
/// What s2mm reads.
struct To0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 1, kHeight = 12, kWidth = 12, kRows = 12;
  static constexpr int kOutBits = 128, kPixels = 1;
  static constexpr int kOutRounds = 1, kOutChannels = 1, kOutHeight = 12, kOutWidth = 12;
};
using To0Order = PlainOrder<To0, InPlace, Frame<To0, Image<4, 6, 6>, PixelShuffle<layers::shuffle_source>>>;
@@ same: 3 in kernel.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_shuffle(
    int frames, hls::stream<Axis<64>> in[2], hls::stream<Axis<128>>& out) {
@@ same: 8 in pl_act.cpp, kernel.cpp.j2
    hls::stream<ap_uint<128>> words0("words0");
#pragma HLS stream variable=words0 depth=16
    float map_out[4][144];  // one image for s2mm; a copy for each value of an output word
@@ same: 3 in pl_act.cpp
    FrameReader<From0, From0Turns, 2>::read_ports(in[0], in[1], values0);
@@ same: 2
    FrameWriter<To0, To0Order, 1>::write_ports(words0, out);
@@ same: 2
