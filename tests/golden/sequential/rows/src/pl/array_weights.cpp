@@ sha256: 333adc87728fc6e6b58f50b5ed37f5869111b1e589fa12a309545100b8931706
// array_weights.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// 6 x 4 chains of 4 cores on the array: 192 pixels x 128 output channels, 256 of K a pass; 30,720 GOP/s at 1250 MHz at most
// each row of chains owns an image: 131,072 B of UltraRAM for its tensors, which stay there; weights are read once for 6 images
// 22 movers in the logic: 1344 DSP, 392208 LUT, 120 UltraRAM blocks, 392 block RAMs (lines in UltraRAM, weights in block RAM), modelled
@@ same: 8 in array_weights.cpp.j2
constexpr int kLanes = 16;  // channels of a word
constexpr int kRows = 6;  // rows of chains, each with an image
constexpr int kParts = 4;  // cores of a chain: parts of K
constexpr int kColumns = 4;  // columns of chains
@@ same: 7 in array_load.cpp
constexpr int kStoreWords = 8192;  // words of a row's store
constexpr int kSettles = 8;  // turns after which a word of the store may be read
constexpr int kRowWords = 64;  // words of a row of an image that is brought, at most
constexpr int kLineWords = 4096;  // words of the input that a band sees, at most
constexpr int kBandPixels = 1024;  // pixels of a band, at most
constexpr int kPlaces = 16;  // words of K of a part, of the deepest layer
constexpr int kCacheWords = 1024;  // words of weights of a part of K, at most
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
