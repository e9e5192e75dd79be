@@ sha256: 0106d872e7c0b313951eab535aec7b40dceba0c7ee1bec1f9f53218ca6c9cd64
@@ same: 2
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 4 vector units and 4 row units.
@@ same: 10 in sequencer.cpp.j2, sequencer.cpp
constexpr int kVectorUnits = 4;  // vector units
constexpr int kRowUnits = 4;  // row units
constexpr int kUnits = 18;  // that take layers
constexpr int kDoneUnits = 12;  // that tell when one is done
@@ same: 80 in array_issue.j2, sequencer.cpp.j2, sequencer.cpp
