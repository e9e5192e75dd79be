@@ sha256: 368755f464de4b4c0264dcd9558e0dab2ceac715d009fb412c7a41510730fb86
@@ same: 2
// Reads a program from device memory and has its layers computed one after another: 4 + 2 + 4 movers of the array, and 1 vector unit and 4 row units.
@@ same: 10 in sequencer.cpp.j2, sequencer.cpp
constexpr int kVectorUnits = 1;  // vector units
constexpr int kRowUnits = 4;  // row units
constexpr int kUnits = 15;  // that take layers
constexpr int kDoneUnits = 9;  // that tell when one is done
@@ same: 74 in array_issue.j2, sequencer.cpp.j2, sequencer.cpp
