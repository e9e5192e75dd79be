@@ sha256: ba788d86b14ab1e7af4d82f921093035c6370d8946f8d713103422b44e862ab1
// mm2s.cpp: memory to 1 stream of 128 bits.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
#include "../include/aieloom/pl/movers.h"
@@ same: 6 in mover.cpp.j2
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 6 in mover.cpp.j2, mm2s.cpp
    const ap_uint<128>* memory, int size, int iterations, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 6 in mm2s.cpp
  memory_to_streams<Mover>(memory, size, iterations, out);
}
