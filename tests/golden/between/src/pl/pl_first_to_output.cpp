@@ sha256: 12bc81f890ede82e67f48e349237fd615ebd42da03213b161fe7842b4e89841e
// pl_first_to_output.cpp: no layer on programmable logic, 4x4x4 float32 to 4x4x4 float32.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// Why these numbers: aieloom explain pl_first_to_output, in the project's folder
#include "../include/aieloom/pl/frame_buffer.h"
@@ same: 5 in kernel.cpp.j2
/// What first sends.
struct From0 : Elements<Float>, LineTraits {
@@ same: 15 in pl_act.cpp, pl_shuffle.cpp, kernel.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_first_to_output(
    int frames, hls::stream<Axis<64>>& in, hls::stream<Axis<128>>& out) {
@@ same: 10 in pl_act.cpp, kernel.cpp.j2, pl_shuffle.cpp
    float map_out[4][64];  // one image for s2mm; a copy for each value of an output word
@@ same: 3 in pl_act.cpp
    FrameReader<From0, From0Turns, 1>::read_ports(in, values0);
@@ same: 2
    FrameWriter<To0, To0Order, 1>::write_ports(words0, out);
@@ same: 2
