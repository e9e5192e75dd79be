@@ sha256: 75b41f2be2d6742e1405ac15e21e2ba89cef812e73a9964a7443de805e9b98ae
// array_weights.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// 7 x 4 chains of 2 cores on the array: 224 pixels x 128 output channels, 128 of K a pass; 17,920 GOP/s at 1250 MHz at most
// each row of chains owns an image: 131,072 B of UltraRAM for its tensors, which stay there; weights are read once for 7 images
// 26 movers in the logic: 1344 DSP, 450576 LUT, 28 UltraRAM blocks, 628 block RAMs (lines in block RAM, weights in block RAM), modelled
@@ same: 8 in array_weights.cpp.j2
constexpr int kLanes = 16;  // channels of a word
constexpr int kRows = 7;  // rows of chains, each with an image
constexpr int kParts = 2;  // cores of a chain: parts of K
constexpr int kColumns = 4;  // columns of chains
@@ same: 4 in array_load.cpp
constexpr int kTileWords = 4;  // words of K of a core's tile
constexpr int kTailWords = 2;  // stream words that say whether a pass is the last
constexpr int kWeightWords = 128;  // stream words of a core's tile of weights
constexpr int kStoreWords = 8192;  // words of a row's store
constexpr int kSettles = 8;  // turns after which a word of the store may be read
constexpr int kRowWords = 64;  // words of a row of an image that is brought, at most
constexpr int kLineWords = 2048;  // words of the input that a band sees, at most
constexpr int kBandPixels = 1024;  // pixels of a band, at most
constexpr int kPlaces = 32;  // words of K of a part, of the deepest layer
constexpr int kCacheWords = 1536;  // words of weights of a part of K, at most
constexpr int kMostTogether = 16;  // tiles of output channels that share loads, at most
constexpr int kAhead = 1;  // what brings weights is told the next product while one is computed
constexpr int kFoldInterval = 3;  // cycles of a word whose folds are multiplied
constexpr int kMostWords = 128;  // words of a pixel of a depthwise layer
constexpr int kMostWeights = 2048;  // words of its weights
constexpr int kBanks = 32;  // of a tile of sums: 16 neighbouring channels lie in as many
@@ same: 51 in array_weights.cpp.j2, row_layer.j2
      {number[49], number[50], number[51]}};
@@ same: 123 in row_layer.j2, array_weights.cpp.j2, array_weights.cpp
#pragma HLS bind_storage variable=even type=ram_s2p impl=bram
#pragma HLS bind_storage variable=odd type=ram_s2p impl=bram
@@ same: 27 in array_weights.cpp.j2
