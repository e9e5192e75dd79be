@@ sha256: ecbb48f88ebf9fc2817925172f61dc50ffa57f0e3ebf4dd1372ce5d35373c5a7
// pl_act.cpp: act on programmable logic, 4x4x4 float32 to 4x4x4 float32.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// frame buffer: 64 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 64 cycles; one word a cycle out: 16 cycles
// relu: negative values become 0
@@ same: 4
#include <cstdint>
@@ same: 21
constexpr int kMapHeight = 4;  // of the image from which results are gathered, 4x4x4 float32
constexpr int kMapWidth = 4;  // of that image
constexpr int kMapSize = 64;  // values of that image

/// relu: negative values become 0.
float act_value(float x) { return x < 0.0F ? 0.0F : x; }
@@ same: 6
/// What second sends.
@@ same: 4
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
constexpr int kInSize = 64;  // 4x4x4 float32
@@ same: 4
void read(hls::stream<InWord> &in, hls::stream<float>& values) {
@@ same: 16
/// Puts the values of output tiles into the frame buffer; what lies outside the image is padding.
void untile(hls::stream<float>& results, float map_out[4][kInSize]) {
@@ same: 12
                  for (int lane = 0; lane < 4; ++lane) {
@@ same: 23
}  // namespace from0

/// What s2mm_second reads.
@@ same: 4
constexpr int kOutWords = 16;  // of an image
constexpr int kOutValues = 64;  // 4x4x4 float32
constexpr int kOutHeight = 4;  // of the result
constexpr int kOutWidth = 4;  // of the result
@@ same: 33
}  // namespace to0
@@ same: 3
extern "C" void pl_act(
    hls::stream<ap_axiu<64, 0, 0, 0>> &in, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 8
  hls::stream<ap_uint<128>> words0("words0");
#pragma HLS stream variable=words0 depth=16
  float map_out[4][64];  // one image for s2mm_second; a copy for each value of an output word
@@ same: 9
