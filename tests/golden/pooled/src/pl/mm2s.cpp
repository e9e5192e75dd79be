@@ sha256: 07eb58cdebd683003e16fa62e1e86cf565ddd07445277acf3798cc2a70c9f79d
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<64>* memory, int size, int iterations, Port<64> &out) {
@@ same: 8 in mm2s.cpp
