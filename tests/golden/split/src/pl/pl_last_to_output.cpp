@@ sha256: 969aa2712cf11237fe789d8bbc994e87632b2798ee5320b3bc6ccaa043045cae
// pl_last_to_output.cpp: no layer on programmable logic, 3x3x7 float32 to 3x3x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// frame buffer: 63 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 96 cycles; one word a cycle out: 16 cycles
@@ same: 4
#include <cstdint>
@@ same: 21
constexpr int kMapHeight = 3;  // of the image from which results are gathered, 3x3x7 float32
constexpr int kMapWidth = 7;  // of that image
constexpr int kMapSize = 63;  // values of that image
@@ same: 6
/// What last sends.
namespace from0 {

constexpr int kInBits = 128;  // width of an input stream
constexpr int kInLanes = 4;  // values of a word: 128 / 32
constexpr int kInValues = 96;  // of an image: 1 streams x 24 words x 4
constexpr int kInStreams = 1;  // 1 groups x 1 parts
constexpr int kInRounds = 6;  // tiles that each core works on, one after another
constexpr int kInGroups = 1;  // cores along the pixels
constexpr int kInParts = 1;  // cores along the channels
constexpr int kInTileM = 4;  // channels of a tile
constexpr int kInTileN = 4;  // pixels of a tile
constexpr int kInTile = 16;  // values of a tile: 4 x 4
constexpr int kInBlockRows = 2;  // channels of an mmul block
constexpr int kInBlockCols = 2;  // pixels of an mmul block
constexpr int kInRowTiles = 2;  // 4 / 2
constexpr int kInColTiles = 2;  // 4 / 2
constexpr int kInChannels = 3;  // of the image that arrives
constexpr int kInPixels = 21;  // 3 x 7
constexpr int kInSize = 63;  // 3x3x7 float32
@@ same: 4
void read(hls::stream<InWord> &in, hls::stream<float>& values) {
@@ same: 8
          word = in.read();
        }
        values.write(as_float(word.data.range(32 * lane + 31, 32 * lane)));
@@ same: 5
/// Puts the values of output tiles into the frame buffer; what lies outside the image is padding.
void untile(hls::stream<float>& results, float map_out[4][kInSize]) {
@@ same: 12
                  for (int lane = 0; lane < 4; ++lane) {
@@ same: 18
    results.write(value);
@@ same: 3
}  // namespace from0

@@ same: 5
constexpr int kOutWords = 16;  // of an image
constexpr int kOutValues = 63;  // 3x3x7 float32
constexpr int kOutHeight = 3;  // of the result
constexpr int kOutWidth = 7;  // of the result

using OutWord = ap_axiu<kOutBits, 0, 0, 0>;

@@ same: 30
}  // namespace to0
@@ same: 3
extern "C" void pl_last_to_output(
    hls::stream<ap_axiu<128, 0, 0, 0>> &in, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 8
  hls::stream<ap_uint<128>> words0("words0");
#pragma HLS stream variable=words0 depth=16
  float map_out[4][63];  // one image for s2mm; a copy for each value of an output word
@@ same: 9
