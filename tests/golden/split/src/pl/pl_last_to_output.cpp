@@ sha256: 42a989d04559515b735e5759e1d31b08d7c95bfaaf4c20cb692c8259ba48fcdb
// pl_last_to_output.cpp: no layer on programmable logic, 3x3x7 float32 to 3x3x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// Why these numbers: aieloom explain pl_last_to_output, in the project's folder
#include "../include/aieloom/pl/frame_buffer.h"
@@ same: 5 in kernel.cpp.j2
/// What last sends.
struct From0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 3, kHeight = 3, kWidth = 7, kBeat = 1, kInBits = 128, kInRounds = 6, kInGroups = 1,
      kInShare = 1, kInTileM = 4, kInTileRows = 1, kInSteps = 2, kInBlockRows = 2, kInBlockCols = 2;
@@ same: 5 in pl_act.cpp, pl_shuffle.cpp
  static constexpr int kChannels = 3, kHeight = 3, kWidth = 7, kRows = 3;
  static constexpr int kOutBits = 128, kPixels = 1;
  static constexpr int kOutRounds = 1, kOutChannels = 3, kOutHeight = 3, kOutWidth = 7;
};
using To0Order = PlainOrder<To0, InPlace, Frame<To0, Image<3, 3, 7>, InPlace>>;
@@ same: 3 in kernel.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_last_to_output(
    int frames, hls::stream<Axis<128>>& in, hls::stream<Axis<128>>& out) {
@@ same: 10 in pl_act.cpp, kernel.cpp.j2, pl_shuffle.cpp
    float map_out[4][63];  // one image for s2mm; a copy for each value of an output word
@@ same: 3 in pl_act.cpp
    FrameReader<From0, From0Turns, 1>::read_ports(in, values0);
@@ same: 2
    FrameWriter<To0, To0Order, 1>::write_ports(words0, out);
@@ same: 2
