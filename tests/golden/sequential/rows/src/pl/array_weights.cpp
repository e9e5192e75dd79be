@@ sha256: 330a63ee7b7eb6b3ad16454f9d670d609c1fe9d513f55a1138891ee52ffbff8d
// array_weights.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// 8 x 4 chains of 3 cores on the array: 256 pixels x 128 output channels, 288 of K a pass; 30,720 GOP/s at 1250 MHz at most
// each row of chains owns an image: 131,072 B of UltraRAM for its tensors, which stay there; weights are read once for 8 images
// 28 movers in the logic: 1664 DSP, 510944 LUT, 32 UltraRAM blocks, 736 block RAMs (lines in block RAM, weights in block RAM), modelled
@@ same: 8
constexpr int kLanes = 16;  // channels of a word
constexpr int kRows = 8;  // rows of chains, each with an image
constexpr int kParts = 3;  // cores of a chain: parts of K
constexpr int kColumns = 4;  // columns of chains
@@ same: 4
constexpr int kTileWords = 6;  // words of K of a core's tile
constexpr int kTailWords = 2;  // stream words that say whether a pass is the last
constexpr int kWeightWords = 192;  // stream words of a core's tile of weights
constexpr int kStoreWords = 8192;  // words of a row's store
constexpr int kRowWords = 64;  // words of a row of an image that is brought, at most
constexpr int kLineWords = 1536;  // words of the input that a band sees, at most
constexpr int kBandPixels = 1024;  // pixels of a band, at most
constexpr int kPlaces = 16;  // words of K of a part, of the deepest layer
constexpr int kCacheWords = 1024;  // words of weights of a part of K, at most
constexpr int kMostTogether = 16;  // tiles of output channels that share loads, at most
constexpr int kFoldInterval = 3;  // cycles of a word whose folds are multiplied
constexpr int kMostWords = 128;  // words of a pixel of a depthwise layer
constexpr int kMostWeights = 2048;  // words of its weights
@@ same: 7
enum Opcode { kEnd = 0, kProduct = 1, kFold = 2, kBring = 3, kGive = 4 };

/// A layer, as the sequencer sends it. All rows of chains do the same at the same time, each with its own image.
struct Layer {
  int opcode;
  int images, height, width, words;  // of a batch, of the input; words of a pixel; of kBring and kGive words of an image
@@ same: 4
  int x_at, w_at, channels_at, y_at;   // words from the beginning of a buffer or of a row's store
@@ same: 7
  int operation, counts_padding;  // of kFold
  int group;                      // which images of the batch: the first is kRows * group
  int unused[3];
@@ same: 4
/// Takes a layer from the sequencer.
@@ same: 12
/// Rounds of a layer: in each every row of chains has a band of its image.
int rounds_of(const Layer& l) { return l.bands; }
@@ same: 9
/// Pixels of a band: the last may have fewer rows.
int pixels_of(const Layer& l, int band) {
  const int rows = l.out_height - band * l.rows;
  return (rows < l.rows ? rows : l.rows) * l.out_width;
}

/// Blocks of kTileM pixels of a band.
int blocks_of(const Layer& l, int band) { return (pixels_of(l, band) + kTileM - 1) / kTileM; }

/// A token: room for words that are asked for, or the end of a layer.
Control token() {
  Control made;
  made.data = 1;
  made.keep = -1;
  made.last = 1;
@@ same: 48
#pragma HLS bind_storage variable=cache type=ram_s2p impl=bram
@@ same: 21
