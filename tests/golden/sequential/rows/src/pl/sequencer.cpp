@@ sha256: ffd2ccfad0b17d72ab069f7bfa5be0ed83f53f77cc7c6671de4bb7430cdfc28e
// sequencer.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// Reads a program from device memory and has its layers computed one after another, for one group of 6 images after another.
@@ same: 6 in row_sequencer.cpp.j2
constexpr int kNumbers = 52;  // words of a layer
constexpr int kGroupAt = 48;  // where it says which group of images it is for
constexpr int kMostLayers = 65536;  // of a program
constexpr int kRows = 6;  // rows of chains
constexpr int kUnits = 23;  // that take layers: what loads, what brings weights, what tells all rows, what makes results, what keeps them
@@ same: 84 in row_tell.j2, row_sequencer.cpp.j2
extern "C" void sequencer(const int* program, int* status, int count, int groups, int last, hls::stream<Control> to[kUnits],
                          hls::stream<Control> done[kRows]) {
@@ same: 46 in sequencer.cpp, row_sequencer.cpp.j2
