@@ sha256: 419fe6cfdca9a0e7033f9bbf0caa728827041f328972e62d5e525159eca0b94c
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<64>* memory, int size, int iterations, hls::stream<ap_axiu<64, 0, 0, 0>> &out) {
@@ same: 8 in mm2s.cpp
