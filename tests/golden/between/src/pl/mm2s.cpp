@@ sha256: e6a8324862d07b3ec59b2daa34d970ff278908e548b1157804d8cef7588d733b
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<64>* memory, int size, int iterations, hls::stream<ap_axiu<64, 0, 0, 0>> &out) {
@@ same: 8 in mm2s.cpp
