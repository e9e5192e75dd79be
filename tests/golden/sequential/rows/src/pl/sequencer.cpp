@@ sha256: 98a2aed1a1d843dfbd5f114ba3831d97ab0d34f08e0031987804800a2643007a
// sequencer.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// Reads a program from device memory and has its layers computed one after another, for one group of 8 images after another.
@@ same: 6
constexpr int kNumbers = 52;  // words of a layer
constexpr int kGroupAt = 48;  // where it says which group of images it is for
constexpr int kMostLayers = 65536;  // of a program
constexpr int kRows = 8;  // rows of chains
constexpr int kUnits = 28;  // that take layers: what loads, what brings weights, what makes results, what keeps them
@@ same: 8
/// Whether a unit takes layers of an opcode: all take the end; products all, folds loads and stores of tensors, copies the latter alone.
bool takes(int unit, int opcode) {
  const bool loads = unit < kRows;
  const bool keeps = unit >= kUnits - kRows;
  return opcode == kEnd || opcode == kProduct || keeps || (opcode == kFold && loads);
}

/// Sends a layer to the units that take it, a number a cycle; which group of images it is for stands in kGroupAt.
void send(const int layer[kNumbers], int opcode, int group, hls::stream<Control> to[kUnits]) {
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    Control word;
    word.data = i == kGroupAt ? group : i == 0 ? opcode : layer[i];
    word.keep = -1;
    word.last = 0;
    for (int unit = 0; unit < kUnits; ++unit) {
#pragma HLS unroll
      if (takes(unit, opcode)) {
        to[unit].write(word);
@@ same: 7
/// A program is `count` layers of kNumbers words, computed for `groups` groups of images. One that is none is refused: its number and why
/// stand in `status`, and nothing behind it is computed. `last` programs end the units.
extern "C" void sequencer(const int* program, int* status, int count, int groups, int last, hls::stream<Control> to[kUnits],
                          hls::stream<Control> done[kRows]) {
@@ same: 5
#pragma HLS interface s_axilite port=groups bundle=control
#pragma HLS interface s_axilite port=last bundle=control
@@ same: 5
  int layer[kNumbers] = {};
  for (int group = 0; result == kDone && group < groups; ++group) {
    for (at = 0; result == kDone && at < count; ++at) {
      for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
        layer[i] = program[at * kNumbers + i];
      }
      if (layer[0] < kProduct || layer[0] > kGive) {
        result = kUnknown;
        break;
      }
      send(layer, layer[0], group, to);
      for (int row = 0; row < kRows; ++row) {
        done[row].read();
@@ same: 3
  if (last != 0) {
    send(layer, kEnd, 0, to);
@@ same: 4
