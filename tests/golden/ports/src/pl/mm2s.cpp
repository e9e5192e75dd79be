@@ sha256: 9620ef89d41d648fb82e3f8dab0a4f0b5bb5df53627ace2806afba80063fee4c
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<128>* memory, int size, int iterations, Port<128> &out) {
@@ same: 8 in mm2s.cpp
