@@ sha256: 570332407929d6a792ae56217cf436b6404056e850f689bb69e60b366d2c4b28
// pooled_host.cpp: pooled on the processor.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
// Runs pooled on the board: loads the xclbin, sends images through, compares and times.
@@ same: 2
#include "weights.h"
@@ same: 11 in host.cpp.j2, ports_host.cpp, small_host.cpp
  static constexpr std::uint16_t kZero = 0;
  static constexpr int kInValues = 144;  // of an input image: 2x8x9 bfloat16
  static constexpr int kOutValues = 96;  // of an output image: 8x4x3 bfloat16
  static constexpr int kInWords = 144;  // stream words of an image on each of mm2s's streams
  static constexpr int kOutWords = 12;  // stream words of an image on s2mm's stream
  static constexpr int kInBytes = 1152;  // 144 words x 1 streams
  static constexpr int kOutBytes = 192;  // 12 words
  static constexpr int kColTiles = 72;  // 72 / 1
  static constexpr int kBlockRowsWords = 2;  // 8 / 4
  static constexpr int kLanes = 4;  // elements of a word
  static constexpr int kTaps = 2;  // inputs of one output
  static constexpr int kNextChannels = 2;  // of the convolution's input
  static constexpr int kNextHeight = 8;  // of the convolution's input
  static constexpr int kWidth = 9;  // of the convolution's output
  static constexpr int kNextWidth = 9;  // of the convolution's input
@@ same: 4 in array.j2
    for (int nt = 0; nt < kColTiles; ++nt) {
      for (int row = 0; row < kBlockRowsWords; ++row) {
        for (int lane = 0; lane < kLanes; ++lane) {
          const int k = row * kLanes + lane;
          const int y = nt / kWidth;
          const int x = nt % kWidth;
          const bool inside = k < kTaps && k < kNextChannels;
          table.push_back(inside ? (k * kNextHeight + y) * kNextWidth + x : -1);
@@ same: 9 in array.j2
  static constexpr const char* kGraph = "pooled_graph";
  static std::vector<const char*> frames() { return {"pl_two_to_output"}; }
@@ same: 2
        {"weights_one", one_table, sizeof one_table, 32},
@@ same: 11 in host.cpp.j2, small_host.cpp
    net.program = "pooled_host";
    net.image = "2 x 8 x 9";
    net.result = "8 x 4 x 3";
    net.image_values = 144;
    net.result_values = 96;
    net.batch = 3640;  // of at most 4 MiB each way, so that starting one is little beside it
    net.tolerance = 0.012;
    net.inputs = {
        {"input", {2, 8, 9}},
@@ same: 2
        {"output", {8, 4, 3}},
@@ same: 8 in host.cpp.j2
