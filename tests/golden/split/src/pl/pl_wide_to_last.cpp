@@ sha256: 72e5f8d3f85c06bbb9a0c7866588a989de68a1a611029862f7d006eaa67bc29f
// pl_wide_to_last.cpp: no layer on programmable logic, 6x3x7 float32 to 6x3x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// Why these numbers: aieloom explain pl_wide_to_last, in the project's folder
#include "../include/aieloom/pl/frame_buffer.h"
@@ same: 5 in kernel.cpp.j2
/// What wide sends.
struct From0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 6, kHeight = 3, kWidth = 7, kBeat = 1, kInBits = 32, kInRounds = 2, kInGroups = 2,
      kInShare = 2, kInTileM = 4, kInTileRows = 1, kInSteps = 2, kInBlockRows = 4, kInBlockCols = 4;
@@ same: 3 in pl_act.cpp
/// What last reads.
struct To0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 6, kHeight = 3, kWidth = 7, kRows = 3;
  static constexpr int kOutBits = 128, kPixels = 1;
  static constexpr int kOutRounds = 6, kOutPasses = 1, kOutTileK = 6, kOutTileN = 4, kOutBlockRows = 2,
      kOutBlockCols = 2, kOutHeight = 3, kOutWidth = 7, kKernelY = 1, kKernelX = 1;
};
using To0Order = ColumnOrder<To0, Frame<To0, Image<6, 3, 7>, InPlace>>;
@@ same: 3 in kernel.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_wide_to_last(
    int frames, hls::stream<Axis<32>> in[4], hls::stream<Axis<128>>& out) {
@@ same: 10 in pl_act.cpp, kernel.cpp.j2, pl_shuffle.cpp
    float map_out[4][126];  // one image for last; a copy for each value of an output word
@@ same: 3 in pl_act.cpp
    FrameReader<From0, From0Turns, 4>::read_ports(in[0], in[1], in[2], in[3], values0);
@@ same: 2
    FrameWriter<To0, To0Order, 1>::write_ports(words0, out);
@@ same: 2
