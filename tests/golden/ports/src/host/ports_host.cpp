@@ sha256: 8dc2a0ee56116848d846bd2ce0ba19efdfc58d44e14cc0f4edef8a7f686d6093
// ports_host.cpp: ports on the processor.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
// Runs ports on the board: loads the xclbin, sends images through, compares and times.
@@ same: 32 in host.cpp.j2
constexpr int kInValues = 108;  // of an input image: 2x6x9 bfloat16
constexpr int kOutValues = 280;  // of an output image: 8x5x7 bfloat16
constexpr int kInWords = 14;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 35;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 224;  // 14 words x 1 streams
constexpr int kOutBytes = 560;  // 35 words

constexpr std::size_t kBatch = 7489;  // images of one: of at most 4 MiB each way, so that starting one is little beside it
@@ same: 2
    "usage: ports_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "       ports_host XCLBIN --serve [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 2 x 6 x 9 float32 values each, one after another\n"
    "  --output FILE     write the results, 8 x 5 x 7 float32 values an image\n"
    "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
    "  --tolerance X     largest absolute difference that counts as agreement (default 0.0078)\n"
    "  --batch N         images of a batch, of which two are in memory (default 7489)\n"
    "  --repeat N        run all images so often; what fits into two batches stays in memory\n"
    "  --elements        the files hold elements as the device's memory does (bfloat16), not float32\n"
@@ same: 8 in host.cpp.j2
  double tolerance = 0.0078;
@@ same: 200 in host.cpp.j2, convert_bfloat16.j2
/// Copies `count` images to the device's memory; the last word of each is filled up with zeros.
void pack(const std::uint16_t* images, std::size_t count, std::uint16_t* memory) {
  constexpr std::size_t stride = kInBytes / sizeof(std::uint16_t);
@@ same: 5 in pack_raster.j2, array_weights.cpp.j2
    std::memcpy(memory + i * stride, images + i * kInValues, kInValues * sizeof(std::uint16_t));
    std::fill(memory + i * stride + kInValues, memory + (i + 1) * stride, std::uint16_t(0));
@@ same: 3
/// Takes the results of `count` images out of the device's memory.
void unpack(const std::uint16_t* memory, std::size_t count, std::uint16_t* results) {
  constexpr std::size_t stride = kOutBytes / sizeof(std::uint16_t);
@@ same: 5 in unpack.j2, array_weights.cpp.j2, pack_raster.j2
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(std::uint16_t));
@@ same: 3
using Element = std::uint16_t;  // in memory
@@ same: 11 in small_host.cpp, design_images.j2
        graph_(device_, uuid_, "ports_graph"),
@@ same: 6 in design_images.j2
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_two_to_output:{pl_two_to_output_1}"));
    send("weights_one:{weights_one_1}", one_table, sizeof one_table, 160);
    send("weights_two:{weights_two_1}", two_table, sizeof two_table, 208);
@@ same: 112 in batches.j2, start_frames.j2, wait_frames.j2, gemm_array.j2, wait_weights.j2, network.j2, host.cpp.j2, send_weights.j2, design_images.j2, small_host.cpp, end_batch.j2
  std::vector<xrt::run> frames_;  // kernels in the logic that keep whole images
  std::vector<Sending> sendings_;
@@ same: 2
using Value = std::uint16_t;  // of images and results as the program passes them on
@@ same: 83 in host.cpp.j2, serve.j2
      {"input", { 2, 6, 9 }},
@@ same: 2
      {"output", { 8, 5, 7 }},
@@ same: 31 in small_host.cpp, serve.j2
    results.resize(std::size_t{count} * kOutValues);
@@ same: 70 in serve.j2, host.cpp.j2, small_host.cpp
