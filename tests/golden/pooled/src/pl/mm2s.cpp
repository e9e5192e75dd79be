@@ sha256: 44195d7a6818db1ba44fe530d6cb63d88f0832720cf7792a0f7a3989ef6ef495
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
#include "../include/aieloom/pl/movers.h"
@@ same: 13 in instance.cpp.j2, mm2s.cpp
    const ap_uint<64>* memory, int size, int iterations, hls::stream<Axis<64>>& out) {
@@ same: 8 in mm2s.cpp
