@@ sha256: d9636da7a41cbe6c2a185ab243e6c958cd0491676b725559a3f07674404947ad
// small_host.cpp: small on the processor.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// Runs small on the board: loads the xclbin, sends images through, compares and times.
@@ same: 30 in host.cpp.j2
constexpr int kInValues = 72;  // of an input image: 2x6x6 float32
constexpr int kOutValues = 144;  // of an output image: 1x12x12 float32
constexpr int kInWords = 108;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 36;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 2592;  // 108 words x 3 streams
constexpr int kOutBytes = 576;  // 36 words
constexpr int kColTiles = 3;  // 12 / 4
constexpr int kDepth = 9;  // 18 / 2
constexpr int kBlockRows = 2;  // rows of an mmul block
constexpr int kBlockColsWords = 2;  // 4 / 2
constexpr int kStreams = 3;  // one for each group of cores
constexpr int kLanes = 2;  // elements of a word
constexpr int kNextHeight = 6;  // of the convolution's input
constexpr int kNextWidth = 6;  // of the convolution's input
constexpr int kTileN = 12;  // columns of a tile: output pixels
constexpr int kBlockCols = 4;  // columns of an mmul block
constexpr int kWidth = 6;  // of the convolution's output
constexpr int kKernelArea = 9;  // 3 x 3
constexpr int kKernelWidth = 3;  // kernel 3 x 3
constexpr int kPaddingY = 1;  // padding
constexpr int kPaddingX = 1;  // padding

constexpr std::size_t kBatch = 1618;  // images of one: of at most 4 MiB each way, so that starting one is little beside it
@@ same: 2
    "usage: small_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "       small_host XCLBIN --serve [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 2 x 6 x 6 float32 values each, one after another\n"
    "  --output FILE     write the results, 1 x 12 x 12 float32 values an image\n"
    "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
    "  --tolerance X     largest absolute difference that counts as agreement (default 2e-5)\n"
    "  --batch N         images of a batch, of which two are in memory (default 1618)\n"
    "  --repeat N        run all images so often; what fits into two batches stays in memory\n"
    "  --elements        the files hold elements as the device's memory does (float32), not float32\n"
@@ same: 8 in host.cpp.j2
  double tolerance = 2e-5;
@@ same: 196 in host.cpp.j2, convert_float32.j2, pack_tiles.j2
  table.reserve(kInBytes / sizeof(float));
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
@@ same: 10 in pack_tiles.j2
void pack(const float* images, std::size_t count, float* memory) {
@@ same: 3 in pack_tiles.j2
      *memory++ = source < 0 ? float(0.0F) : images[static_cast<std::size_t>(source)];
@@ same: 4
/// Takes the results of `count` images out of the device's memory.
void unpack(const float* memory, std::size_t count, float* results) {
  constexpr std::size_t stride = kOutBytes / sizeof(float);
@@ same: 5 in unpack.j2, array_weights.cpp.j2
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(float));
@@ same: 3
using Element = float;  // in memory

constexpr std::size_t kBuffers = 2;  // batches in flight

@@ same: 8 in design_images.j2
        graph_(device_, uuid_, "small_graph"),
@@ same: 6 in design_images.j2
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_act:{pl_act_1}"));
    frames_.emplace_back(xrt::kernel(device_, uuid_, "pl_shuffle:{pl_shuffle_1}"));
@@ same: 63 in batches.j2, start_frames.j2, wait_frames.j2, gemm_array.j2, network.j2, host.cpp.j2, design_images.j2
    const int iterations = static_cast<int>(count);
    runs_.clear();
@@ same: 28 in design_images.j2, end_batch.j2, gemm_array.j2
  std::vector<xrt::run> frames_;  // kernels in the logic that keep whole images
@@ same: 2
using Value = float;  // of images and results as the program passes them on
@@ same: 83 in host.cpp.j2, serve.j2
      {"input", { 2, 6, 6 }},
@@ same: 2
      {"output", { 1, 12, 12 }},
  };
  Design design(options.xclbin, options.batch);
@@ same: 19 in serve.j2
    if (count == 0 || count > kMostBytes / sizeof(float) / kInValues) {
      throw UsageError("a request has " + std::to_string(count) + " images: 1 to " +
                       std::to_string(kMostBytes / sizeof(float) / kInValues) + " are taken at a time");
    }
    values.resize(std::size_t{count} * kInValues);
@@ same: 5 in serve.j2
    results.resize(std::size_t{count} * kOutValues);
@@ same: 20 in serve.j2, host.cpp.j2
    images = read_elements(options.input, kInValues, options.elements);
  }
  const std::size_t count = images.size() / kInValues;
  std::vector<Value> results(count * kOutValues);

  Design design(options.xclbin, std::min(options.batch, count));
@@ same: 23 in host.cpp.j2
  const std::vector<float> golden = options.elements ? values_of(read_images<Value>(options.golden, kOutValues))
                                                     : read_images<float>(options.golden, kOutValues);
@@ same: 19 in host.cpp.j2
