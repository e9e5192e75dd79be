@@ sha256: 6926ca686665cd88c56f023df6e873c41947b7efb9a3ab3858938042cd44f509
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<128>* memory, int size, int iterations, Port<128> &out) {
@@ same: 6 in mm2s.cpp
  memory_to_streams<Mover>(memory, size, iterations, out);
}
