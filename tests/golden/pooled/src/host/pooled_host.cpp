@@ sha256: 1b1c22349fcbb7d2c4176865f07eae805a3f9eb0e30af882f8af16cfa9fb7ac7
// pooled_host.cpp: pooled on the processor.
// Made by aieloom 0.1.0 from pooled's network.yaml; edit that and run: doit gen project=pooled
// Runs pooled on the board: loads the xclbin, sends images through, compares and times.
@@ same: 32 in host.cpp.j2
constexpr int kInValues = 144;  // of an input image: 2x8x9 bfloat16
constexpr int kOutValues = 96;  // of an output image: 8x4x3 bfloat16
constexpr int kInWords = 144;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 12;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 1152;  // 144 words x 1 streams
constexpr int kOutBytes = 192;  // 12 words
constexpr int kColTiles = 72;  // 72 / 1
constexpr int kBlockRowsWords = 2;  // 8 / 4
constexpr int kLanes = 4;  // elements of a word
constexpr int kTaps = 2;  // inputs of one output
constexpr int kNextChannels = 2;  // of the convolution's input
constexpr int kNextHeight = 8;  // of the convolution's input
constexpr int kWidth = 9;  // of the convolution's output
constexpr int kNextWidth = 9;  // of the convolution's input

constexpr std::size_t kBatch = 3640;  // images of one: of at most 4 MiB each way, so that starting one is little beside it
@@ same: 2
    "usage: pooled_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "       pooled_host XCLBIN --serve [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 2 x 8 x 9 float32 values each, one after another\n"
    "  --output FILE     write the results, 8 x 4 x 3 float32 values an image\n"
    "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
    "  --tolerance X     largest absolute difference that counts as agreement (default 0.012)\n"
    "  --batch N         images of a batch, of which two are in memory (default 3640)\n"
@@ same: 10 in ports_host.cpp, host.cpp.j2
  double tolerance = 0.012;
@@ same: 204 in host.cpp.j2, convert_bfloat16.j2, pack_tiles.j2
  table.reserve(kInBytes / sizeof(std::uint16_t));
  for (int nt = 0; nt < kColTiles; ++nt) {
    for (int row = 0; row < kBlockRowsWords; ++row) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const int k = row * kLanes + lane;
        const int y = nt / kWidth;
        const int x = nt % kWidth;
        const bool inside = k < kTaps && k < kNextChannels;
        table.push_back(inside ? (k * kNextHeight + y) * kNextWidth + x : -1);
@@ same: 7 in pack_tiles.j2
void pack(const std::uint16_t* images, std::size_t count, std::uint16_t* memory) {
@@ same: 3 in pack_tiles.j2
      *memory++ = source < 0 ? std::uint16_t(0) : images[static_cast<std::size_t>(source)];
@@ same: 12 in ports_host.cpp, unpack.j2, array_weights.cpp.j2
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(std::uint16_t));
@@ same: 3
using Element = std::uint16_t;  // in memory
@@ same: 11 in small_host.cpp, design_images.j2
        graph_(device_, uuid_, "pooled_graph"),
@@ same: 6 in design_images.j2
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_two_to_output:{pl_two_to_output_1}"));
    send("weights_one:{weights_one_1}", one_table, sizeof one_table, 32);
@@ same: 116 in batches.j2, start_frames.j2, wait_frames.j2, gemm_array.j2, wait_weights.j2, network.j2, host.cpp.j2, send_weights.j2, design_images.j2, small_host.cpp, end_batch.j2, ports_host.cpp
using Value = std::uint16_t;  // of images and results as the program passes them on
@@ same: 83 in host.cpp.j2, serve.j2
      {"input", { 2, 8, 9 }},
@@ same: 2
      {"output", { 8, 4, 3 }},
@@ same: 31 in small_host.cpp, serve.j2
    results.resize(std::size_t{count} * kOutValues);
@@ same: 70 in serve.j2, host.cpp.j2, small_host.cpp
