@@ sha256: e059c1f488b7f8b81ad4d36d81d13c2da8b62879320a08ba87728385af618e40
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
#include "../include/aieloom/pl/movers.h"
@@ same: 13 in instance.cpp.j2, s2mm.cpp, mm2s.cpp
    const ap_uint<128>* memory, int size, int iterations, hls::stream<Axis<128>>& out) {
@@ same: 8 in mm2s.cpp
