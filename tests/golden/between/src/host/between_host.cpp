@@ sha256: 04d4e32bf61c4dbc8f074d0b615889c21a4eeef71dfc325b0c4c1cfe6d751fe9
// between_host.cpp: between on the processor.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// Runs between on the board: loads the xclbin, sends images through, compares and times.
#include "../include/aieloom/host/subgraphs.h"
#include "../include/aieloom/host/network.h"
#include "../include/aieloom/host/main.h"
#include "between_host.h"
@@ same: 5 in host.cpp.j2
/// What the array computes from input to first.
struct Part1 {
@@ same: 5 in small_host.cpp
  static constexpr int kInValues = 32;  // of what the array takes or gives: 2x4x4 float32
  static constexpr int kOutValues = 64;  // of what the array takes or gives: 4x4x4 float32
  static constexpr int kInWords = 16;  // stream words of an image on each of mm2s's streams
  static constexpr int kOutWords = 16;  // stream words of an image on s2mm's stream
  static constexpr int kInBytes = 128;  // 16 words x 1 streams
  static constexpr int kOutBytes = 256;  // 16 words
  static constexpr int kColTiles = 4;  // 16 / 4
@@ same: 2
  static constexpr int kLanes = 2;  // elements of a word
  static constexpr int kNextHeight = 4;  // of the convolution's input
  static constexpr int kNextWidth = 4;  // of the convolution's input
@@ same: 4 in array.j2
    for (int nt = 0; nt < kColTiles; ++nt) {
      for (int row = 0; row < kBlockRows; ++row) {
        for (int col = 0; col < kBlockColsWords; ++col) {
          for (int lane = 0; lane < kLanes; ++lane) {
            table.push_back((row * kNextHeight + nt) * kNextWidth + col * kLanes + lane);
@@ same: 8 in array.j2
/// What the array computes from soft to act.
struct Part2 {
@@ same: 2
  static constexpr const char* kMm2s = "mm2s_second";
  static constexpr const char* kS2mm = "s2mm_second";
  static constexpr float kZero = 0.0F;
  static constexpr int kInValues = 64;  // of what the array takes or gives: 4x4x4 float32
  static constexpr int kOutValues = 64;  // of what the array takes or gives: 4x4x4 float32
  static constexpr int kInWords = 288;  // stream words of an image on each of mm2s_second's streams
  static constexpr int kOutWords = 16;  // stream words of an image on s2mm_second's stream
  static constexpr int kInBytes = 2304;  // 288 words x 1 streams
@@ same: 2
  static constexpr int kDepth = 18;  // 36 / 2
@@ same: 17 in small_host.cpp, between_host.cpp, array.j2
            for (int lane = 0; lane < kLanes; ++lane) {
              const int k = kt * kBlockRows + row;
              const int tap = k % kKernelArea;
              const int y = nt + tap / kKernelWidth - kPaddingY;
              const int x = col * kLanes + lane + tap % kKernelWidth - kPaddingX;
              const int channel = k / kKernelArea;
              const bool inside = 0 <= y && y < kNextHeight && 0 <= x && x < kNextWidth;
              table.push_back(inside ? (channel * kNextHeight + y) * kNextWidth + x : -1);
@@ same: 11 in array.j2
  static constexpr const char* kGraph = "between_graph";
  static std::vector<const char*> frames() { return {"pl_first_to_output", "pl_act"}; }
@@ same: 4 in host.cpp.j2
  using Values = host::Plain;
  using Runner = host::Network<processor::Layers, host::Subgraphs<Array, Part1, Part2>>;
@@ same: 3 in host.cpp.j2
    net.program = "between_host";
    net.image = "2 x 4 x 4";
    net.result = "4 x 4 x 4";
    net.image_values = 32;
    net.result_values = 64;
    net.batch = 1820;  // of at most 4 MiB each way, so that starting one is little beside it
@@ same: 2
        {"input", {2, 4, 4}},
@@ same: 2
        {"output", {4, 4, 4}},
@@ same: 8 in host.cpp.j2
