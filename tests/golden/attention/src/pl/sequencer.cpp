@@ sha256: aefb6c33f006325a626c903032fe50be6ea228d0163539a3f3254ba3ed8a2374
@@ same: 2
// Layers go to 4 + 2 + 4 movers of the array and 1 vector unit and 2 row units, whose tokens are waited for.
#include "../include/aieloom/pl/engine/array_sequencer.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  static constexpr int kArrayUnits = 10, kVectorUnits = 1, kRowUnits = 2, kUnits = 13, kDoneUnits = 7, kRows = 4,
      kMostLayers = 65536;
@@ same: 6 in instance.cpp.j2, sequencer.cpp
    const int* program, int* status, int count, int last, hls::stream<Control> to[13],
    hls::stream<Control> done[7]) {
@@ same: 11 in sequencer.cpp
