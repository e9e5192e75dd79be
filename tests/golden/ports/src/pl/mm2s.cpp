@@ sha256: 7f26c4f3431849ac2472dbd57d049c42be5f00182adb3352852cd43b685832fa
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<128>* memory, int size, int iterations, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 8 in mm2s.cpp
