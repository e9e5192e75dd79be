// between_host.cpp: between on the processor.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// Runs between on the board: loads the xclbin, sends images through, compares and times.
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
#include <xrt/xrt_kernel.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "between_host.h"

namespace {

constexpr int kImageValues = 32;  // of an image in the input file: 2x4x4 float32
constexpr int kResultValues = 64;  // of a result in the output file: 4x4x4 float32
constexpr int kCopies = 1;  // of the design, side by side

constexpr std::size_t kBatch = 1820;  // images of one: of at most 4 MiB each way, so that starting one is little beside it

constexpr const char* kUsage =
    "usage: between_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 2 x 4 x 4 float32 values each, one after another\n"
    "  --output FILE     write the results, 4 x 4 x 4 float32 values an image\n"
    "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
    "  --tolerance X     largest absolute difference that counts as agreement (default 2e-5)\n"
    "  --batch N         images of a batch, of which two are in memory (default 1820)\n"
    "  --repeat N        run all images so often; what fits into two batches stays in memory\n"
    "  --elements        the files hold elements as the device's memory does (float32), not float32\n"
    "  --power FOLDER    where sensors are looked for (default /sys/class/hwmon)\n";

struct Options {
  std::string xclbin;
  std::string input;
  std::string output;
  std::string golden;
  double tolerance = 2e-5;
  std::size_t batch = kBatch;
  std::size_t repeat = 1;
  bool elements = false;
  std::string power = "/sys/class/hwmon";
};

/// A mistake in the command line or in a file that it names.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double number(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0)) {
    throw UsageError(option + " wants a number that is not negative, not '" + text + "'");
  }
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      files.push_back(word);
      continue;
    }
    if (word == "--elements") {
      options.elements = true;
      continue;
    }
    if (i + 1 == argc) {
      throw UsageError(word + " wants a value");
    }
    const std::string value = argv[++i];
    if (word == "--output") {
      options.output = value;
    } else if (word == "--golden") {
      options.golden = value;
    } else if (word == "--tolerance") {
      options.tolerance = number(word, value);
    } else if (word == "--batch") {
      options.batch = std::max<std::size_t>(1, static_cast<std::size_t>(number(word, value)));
    } else if (word == "--repeat") {
      options.repeat = std::max<std::size_t>(1, static_cast<std::size_t>(number(word, value)));
    } else if (word == "--power") {
      options.power = value;
    } else {
      throw UsageError("there is no option " + word);
    }
  }
  if (files.size() != 2) {
    throw UsageError("two files are wanted, XCLBIN and INPUT");
  }
  options.xclbin = files[0];
  options.input = files[1];
  return options;
}

/// Reads a file of images, `values` of type T each.
template <typename T>
std::vector<T> read_images(const std::string& path, std::size_t values) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    throw UsageError("cannot read " + path);
  }
  const auto bytes = static_cast<std::size_t>(file.tellg());
  const std::size_t image = values * sizeof(T);
  if (bytes == 0 || bytes % image != 0) {
    throw UsageError(path + " has " + std::to_string(bytes) + " bytes, not a multiple of the " +
                     std::to_string(image) + " of an image");
  }
  std::vector<T> images(bytes / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(images.data()), static_cast<std::streamsize>(bytes));
  if (!file) {
    throw UsageError("cannot read " + path);
  }
  return images;
}

template <typename T>
void write_images(const std::string& path, const std::vector<T>& images) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(images.data()), static_cast<std::streamsize>(images.size() * sizeof(T)));
  file.close();
  if (!file) {
    throw UsageError("cannot write " + path);
  }
}

using Clock = std::chrono::steady_clock;

/// Seconds of a run: from the movers' starts to the end of waiting for them, and of bringing images and taking results.
struct Times {
  double device = 0;
  double packing = 0;
};

/// Adds the time until its end to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  Clock::time_point begin_ = Clock::now();
};

/// Samples the board's power sensors while it lives: the INA226 of each rail as Linux shows it, in microwatts.
class Power {
 public:
  explicit Power(const std::string& folder) {
    std::error_code none;
    for (const auto& sensor : std::filesystem::directory_iterator(folder, none)) {
      std::ifstream name(sensor.path() / "name");
      std::string chip;
      if (name >> chip && chip.rfind("ina2", 0) == 0) {
        rails_.push_back(sensor.path() / "power1_input");
      }
    }
    if (!rails_.empty()) {
      thread_ = std::thread([this] { sample(); });
    }
  }

  ~Power() { stop(); }
  Power(const Power&) = delete;
  Power& operator=(const Power&) = delete;

  /// Ends the sampling and says what it showed.
  void report() {
    stop();
    if (samples_ > 0) {
      std::printf("power: %.2f W on average, %.2f W at most, the sum of %zu rails, %zu samples\n", sum_ / static_cast<double>(samples_),
                  most_, rails_.size(), samples_);
    }
  }

 private:
  void stop() {
    over_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  void sample() {
    do {
      double watts = 0;
      for (const std::filesystem::path& rail : rails_) {
        double microwatts = 0;
        std::ifstream(rail) >> microwatts;
        watts += microwatts * 1e-6;
      }
      sum_ += watts;
      most_ = std::max(most_, watts);
      ++samples_;
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
    } while (!over_);
  }

  std::vector<std::filesystem::path> rails_;
  std::thread thread_;
  std::atomic<bool> over_{false};
  double sum_ = 0;
  double most_ = 0;
  std::size_t samples_ = 0;
};

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

/// Copies values, as memory holds them.
void to_elements(const float* values, std::size_t count, float* elements) {
  std::memcpy(elements, values, count * sizeof(float));
}

/// Copies elements: they are values.
void to_values(const float* elements, std::size_t count, float* values) {
  std::memcpy(values, elements, count * sizeof(float));
}

/// For every element of an image's memory, which input value it is, or -1 for what means 0.
/// Memory holds word i of all streams together; each stream carries what one group of cores reads.
std::vector<std::int32_t> sources() {
  std::vector<std::int32_t> table;
  table.reserve(kInBytes / sizeof(float));
  for (int nt = 0; nt < kColTiles; ++nt) {
    for (int row = 0; row < kBlockRows; ++row) {
      for (int col = 0; col < kBlockColsWords; ++col) {
        for (int lane = 0; lane < kLanes; ++lane) {
          table.push_back((row * kNextHeight + nt) * kNextWidth + col * kLanes + lane);
        }
      }
    }
  }
  return table;
}

/// Tiles `count` images for the first layer's input streams.
void pack(const float* images, std::size_t count, float* memory) {
  static const std::vector<std::int32_t> table = sources();
  for (std::size_t i = 0; i < count; ++i, images += kInValues) {
    for (const std::int32_t source : table) {
      *memory++ = source < 0 ? float(0.0F) : images[static_cast<std::size_t>(source)];
    }
  }
}

/// Takes the results of `count` images out of the device's memory.
void unpack(const float* memory, std::size_t count, float* results) {
  constexpr std::size_t stride = kOutBytes / sizeof(float);
  if (stride == kOutValues) {
    std::memcpy(results, memory, count * kOutBytes);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(float));
  }
}

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
constexpr int kKernelArea = 9;  // 3 x 3
constexpr int kKernelWidth = 3;  // kernel 3 x 3
constexpr int kPaddingY = 1;  // padding
constexpr int kPaddingX = 1;  // padding

/// Copies values, as memory holds them.
void to_elements(const float* values, std::size_t count, float* elements) {
  std::memcpy(elements, values, count * sizeof(float));
}

/// Copies elements: they are values.
void to_values(const float* elements, std::size_t count, float* values) {
  std::memcpy(values, elements, count * sizeof(float));
}

/// For every element of an image's memory, which input value it is, or -1 for what means 0.
/// Memory holds word i of all streams together; each stream carries what one group of cores reads.
std::vector<std::int32_t> sources() {
  std::vector<std::int32_t> table;
  table.reserve(kInBytes / sizeof(float));
  for (int nt = 0; nt < kColTiles; ++nt) {
    for (int kt = 0; kt < kDepth; ++kt) {
      for (int row = 0; row < kBlockRows; ++row) {
        for (int col = 0; col < kBlockColsWords; ++col) {
          for (int lane = 0; lane < kLanes; ++lane) {
            const int k = kt * kBlockRows + row;
            const int tap = k % kKernelArea;
            const int y = nt + tap / kKernelWidth - kPaddingY;
            const int x = col * kLanes + lane + tap % kKernelWidth - kPaddingX;
            const int channel = k / kKernelArea;
            const bool inside = 0 <= y && y < kNextHeight && 0 <= x && x < kNextWidth;
            table.push_back(inside ? (channel * kNextHeight + y) * kNextWidth + x : -1);
          }
        }
      }
    }
  }
  return table;
}

/// Tiles `count` images for the first layer's input streams.
void pack(const float* images, std::size_t count, float* memory) {
  static const std::vector<std::int32_t> table = sources();
  for (std::size_t i = 0; i < count; ++i, images += kInValues) {
    for (const std::int32_t source : table) {
      *memory++ = source < 0 ? float(0.0F) : images[static_cast<std::size_t>(source)];
    }
  }
}

/// Takes the results of `count` images out of the device's memory.
void unpack(const float* memory, std::size_t count, float* results) {
  constexpr std::size_t stride = kOutBytes / sizeof(float);
  if (stride == kOutValues) {
    std::memcpy(results, memory, count * kOutBytes);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(float));
  }
}

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
    }
  }

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
    }
  }

 private:
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
class Design {
 public:
  Design(const std::string& xclbin, std::size_t batch)
      : device_(0),
        uuid_(device_.load_xclbin(xclbin)),
        graph_(device_, uuid_, "between_graph"),
        stretch_1_(device_, uuid_, batch, stretch_1::kWay),
        stretch_2_(device_, uuid_, batch, stretch_2::kWay) {
    graph_.reset();
  }

  /// Lets the cores begin to work on `count` images: those of each stretch wait for what it is given.
  void start(std::size_t count) { graph_.run(static_cast<int>(turns(count))); }

  /// Waits until the images have gone through all stretches.
  void wait() {
    graph_.wait();
  }

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
};

/// Copies values, as memory holds them.
void to_elements(const float* values, std::size_t count, float* elements) {
  std::memcpy(elements, values, count * sizeof(float));
}

/// Copies elements: they are values.
void to_values(const float* elements, std::size_t count, float* values) {
  std::memcpy(values, elements, count * sizeof(float));
}

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
      }
    }
  }

  /// What the runs took, the layers on the processor and the device one after another.
  const Times& times() const { return times_; }

 private:
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
    }
  }

  Design design_;
  std::vector<processor::Layers> layers_;  // of each image of a batch
  Times times_;
};

using Value = float;  // of images and results as the program passes them on

/// Reads a file of values or of elements; returns elements.
std::vector<Value> read_elements(const std::string& path, std::size_t values, bool elements) {
  if (elements) {
    return read_images<Value>(path, values);
  }
  const std::vector<float> images = read_images<float>(path, values);
  std::vector<Value> made(images.size());
  to_elements(images.data(), images.size(), made.data());
  return made;
}

/// Returns results as values.
std::vector<float> values_of(const std::vector<Value>& results) {
  std::vector<float> made(results.size());
  to_values(results.data(), results.size(), made.data());
  return made;
}

/// Compares results with the expected ones and says how they agree; returns whether they do.
bool verify(const std::vector<float>& results, const std::vector<float>& golden, double tolerance) {
  if (results.size() != golden.size()) {
    std::printf("the golden file has %zu values, the results are %zu\n", golden.size(), results.size());
    return false;
  }
  double worst = 0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double error = std::fabs(static_cast<double>(results[i]) - golden[i]);
    worst = error <= worst ? worst : error;  // keeps a NaN
    different += results[i] == golden[i] ? 0 : 1;
  }
  std::printf("largest difference %.3g (at most %.3g), %zu of %zu values differ\n", worst, tolerance, different,
              results.size());
  return worst <= tolerance;
}

int run(const Options& options) {
  double converting = 0;
  std::vector<Value> images;
  {
    const Stopwatch watch(converting);
    images = read_elements(options.input, kImageValues, options.elements);
  }
  const std::size_t count = images.size() / kImageValues;
  std::vector<Value> results(count * kResultValues);

  Network design(options.xclbin, std::min(options.batch, count));
  double seconds = 0;
  Power power(options.power);
  {
    const Stopwatch watch(seconds);
    design.run(images.data(), count, results.data(), options.repeat);
  }
  power.report();
  const double all = static_cast<double>(count * options.repeat);
  const Times& times = design.times();
  std::printf("%.0f images in %.3f s: %.1f images/s\n", all, seconds, all / seconds);
  std::printf("from start to wait %.3f s: %.1f images/s; packing %.3f s; read and converted in %.3f s\n",
              times.device, all / times.device, times.packing, converting);

  if (!options.output.empty()) {
    if (options.elements) {
      write_images(options.output, results);
    } else {
      write_images(options.output, values_of(results));
    }
  }
  if (options.golden.empty()) {
    return 0;
  }
  const std::vector<float> golden = options.elements ? values_of(read_images<Value>(options.golden, kResultValues))
                                                     : read_images<float>(options.golden, kResultValues);
  const bool passed = verify(values_of(results), golden, options.tolerance);
  std::printf(passed ? "TEST PASSED\n" : "TEST FAILED\n");
  return passed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
