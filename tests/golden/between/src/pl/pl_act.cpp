@@ sha256: 4cb36ec61856e7bdf3511b65289ce19812bee453d887334c0495376a73b2e262
// pl_act.cpp: act on programmable logic, 4x4x4 float32 to 4x4x4 float32.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// relu: negative values become 0
@@ same: 2
#include "../include/aieloom/pl/functions.h"
@@ same: 5 in kernel.cpp.j2
/// What second sends.
struct From0 : Elements<Float, Relu>, LineTraits {
  static constexpr int kChannels = 4, kHeight = 4, kWidth = 4, kBeat = 1, kInBits = 64, kInRounds = 1, kInGroups = 1,
      kInShare = 1, kInTileM = 4, kInTileRows = 1, kInSteps = 4, kInBlockRows = 4, kInBlockCols = 4;
@@ same: 3 in pl_act.cpp
/// What s2mm_second reads.
struct To0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 4, kHeight = 4, kWidth = 4, kRows = 4;
  static constexpr int kOutBits = 128, kPixels = 1;
  static constexpr int kOutRounds = 1, kOutChannels = 4, kOutHeight = 4, kOutWidth = 4;
};
using To0Order = PlainOrder<To0, InPlace, Frame<To0, Image<4, 4, 4>, InPlace>>;
@@ same: 5 in kernel.cpp.j2, pl_act.cpp
    int frames, hls::stream<Axis<64>>& in, hls::stream<Axis<128>>& out) {
@@ same: 10 in pl_act.cpp, kernel.cpp.j2, pl_shuffle.cpp
    float map_out[4][64];  // one image for s2mm_second; a copy for each value of an output word
@@ same: 3 in pl_act.cpp
    FrameReader<From0, From0Turns, 1>::read_ports(in, values0);
@@ same: 2
    FrameWriter<To0, To0Order, 1>::write_ports(words0, out);
@@ same: 2
