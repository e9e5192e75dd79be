@@ sha256: 1b3b7e747dd64f2ec0166b7f2f0419e2e1b6b94ad5565d3194269187861518f7
// between_host.cpp: between on the processor.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// Runs between on the board: loads the xclbin, sends images through, compares and times.
@@ same: 26

#include "between_host.h"
@@ same: 3
constexpr int kImageValues = 32;  // of an image in the input file: 2x4x4 float32
constexpr int kResultValues = 64;  // of a result in the output file: 4x4x4 float32
constexpr int kCopies = 1;  // of the design, side by side

constexpr std::size_t kBatch = 1820;  // images of one: of at most 4 MiB each way, so that starting one is little beside it

constexpr const char* kUsage =
    "usage: between_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "       between_host XCLBIN --serve [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 2 x 4 x 4 float32 values each, one after another\n"
    "  --output FILE     write the results, 4 x 4 x 4 float32 values an image\n"
    "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
    "  --tolerance X     largest absolute difference that counts as agreement (default 2e-5)\n"
    "  --batch N         images of a batch, of which two are in memory (default 1820)\n"
@@ same: 193
/// How a stretch of the device, the layers between two of the processor's, gets its images, and gives its results.
struct Way {
  const char* mm2s;
  const char* s2mm;
  int in_values;
  int out_values;
  int in_words;
  int out_words;
  std::size_t in_bytes;
  std::size_t out_bytes;
  void (*to_elements)(const float* values, std::size_t count, float* elements);
  void (*pack)(const float* images, std::size_t count, float* memory);
  void (*unpack)(const float* memory, std::size_t count, float* results);
  void (*to_values)(const float* elements, std::size_t count, float* values);
};

/// The stretch from input to first.
namespace stretch_1 {

constexpr int kInValues = 32;  // of what the array takes or gives: 2x4x4 float32
constexpr int kOutValues = 64;  // of what the array takes or gives: 4x4x4 float32
constexpr int kInWords = 16;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 16;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 128;  // 16 words x 1 streams
constexpr int kOutBytes = 256;  // 16 words
constexpr int kColTiles = 4;  // 16 / 4
constexpr int kBlockRows = 2;  // rows of an mmul block
constexpr int kBlockColsWords = 2;  // 4 / 2
constexpr int kLanes = 2;  // elements of a word
constexpr int kNextHeight = 4;  // of the convolution's input
constexpr int kNextWidth = 4;  // of the convolution's input
@@ same: 17
    for (int row = 0; row < kBlockRows; ++row) {
      for (int col = 0; col < kBlockColsWords; ++col) {
        for (int lane = 0; lane < kLanes; ++lane) {
          table.push_back((row * kNextHeight + nt) * kNextWidth + col * kLanes + lane);
@@ same: 29
constexpr Way kWay = {
    "mm2s", "s2mm",
    kInValues, kOutValues, kInWords, kOutWords, kInBytes, kOutBytes, to_elements, pack, unpack, to_values
};

}  // namespace stretch_1

/// The stretch from soft to act.
namespace stretch_2 {

constexpr int kInValues = 64;  // of what the array takes or gives: 4x4x4 float32
constexpr int kOutValues = 64;  // of what the array takes or gives: 4x4x4 float32
constexpr int kInWords = 288;  // stream words of an image on each of mm2s_second's streams
constexpr int kOutWords = 16;  // stream words of an image on s2mm_second's stream
constexpr int kInBytes = 2304;  // 288 words x 1 streams
constexpr int kOutBytes = 256;  // 16 words
constexpr int kColTiles = 4;  // 16 / 4
constexpr int kDepth = 18;  // 36 / 2
constexpr int kBlockRows = 2;  // rows of an mmul block
constexpr int kBlockColsWords = 2;  // 4 / 2
constexpr int kLanes = 2;  // elements of a word
constexpr int kNextHeight = 4;  // of the convolution's input
constexpr int kNextWidth = 4;  // of the convolution's input
@@ same: 24
          for (int lane = 0; lane < kLanes; ++lane) {
            const int k = kt * kBlockRows + row;
            const int tap = k % kKernelArea;
            const int y = nt + tap / kKernelWidth - kPaddingY;
            const int x = col * kLanes + lane + tap % kKernelWidth - kPaddingX;
            const int channel = k / kKernelArea;
            const bool inside = 0 <= y && y < kNextHeight && 0 <= x && x < kNextWidth;
            table.push_back(inside ? (channel * kNextHeight + y) * kNextWidth + x : -1);
@@ same: 30
constexpr Way kWay = {
    "mm2s_second", "s2mm_second",
    kInValues, kOutValues, kInWords, kOutWords, kInBytes, kOutBytes, to_elements, pack, unpack, to_values
};

}  // namespace stretch_2

/// How often each copy of the design runs for `count` images.
std::size_t turns(std::size_t count) { return (count + kCopies - 1) / kCopies; }

/// A stretch's movers, and their buffers for one batch, on each copy of the design.
class Stretch {
 public:
  Stretch(const xrt::device& device, const xrt::uuid& uuid, std::size_t batch, const Way& way) : way_(way) {
    for (std::size_t copy = 0; copy < kCopies; ++copy) {
      mm2s_.emplace_back(device, uuid, unit(way.mm2s, copy));
      s2mm_.emplace_back(device, uuid, unit(way.s2mm, copy));
      in_.emplace_back(device, turns(batch) * way.in_bytes, mm2s_.back().group_id(0));
      out_.emplace_back(device, turns(batch) * way.out_bytes, s2mm_.back().group_id(0));
@@ same: 3
  /// Takes `count` images through; `results` receives way.out_values floats for each. Copy c takes images c, c + kCopies,
  /// ...; all copies run equally often, some the last image again: what that gives is dropped.
  void run(const float* images, std::size_t count, float* results) {
    const int iterations = static_cast<int>(turns(count));
    std::vector<float> image(static_cast<std::size_t>(way_.in_values));
    for (std::size_t i = 0; i < turns(count) * kCopies; ++i) {
      way_.to_elements(images + std::min(i, count - 1) * image.size(), image.size(), image.data());
      way_.pack(image.data(), 1, place(in_, way_.in_bytes, i));
    }
    std::vector<xrt::run> runs;
    for (std::size_t copy = 0; copy < kCopies; ++copy) {
      in_[copy].sync(XCL_BO_SYNC_BO_TO_DEVICE);
      runs.push_back(s2mm_[copy](out_[copy], way_.out_words, iterations));  // the streams are connected in hardware
      runs.push_back(mm2s_[copy](in_[copy], way_.in_words, iterations));
    }
    for (xrt::run& each : runs) {
      each.wait();
    }
    for (xrt::bo& out : out_) {
      out.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    }
    std::vector<float> result(static_cast<std::size_t>(way_.out_values));
    for (std::size_t i = 0; i < count; ++i) {
      way_.unpack(place(out_, way_.out_bytes, i), 1, result.data());
      way_.to_values(result.data(), result.size(), results + i * result.size());
@@ same: 4
  /// The name of a kernel's compute unit in a copy of the design.
  static std::string unit(const std::string& kernel, std::size_t copy) {
    return kernel + ":{" + kernel + "_" + std::to_string(copy + 1) + "}";
  }

  /// Where image `i` of `bytes` lies.
  static float* place(std::vector<xrt::bo>& memory, std::size_t bytes, std::size_t i) {
    return memory[i % kCopies].map<float*>() + i / kCopies * (bytes / sizeof(float));
  }

  Way way_;
  std::vector<xrt::kernel> mm2s_;
  std::vector<xrt::kernel> s2mm_;
  std::vector<xrt::bo> in_;
  std::vector<xrt::bo> out_;
};

/// The device with the design loaded, and its stretches.
@@ same: 5
        graph_(device_, uuid_, "between_graph"),
        stretch_1_(device_, uuid_, batch, stretch_1::kWay),
        stretch_2_(device_, uuid_, batch, stretch_2::kWay) {
@@ same: 3
  /// Lets the cores begin to work on `count` images: those of each stretch wait for what it is given.
  void start(std::size_t count) { graph_.run(static_cast<int>(turns(count))); }

  /// Waits until the images have gone through all stretches.
  void wait() {
@@ same: 3
  /// Runs `count` images from input to first; `results` receives stretch_1::kOutValues floats for each.
  void run_1(const float* images, std::size_t count, float* results) { stretch_1_.run(images, count, results); }

  /// Runs `count` images from soft to act; `results` receives stretch_2::kOutValues floats for each.
  void run_2(const float* images, std::size_t count, float* results) { stretch_2_.run(images, count, results); }

 private:
  xrt::device device_;
  xrt::uuid uuid_;
  xrt::graph graph_;
  Stretch stretch_1_;
  Stretch stretch_2_;
@@ same: 12
/// The network: the device, with the layers on the processor before and behind what it computes.
class Network {
 public:
  Network(const std::string& xclbin, std::size_t batch) : design_(xclbin, batch), layers_(batch) {}

  /// Runs `count` images batch by batch, `repeat` times; `results` receives kResultValues floats for each.
  void run(const float* images, std::size_t count, float* results, std::size_t repeat = 1) {
    for (std::size_t again = 0; again < repeat; ++again) {
      for (std::size_t i = 0; i < count; i += layers_.size()) {
        const Stopwatch watch(times_.device);
        run_batch(images + i * kImageValues, std::min(layers_.size(), count - i), results + i * kResultValues);
@@ same: 4
  /// What the runs took, the layers on the processor and the device one after another.
@@ same: 3
  void run_batch(const float* images, std::size_t count, float* results) {
    design_.start(count);
    std::vector<float> sent;
    sent.resize(count * stretch_1::kInValues);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const given = layers_[i].before_1(images + i * kImageValues);
      std::copy_n(given, stretch_1::kInValues, &sent[i * stretch_1::kInValues]);
    }
    std::vector<float> received_1(count * stretch_1::kOutValues);
    design_.run_1(sent.data(), count, received_1.data());
    sent.resize(count * stretch_2::kInValues);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const given = layers_[i].before_2(&received_1[i * stretch_1::kOutValues]);
      std::copy_n(given, stretch_2::kInValues, &sent[i * stretch_2::kInValues]);
    }
    std::vector<float> received_2(count * stretch_2::kOutValues);
    design_.run_2(sent.data(), count, received_2.data());
    design_.wait();
    for (std::size_t i = 0; i < count; ++i) {
      const float* const result = layers_[i].result(&received_2[i * stretch_2::kOutValues]);
      std::copy_n(result, kResultValues, results + i * kResultValues);
@@ same: 3
  Design design_;
  std::vector<processor::Layers> layers_;  // of each image of a batch
  Times times_;
@@ same: 83
  const std::vector<std::uint32_t> input = { 2, 4, 4 };
  const std::vector<std::uint32_t> output = { 4, 4, 4 };
  Network design(options.xclbin, options.batch);
@@ same: 12
    if (count == 0 || count > kMostBytes / sizeof(float) / kImageValues) {
      throw UsageError("a request has " + std::to_string(count) + " images: 1 to " +
                       std::to_string(kMostBytes / sizeof(float) / kImageValues) + " are taken at a time");
    }
    values.resize(std::size_t{count} * kImageValues);
@@ same: 5
    results.resize(std::size_t{count} * kResultValues);
@@ same: 20
    images = read_elements(options.input, kImageValues, options.elements);
  }
  const std::size_t count = images.size() / kImageValues;
  std::vector<Value> results(count * kResultValues);

  Network design(options.xclbin, std::min(options.batch, count));
@@ same: 23
  const std::vector<float> golden = options.elements ? values_of(read_images<Value>(options.golden, kResultValues))
                                                     : read_images<float>(options.golden, kResultValues);
@@ same: 19
