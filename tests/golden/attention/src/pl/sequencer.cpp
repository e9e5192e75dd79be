@@ sha256: e00ca142a2354dc162889d74ed25f2392e6ecb1a6c3f8f40dfd25d2a95f869f2
@@ same: 2
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 1 vector unit and 4 row units.
@@ same: 11 in sequencer.cpp.j2, sequencer.cpp
constexpr int kRowUnits = 4;  // row units
constexpr int kUnits = 15;  // that take layers
constexpr int kDoneUnits = 9;  // that tell when one is done
@@ same: 66 in sequencer.cpp.j2, sequencer.cpp
