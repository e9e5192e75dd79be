@@ sha256: d118434c272a945a36435b63151313fed8c389e37c26deb34782fce0d8c5bc42
// small_host.cpp: small on the processor.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// Runs small on the board: loads the xclbin, sends images through, compares and times.
#include "../include/aieloom/host/design.h"
#include "../include/aieloom/host/main.h"
@@ same: 5 in host.cpp.j2
/// What the array computes from input to shuffle.
struct Part {
  using Values = host::Plain;
  using Order = host::Tiled;
  static constexpr const char* kMm2s = "mm2s";
  static constexpr const char* kS2mm = "s2mm";
  static constexpr float kZero = 0.0F;
  static constexpr int kInValues = 72;  // of an input image: 2x6x6 float32
  static constexpr int kOutValues = 144;  // of an output image: 1x12x12 float32
  static constexpr int kInWords = 108;  // stream words of an image on each of mm2s's streams
  static constexpr int kOutWords = 36;  // stream words of an image on s2mm's stream
  static constexpr int kInBytes = 2592;  // 108 words x 3 streams
  static constexpr int kOutBytes = 576;  // 36 words
  static constexpr int kColTiles = 3;  // 12 / 4
  static constexpr int kDepth = 9;  // 18 / 2
  static constexpr int kBlockRows = 2;  // rows of an mmul block
  static constexpr int kBlockColsWords = 2;  // 4 / 2
  static constexpr int kStreams = 3;  // one for each group of cores
  static constexpr int kLanes = 2;  // elements of a word
  static constexpr int kNextHeight = 6;  // of the convolution's input
  static constexpr int kNextWidth = 6;  // of the convolution's input
  static constexpr int kTileN = 12;  // columns of a tile: output pixels
  static constexpr int kBlockCols = 4;  // columns of an mmul block
  static constexpr int kWidth = 6;  // of the convolution's output
  static constexpr int kKernelArea = 9;  // 3 x 3
  static constexpr int kKernelWidth = 3;  // kernel 3 x 3
  static constexpr int kPaddingY = 1;  // padding
  static constexpr int kPaddingX = 1;  // padding
@@ same: 4 in array.j2
    for (int nt = 0; nt < kColTiles; ++nt) {
      for (int kt = 0; kt < kDepth; ++kt) {
        for (int row = 0; row < kBlockRows; ++row) {
          for (int col = 0; col < kBlockColsWords; ++col) {
            for (int stream = 0; stream < kStreams; ++stream) {
              for (int lane = 0; lane < kLanes; ++lane) {
                const int pixel = stream * kTileN + nt * kBlockCols + col * kLanes + lane;
                const int k = kt * kBlockRows + row;
                const int tap = k % kKernelArea;
                const int y = pixel / kWidth + tap / kKernelWidth - kPaddingY;
                const int x = pixel % kWidth + tap % kKernelWidth - kPaddingX;
                const int channel = k / kKernelArea;
                const bool inside = 0 <= y && y < kNextHeight && 0 <= x && x < kNextWidth;
                table.push_back(inside ? (channel * kNextHeight + y) * kNextWidth + x : -1);
@@ same: 12 in array.j2
  static constexpr const char* kGraph = "small_graph";
  static std::vector<const char*> frames() { return {"pl_act", "pl_shuffle"}; }
@@ same: 4 in host.cpp.j2
  using Values = Part::Values;
  using Runner = host::Design<Array, Part>;
@@ same: 3 in host.cpp.j2
    net.program = "small_host";
    net.image = "2 x 6 x 6";
    net.result = "1 x 12 x 12";
    net.image_values = 72;
    net.result_values = 144;
    net.batch = 1618;  // of at most 4 MiB each way, so that starting one is little beside it
    net.tolerance = 2e-5;
    net.inputs = {
        {"input", {2, 6, 6}},
@@ same: 2
        {"output", {1, 12, 12}},
@@ same: 8 in host.cpp.j2
