@@ sha256: 32bf84379f50cc2dff17190f5dedebecab9304872e5b31414136fe47b06301f5
@@ same: 2
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 2 vector units and 1 row unit.
@@ same: 10 in sequencer.cpp.j2, sequencer.cpp
constexpr int kVectorUnits = 2;  // vector units
constexpr int kRowUnits = 1;  // row units
constexpr int kUnits = 13;  // that take layers
constexpr int kDoneUnits = 7;  // that tell when one is done
@@ same: 80 in array_issue.j2, sequencer.cpp.j2, sequencer.cpp
