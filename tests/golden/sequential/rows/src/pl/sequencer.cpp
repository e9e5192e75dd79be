@@ sha256: 19efeb0d23c9a22b3857c77a575d094560cd2ff3ce3ed2137426647db97ed48d
// sequencer.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// Layers go to 6 rows of chains, for one group of as many images after another, whose tokens are waited for.
#include "../include/aieloom/pl/engine/row_sequencer.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  static constexpr int kUnits = 23, kGroupAt = 48, kRows = 6, kMostLayers = 65536;
@@ same: 6 in instance.cpp.j2, sequencer.cpp
    const int* program, int* status, int count, int groups, int last, hls::stream<Control> to[23],
    hls::stream<Control> done[6]) {
@@ same: 5 in sequencer.cpp
#pragma HLS interface s_axilite port=groups bundle=control
@@ same: 4 in sequencer.cpp
  row::run<Engine>(program, status, count, groups, last, to, done);
}
