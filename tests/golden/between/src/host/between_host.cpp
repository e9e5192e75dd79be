@@ sha256: f1df7921def265ce207acc24ab9360d016bdca99d2e187a704d510c1c121ff3c
// between_host.cpp: between on the processor.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// Runs between on the board: loads the xclbin, sends images through, compares and times.
@@ same: 28 in host.cpp.j2
#include "between_host.h"
@@ same: 3 in host.cpp.j2
constexpr int kImageValues = 32;  // of an image in the input file: 2x4x4 float32
constexpr int kResultValues = 64;  // of a result in the output file: 4x4x4 float32
constexpr int kCopies = 1;  // of the design, side by side

constexpr std::size_t kBatch = 1820;  // images of one: of at most 4 MiB each way, so that starting one is little beside it
@@ same: 2
    "usage: between_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "       between_host XCLBIN --serve [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 2 x 4 x 4 float32 values each, one after another\n"
    "  --output FILE     write the results, 4 x 4 x 4 float32 values an image\n"
@@ same: 2
    "  --batch N         images of a batch, of which two are in memory (default 1820)\n"
@@ same: 10 in small_host.cpp, host.cpp.j2
  double tolerance = 2e-5;
@@ same: 192 in host.cpp.j2, ways.j2
  void (*to_elements)(const float* values, std::size_t count, float* elements);
  void (*pack)(const float* images, std::size_t count, float* memory);
  void (*unpack)(const float* memory, std::size_t count, float* results);
  void (*to_values)(const float* elements, std::size_t count, float* values);
@@ same: 2
/// The subgraph from input to first.
namespace subgraph_1 {

constexpr int kInValues = 32;  // of what the array takes or gives: 2x4x4 float32
constexpr int kOutValues = 64;  // of what the array takes or gives: 4x4x4 float32
constexpr int kInWords = 16;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 16;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 128;  // 16 words x 1 streams
constexpr int kOutBytes = 256;  // 16 words
constexpr int kColTiles = 4;  // 16 / 4
@@ same: 2
constexpr int kLanes = 2;  // elements of a word
constexpr int kNextHeight = 4;  // of the convolution's input
constexpr int kNextWidth = 4;  // of the convolution's input

@@ same: 16 in convert_float32.j2, pack_tiles.j2, small_host.cpp
    for (int row = 0; row < kBlockRows; ++row) {
      for (int col = 0; col < kBlockColsWords; ++col) {
        for (int lane = 0; lane < kLanes; ++lane) {
          table.push_back((row * kNextHeight + nt) * kNextWidth + col * kLanes + lane);
@@ same: 8 in pack_tiles.j2
void pack(const float* images, std::size_t count, float* memory) {
@@ same: 3 in pack_tiles.j2
      *memory++ = source < 0 ? float(0.0F) : images[static_cast<std::size_t>(source)];
@@ same: 12 in small_host.cpp, unpack.j2, array_weights.cpp.j2
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(float));
@@ same: 4 in ways.j2
    "mm2s", "s2mm",
    kInValues, kOutValues, kInWords, kOutWords, kInBytes, kOutBytes, to_elements, pack, unpack, to_values
@@ same: 2
}  // namespace subgraph_1

/// The subgraph from soft to act.
namespace subgraph_2 {

constexpr int kInValues = 64;  // of what the array takes or gives: 4x4x4 float32
constexpr int kOutValues = 64;  // of what the array takes or gives: 4x4x4 float32
constexpr int kInWords = 288;  // stream words of an image on each of mm2s_second's streams
constexpr int kOutWords = 16;  // stream words of an image on s2mm_second's stream
constexpr int kInBytes = 2304;  // 288 words x 1 streams
@@ same: 2
constexpr int kDepth = 18;  // 36 / 2
@@ same: 29 in small_host.cpp, between_host.cpp, convert_float32.j2, pack_tiles.j2
          for (int lane = 0; lane < kLanes; ++lane) {
            const int k = kt * kBlockRows + row;
            const int tap = k % kKernelArea;
            const int y = nt + tap / kKernelWidth - kPaddingY;
            const int x = col * kLanes + lane + tap % kKernelWidth - kPaddingX;
            const int channel = k / kKernelArea;
            const bool inside = 0 <= y && y < kNextHeight && 0 <= x && x < kNextWidth;
            table.push_back(inside ? (channel * kNextHeight + y) * kNextWidth + x : -1);
@@ same: 9 in pack_tiles.j2
void pack(const float* images, std::size_t count, float* memory) {
@@ same: 3 in pack_tiles.j2
      *memory++ = source < 0 ? float(0.0F) : images[static_cast<std::size_t>(source)];
@@ same: 12 in small_host.cpp, unpack.j2, array_weights.cpp.j2
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(float));
@@ same: 4 in ways.j2
    "mm2s_second", "s2mm_second",
    kInValues, kOutValues, kInWords, kOutWords, kInBytes, kOutBytes, to_elements, pack, unpack, to_values
@@ same: 2
}  // namespace subgraph_2

@@ same: 19 in subgraph.j2
    std::vector<float> image(static_cast<std::size_t>(way_.in_values));
@@ same: 16 in subgraph.j2
    std::vector<float> result(static_cast<std::size_t>(way_.out_values));
@@ same: 13 in subgraph.j2
  static float* place(std::vector<xrt::bo>& memory, std::size_t bytes, std::size_t i) {
    return memory[i % kCopies].map<float*>() + i / kCopies * (bytes / sizeof(float));
@@ same: 15 in subgraph.j2, device_subgraphs.j2, design_copies.j2
        graph_(device_, uuid_, "between_graph"),
        subgraph_1_(device_, uuid_, batch, subgraph_1::kWay),
        subgraph_2_(device_, uuid_, batch, subgraph_2::kWay) {
    graph_.reset();
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_first_to_output:{pl_first_to_output_1}"));
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_act:{pl_act_1}"));
@@ same: 20 in device_subgraphs.j2, start_frames.j2, wait_frames.j2, subgraph.j2
  /// Runs `count` images from input to first; `results` receives subgraph_1::kOutValues floats for each.
  void run_1(const float* images, std::size_t count, float* results) { subgraph_1_.run(images, count, results); }

  /// Runs `count` images from soft to act; `results` receives subgraph_2::kOutValues floats for each.
  void run_2(const float* images, std::size_t count, float* results) { subgraph_2_.run(images, count, results); }
@@ same: 5 in gemm_array.j2, design_copies.j2
  Subgraph subgraph_1_;
  Subgraph subgraph_2_;
  std::vector<xrt::run> frames_;  // kernels in the logic that keep whole images
@@ same: 32 in convert_float32.j2, processor_network.j2
    design_.start(count);
    std::vector<float> sent;
    sent.resize(count * subgraph_1::kInValues);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const given = layers_[i].before_1(images + i * kImageValues);
      std::copy_n(given, subgraph_1::kInValues, &sent[i * subgraph_1::kInValues]);
    }
    std::vector<float> received_1(count * subgraph_1::kOutValues);
    design_.run_1(sent.data(), count, received_1.data());
    sent.resize(count * subgraph_2::kInValues);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const given = layers_[i].before_2(&received_1[i * subgraph_1::kOutValues]);
      std::copy_n(given, subgraph_2::kInValues, &sent[i * subgraph_2::kInValues]);
    }
    std::vector<float> received_2(count * subgraph_2::kOutValues);
    design_.run_2(sent.data(), count, received_2.data());
    design_.wait();
    for (std::size_t i = 0; i < count; ++i) {
      const float* const result = layers_[i].result(&received_2[i * subgraph_2::kOutValues]);
@@ same: 9 in processor_network.j2
using Value = float;  // of images and results as the program passes them on
@@ same: 83 in host.cpp.j2, serve.j2
      {"input", { 2, 4, 4 }},
@@ same: 2
      {"output", { 4, 4, 4 }},
  };
  Network design(options.xclbin, options.batch);
@@ same: 19 in serve.j2
    if (count == 0 || count > kMostBytes / sizeof(float) / kImageValues) {
      throw UsageError("a request has " + std::to_string(count) + " images: 1 to " +
                       std::to_string(kMostBytes / sizeof(float) / kImageValues) + " are taken at a time");
    }
    values.resize(std::size_t{count} * kImageValues);
@@ same: 5 in serve.j2
    results.resize(std::size_t{count} * kResultValues);
@@ same: 20 in serve.j2, host.cpp.j2
    images = read_elements(options.input, kImageValues, options.elements);
  }
  const std::size_t count = images.size() / kImageValues;
  std::vector<Value> results(count * kResultValues);

  Network design(options.xclbin, std::min(options.batch, count));
@@ same: 23 in host.cpp.j2
  const std::vector<float> golden = options.elements ? values_of(read_images<Value>(options.golden, kResultValues))
                                                     : read_images<float>(options.golden, kResultValues);
@@ same: 19 in host.cpp.j2
