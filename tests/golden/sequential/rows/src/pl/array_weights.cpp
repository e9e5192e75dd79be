@@ sha256: ccd8630afa97f88bf22dda3953806d1eba15e18f5b85a50ced7ae1a05dde76d2
// array_weights.cpp: the engine on the array.
// Made by aieloom 0.1.0 from staying's network.yaml; edit that and run: doit gen project=staying
// 6 x 4 chains of 3 cores on the array: 192 pixels x 128 output channels, 288 of K a pass; 23,040 GOP/s at 1250 MHz at most
// each row of chains owns an image: 131,072 B of UltraRAM for its tensors, which stay there; weights are read once for 6 images
// 23 movers in the logic: 1248 DSP, 392208 LUT, 24 UltraRAM blocks, 648 block RAMs (lines in block RAM, weights in block RAM), modelled
#include "../include/aieloom/pl/engine/row_layer.h"
#include "../include/aieloom/pl/engine/weights.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  using Layer = row::Layer;
  using CacheStorage = Bram;
  static constexpr int kRows = 6, kParts = 3, kColumns = 4, kTileM = 32, kWeightWords = 192, kCacheWords = 1024,
      kAhead = 1;
@@ same: 15 in instance.cpp.j2, array_weights.cpp, array_load.cpp, mm2s.cpp
