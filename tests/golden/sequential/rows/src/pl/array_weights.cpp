@@ sha256: 7e0bb2360a7b658d7ec569423448d90ae9239b7732c6387317edc49eec590f12
// array_weights.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// 6 x 4 chains of 3 cores on the array: 192 pixels x 128 output channels, 288 of K a pass; 23,040 GOP/s at 1250 MHz at most
// each row of chains owns an image: 131,072 B of UltraRAM for its tensors, which stay there; weights are read once for 6 images
// 23 movers in the logic: 1248 DSP, 392208 LUT, 24 UltraRAM blocks, 648 block RAMs (lines in block RAM, weights in block RAM), modelled
@@ same: 9 in row_load.cpp.j2, array_weights.cpp.j2
constexpr int kRows = 6;  // rows of chains, each with an image
constexpr int kTileM = 32;  // pixels of a core's tile
constexpr int kLanes = 16;  // channels of a word
constexpr int kParts = 3;  // cores of a chain: parts of K
constexpr int kColumns = 4;  // columns of chains
@@ same: 3 in array_load.cpp
constexpr int kTileWords = 6;  // words of K of a core's tile
constexpr int kTailWords = 2;  // stream words that say whether a pass is the last
constexpr int kWeightWords = 192;  // stream words of a core's tile of weights
constexpr int kLineWords = 2048;  // words of the input that a band sees, at most
constexpr int kBandPixels = 1024;  // pixels of a band, at most
constexpr int kPlaces = 16;  // words of K of a part, of the deepest layer
constexpr int kCacheWords = 1024;  // words of weights of a part of K, at most
constexpr int kMostTogether = 16;  // tiles of output channels that share loads, at most
constexpr int kAhead = 1;  // what brings weights is told the next product while one is computed
constexpr int kFoldInterval = 3;  // cycles of a word whose folds are multiplied
constexpr int kMostWords = 128;  // words of a pixel of a depthwise layer
constexpr int kMostWeights = 2048;  // words of its weights
constexpr int kBanks = 32;  // of a tile of sums: 16 neighbouring channels lie in as many
@@ same: 78 in array_weights.cpp.j2, array_weights.cpp
#pragma HLS bind_storage variable=even type=ram_s2p impl=bram
#pragma HLS bind_storage variable=odd type=ram_s2p impl=bram
@@ same: 27 in array_weights.cpp.j2
