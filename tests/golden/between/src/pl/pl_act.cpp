@@ sha256: 0390e8647107dbb3f0adcff925e16b17be9bcae9d7ad7ce6ccdeb37ff2473687
// pl_act.cpp: act on programmable logic, 4x4x4 float32 to 4x4x4 float32.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// image buffer: 64 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 64 cycles; one word a cycle out: 16 cycles
// relu: negative values become 0
@@ same: 4
#include <cstdint>
@@ same: 3
constexpr int kInBits = 64;  // width of an input stream
constexpr int kInLanes = 2;  // values of a word: 64 / 32
constexpr int kInValues = 64;  // of an image: 1 streams x 32 words x 2
constexpr int kInStreams = 1;  // 1 groups x 1 parts
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
@@ same: 3
constexpr int kInTileN = 16;  // pixels of a tile
constexpr int kInTile = 64;  // values of a tile: 4 x 16
@@ same: 3
constexpr int kInColTiles = 4;  // 16 / 4
constexpr int kInChannels = 4;  // of the image that arrives
constexpr int kInPixels = 16;  // 4 x 4
constexpr int kLanes = 4;  // values of an output word, copies of the image buffer
constexpr int kInSize = 64;  // 4x4x4 float32
constexpr int kInCopies = 4;  // of the image buffer that takes it
constexpr int kMapHeight = 4;  // of the image from which the result is gathered, 4x4x4 float32
constexpr int kMapWidth = 4;  // of that image
constexpr int kMapSize = 64;  // values of that image
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutWords = 16;  // of an image
constexpr int kOutValues = 64;  // 4x4x4 float32
constexpr int kOutHeight = 4;  // of the result
constexpr int kOutWidth = 4;  // of the result

@@ same: 21
/// relu: negative values become 0.
float act_value(float x) { return x < 0.0F ? 0.0F : x; }
@@ same: 7
void read(hls::stream<InWord> &in, hls::stream<float>& values) {
@@ same: 86
extern "C" void pl_act(hls::stream<InWord> &in, hls::stream<OutWord> &out) {
@@ same: 8
  float map[kLanes][64];  // one image; a copy for each value of an output word
@@ same: 11
