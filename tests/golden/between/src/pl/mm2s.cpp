@@ sha256: 862f675887801e34b176b22a749efa07191830acb6d0502cf20efcf0ace9f32b
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<64>* memory, int size, int iterations, Port<64> &out) {
@@ same: 8 in mm2s.cpp
