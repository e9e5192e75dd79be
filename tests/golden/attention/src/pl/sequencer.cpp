@@ sha256: 71a01c4ef74d563f68a2cf80126caf553cc99518ded14c5a00caec66cbcb6a75
@@ same: 2
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 1 vector unit and 4 row units.
@@ same: 10 in sequencer.cpp.j2, sequencer.cpp
constexpr int kVectorUnits = 1;  // vector units
constexpr int kRowUnits = 4;  // row units
constexpr int kUnits = 15;  // that take layers
constexpr int kDoneUnits = 9;  // that tell when one is done
@@ same: 80 in array_issue.j2, sequencer.cpp.j2, sequencer.cpp
