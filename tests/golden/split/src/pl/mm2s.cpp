@@ sha256: 89f9bff8cfb4f53783b98ac0fdbdf5d0e72878bed4bf19287d875618ba059522
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
#include "../include/aieloom/pl/movers.h"
@@ same: 13 in instance.cpp.j2, s2mm.cpp, mm2s.cpp
    const ap_uint<128>* memory, int size, int iterations, hls::stream<Axis<128>>& out) {
@@ same: 6 in mm2s.cpp
  memory_to_streams<Mover>(memory, size, iterations, out);
}
