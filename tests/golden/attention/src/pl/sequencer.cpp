@@ sha256: 98e2c2a94c0a146448d7c793829fd0dd69cdc268b0d906e03fe8f8fb8030d35b
@@ same: 2
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 1 vector unit and 2 row units.
@@ same: 11 in sequencer.cpp.j2, sequencer.cpp
constexpr int kRowUnits = 2;  // row units
constexpr int kUnits = 13;  // that take layers
constexpr int kDoneUnits = 7;  // that tell when one is done
@@ same: 80 in array_issue.j2, sequencer.cpp.j2, sequencer.cpp
