@@ sha256: ed77890d38312c6e9508dad4c66d682279a7255b85576a16d2b7bcad00d73645
// split_host.cpp: split on the processor.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// Runs split on the board: loads the xclbin, sends images through, compares and times.
@@ same: 30 in host.cpp.j2
constexpr int kInValues = 35;  // of an input image: 1x5x7 float32
constexpr int kOutValues = 63;  // of an output image: 3x3x7 float32
constexpr int kInWords = 9;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 16;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 144;  // 9 words x 1 streams
constexpr int kOutBytes = 256;  // 16 words

constexpr std::size_t kBatch = 16384;  // images of one: of at most 4 MiB each way, so that starting one is little beside it
@@ same: 2
    "usage: split_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "       split_host XCLBIN --serve [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 1 x 5 x 7 float32 values each, one after another\n"
    "  --output FILE     write the results, 3 x 3 x 7 float32 values an image\n"
@@ same: 2
    "  --batch N         images of a batch, of which two are in memory (default 16384)\n"
@@ same: 10 in small_host.cpp, host.cpp.j2
  double tolerance = 2e-5;
@@ same: 192 in host.cpp.j2, convert_float32.j2
/// Copies `count` images to the device's memory; the last word of each is filled up with zeros.
void pack(const float* images, std::size_t count, float* memory) {
  constexpr std::size_t stride = kInBytes / sizeof(float);
@@ same: 5 in pack_raster.j2, array_weights.cpp.j2
    std::memcpy(memory + i * stride, images + i * kInValues, kInValues * sizeof(float));
    std::fill(memory + i * stride + kInValues, memory + (i + 1) * stride, float(0.0F));
@@ same: 11 in small_host.cpp, unpack.j2, array_weights.cpp.j2, pack_raster.j2
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(float));
@@ same: 15 in small_host.cpp, design_images.j2
        graph_(device_, uuid_, "split_graph"),
@@ same: 6 in design_images.j2
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_start:{pl_start_1}"));
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_wide_to_last:{pl_wide_to_last_1}"));
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_last_to_output:{pl_last_to_output_1}"));
@@ same: 93 in batches.j2, start_frames.j2, wait_frames.j2, gemm_array.j2, network.j2, host.cpp.j2, design_images.j2, small_host.cpp, end_batch.j2
  std::vector<xrt::run> frames_;  // kernels in the logic that keep whole images
@@ same: 2
using Value = float;  // of images and results as the program passes them on
@@ same: 83 in host.cpp.j2, serve.j2
      {"input", { 1, 5, 7 }},
@@ same: 2
      {"output", { 3, 3, 7 }},
@@ same: 31 in small_host.cpp, serve.j2
    results.resize(std::size_t{count} * kOutValues);
@@ same: 70 in serve.j2, host.cpp.j2, small_host.cpp
