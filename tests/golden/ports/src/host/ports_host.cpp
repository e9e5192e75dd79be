@@ sha256: 58f8ba0142c838eb7c7a563a7c4390da00b48e09a2be49d7f55e06e7cd5d5248
// ports_host.cpp: ports on the processor.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
// Runs ports on the board: loads the xclbin, sends images through, compares and times.
@@ same: 2
#include "weights.h"
@@ same: 5 in host.cpp.j2
/// What the array computes from input to two.
struct Part {
  using Values = host::Bfloat16;
  using Order = host::Raster;
@@ same: 2
  static constexpr std::uint16_t kZero = 0;
  static constexpr int kInValues = 108;  // of an input image: 2x6x9 bfloat16
  static constexpr int kOutValues = 280;  // of an output image: 8x5x7 bfloat16
  static constexpr int kInWords = 14;  // stream words of an image on each of mm2s's streams
  static constexpr int kOutWords = 35;  // stream words of an image on s2mm's stream
  static constexpr int kInBytes = 224;  // 14 words x 1 streams
  static constexpr int kOutBytes = 560;  // 35 words
@@ same: 4 in array.j2
  static constexpr const char* kGraph = "ports_graph";
  static std::vector<const char*> frames() { return {"pl_two_to_output"}; }
@@ same: 2
        {"weights_one", one_table, sizeof one_table, 160},
        {"weights_two", two_table, sizeof two_table, 208},
@@ same: 11 in host.cpp.j2, small_host.cpp
    net.program = "ports_host";
    net.image = "2 x 6 x 9";
    net.result = "8 x 5 x 7";
    net.image_values = 108;
    net.result_values = 280;
    net.batch = 7489;  // of at most 4 MiB each way, so that starting one is little beside it
    net.tolerance = 0.0078;
    net.inputs = {
        {"input", {2, 6, 9}},
@@ same: 2
        {"output", {8, 5, 7}},
@@ same: 8 in host.cpp.j2
