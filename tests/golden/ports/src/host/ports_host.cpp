@@ sha256: 55975857e28c70df45590d965137c43d6f160a4e1769c400c02f4bc32178d48e
// ports_host.cpp: ports on the processor.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
// Runs ports on the board: loads the xclbin, sends images through, compares and times.
@@ same: 26

#include "weights.h"
@@ same: 3
constexpr int kInValues = 108;  // of an input image: 2x6x9 bfloat16
constexpr int kOutValues = 280;  // of an output image: 8x5x7 bfloat16
constexpr int kInWords = 14;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 35;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 224;  // 14 words x 1 streams
constexpr int kOutBytes = 560;  // 35 words

constexpr std::size_t kBatch = 7489;  // images of one: of at most 4 MiB each way, so that starting one is little beside it

constexpr const char* kUsage =
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
@@ same: 8
  double tolerance = 0.0078;
@@ same: 182
/// Makes elements of values: the nearest bfloat16, halves to even; NaN stays NaN.
void to_elements(const float* values, std::size_t count, std::uint16_t* elements) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    elements[i] = static_cast<std::uint16_t>(std::isnan(values[i]) ? (bits >> 16) | 0x40U : rounded);
@@ same: 3
/// Makes values of elements.
void to_values(const std::uint16_t* elements, std::size_t count, float* values) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(elements[i]) << 16;
    std::memcpy(values + i, &bits, sizeof bits);
@@ same: 3
/// Copies `count` images to the device's memory; the last word of each is filled up with zeros.
void pack(const std::uint16_t* images, std::size_t count, std::uint16_t* memory) {
  constexpr std::size_t stride = kInBytes / sizeof(std::uint16_t);
  if (stride == kInValues) {
    std::memcpy(memory, images, count * kInBytes);
@@ same: 3
    std::memcpy(memory + i * stride, images + i * kInValues, kInValues * sizeof(std::uint16_t));
    std::fill(memory + i * stride + kInValues, memory + (i + 1) * stride, std::uint16_t(0));
@@ same: 3
/// Takes the results of `count` images out of the device's memory.
void unpack(const std::uint16_t* memory, std::size_t count, std::uint16_t* results) {
  constexpr std::size_t stride = kOutBytes / sizeof(std::uint16_t);
@@ same: 5
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(std::uint16_t));
@@ same: 3
using Element = std::uint16_t;  // in memory
@@ same: 11
        graph_(device_, uuid_, "ports_graph"),
@@ same: 6
    send("weights_one:{weights_one_1}", one_table, sizeof one_table, 160);
    send("weights_two:{weights_two_1}", two_table, sizeof two_table, 208);
@@ same: 35
    for (Sending& sending : sendings_) {
      sending.run.wait();  // the cores have their weights
    }
    sendings_.clear();
@@ same: 6
  /// Weights on their way, with the memory that holds them.
  struct Sending {
    xrt::bo memory;
    xrt::run run;
  };

  /// Starts a kernel that sends weights: `words` on each of its streams.
  void send(const std::string& kernel, const std::uint64_t* table, std::size_t bytes, int words) {
    xrt::kernel sender(device_, uuid_, kernel);
    xrt::bo memory(device_, bytes, sender.group_id(0));
    std::memcpy(memory.map<std::uint64_t*>(), table, bytes);
    memory.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    sendings_.push_back({memory, sender(memory, words, 1)});
  }

@@ same: 44
  std::vector<Sending> sendings_;
};

using Value = std::uint16_t;  // of images and results as the program passes them on
@@ same: 80
  const std::vector<std::uint32_t> input = { 2, 6, 9 };
  const std::vector<std::uint32_t> output = { 8, 5, 7 };
@@ same: 94
