@@ sha256: ab2193a8183f853f4ee71293122542c2f8394c05e534e21f983d6b2221f7f5d2
// split_host.cpp: split on the processor.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// Runs split on the board: loads the xclbin, sends images through, compares and times.
@@ same: 29
constexpr int kInValues = 35;  // of an input image: 1x5x7 float32
constexpr int kOutValues = 63;  // of an output image: 3x3x7 float32
constexpr int kInWords = 9;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 16;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 144;  // 9 words x 1 streams
constexpr int kOutBytes = 256;  // 16 words

constexpr std::size_t kBatch = 16384;  // images of one: of at most 4 MiB each way, so that starting one is little beside it

constexpr const char* kUsage =
    "usage: split_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "       split_host XCLBIN --serve [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 1 x 5 x 7 float32 values each, one after another\n"
    "  --output FILE     write the results, 3 x 3 x 7 float32 values an image\n"
    "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
    "  --tolerance X     largest absolute difference that counts as agreement (default 2e-5)\n"
    "  --batch N         images of a batch, of which two are in memory (default 16384)\n"
@@ same: 203
/// Copies `count` images to the device's memory; the last word of each is filled up with zeros.
void pack(const float* images, std::size_t count, float* memory) {
  constexpr std::size_t stride = kInBytes / sizeof(float);
  if (stride == kInValues) {
    std::memcpy(memory, images, count * kInBytes);
@@ same: 3
    std::memcpy(memory + i * stride, images + i * kInValues, kInValues * sizeof(float));
    std::fill(memory + i * stride + kInValues, memory + (i + 1) * stride, float(0.0F));
@@ same: 27
        graph_(device_, uuid_, "split_graph"),
@@ same: 174
  const std::vector<std::uint32_t> input = { 1, 5, 7 };
  const std::vector<std::uint32_t> output = { 3, 3, 7 };
@@ same: 94
