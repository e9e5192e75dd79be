@@ sha256: 3bc536544a3ca7d7d8ac0d454d30dfc6ef743b88bb32c63b33100a3eb92d07f2
// mm2s.cpp: memory to 1 stream of 64 bits.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "../include/aieloom/pl/movers.h"
@@ same: 5 in instance.cpp.j2
struct Mover {
  static constexpr int kBits = 64, kStreams = 1, kMemoryBits = 64;
@@ same: 6 in instance.cpp.j2, mm2s.cpp
    const ap_uint<64>* memory, int size, int iterations, hls::stream<Axis<64>>& out) {
@@ same: 8 in mm2s.cpp
