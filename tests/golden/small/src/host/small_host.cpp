@@ sha256: dc72fbf3343cdc9dd4454c7a03e4df95bba2caad0cac8146034e3bfabcfd3b6a
// small_host.cpp: small on the processor.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// Runs small on the board: loads the xclbin, sends images through, compares and times.
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
#include <xrt/xrt_kernel.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
@@ same: 3
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

constexpr const char* kUsage =
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
    "  --serve           take images on standard input and give results on standard output, as session.h does, until it ends\n"
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
  bool serve = false;
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
    if (word == "--elements" || word == "--serve") {
      (word == "--serve" ? options.serve : options.elements) = true;
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
  options.xclbin = files.empty() ? "" : files[0];
  if (options.serve) {
    if (files.size() != 1) {
      throw UsageError("one file is wanted with --serve, XCLBIN");
    }
    return options;
  }
  if (files.size() != 2) {
    throw UsageError("two files are wanted, XCLBIN and INPUT");
  }
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
@@ same: 3
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
@@ same: 3
  ~Power() { stop(); }
  Power(const Power&) = delete;
  Power& operator=(const Power&) = delete;

  /// Ends the sampling and says what it showed.
  void report() {
    stop();
    if (samples_ > 0) {
      std::printf("power: %.2f W on average, %.2f W at most, the sum of %zu rails, %zu samples\n", sum_ / static_cast<double>(samples_),
                  most_, rails_.size(), samples_);
@@ same: 4
  void stop() {
    over_ = true;
    if (thread_.joinable()) {
      thread_.join();
@@ same: 3
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
            }
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
@@ same: 4
/// Takes the results of `count` images out of the device's memory.
void unpack(const float* memory, std::size_t count, float* results) {
  constexpr std::size_t stride = kOutBytes / sizeof(float);
  if (stride == kOutValues) {
    std::memcpy(results, memory, count * kOutBytes);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(results + i * kOutValues, memory + i * stride, kOutValues * sizeof(float));
@@ same: 3
using Element = float;  // in memory

constexpr std::size_t kBuffers = 2;  // batches in flight

/// The device with the design loaded, and buffers for two batches: one that the device works on, one that is taken and filled.
class Design {
 public:
  Design(const std::string& xclbin, std::size_t batch)
      : device_(0),
        uuid_(device_.load_xclbin(xclbin)),
        mm2s_(device_, uuid_, "mm2s:{mm2s_1}"),
        s2mm_(device_, uuid_, "s2mm:{s2mm_1}"),
        graph_(device_, uuid_, "small_graph"),
        batch_(batch) {
    for (std::size_t i = 0; i < kBuffers; ++i) {
      in_.emplace_back(device_, batch * kInBytes, mm2s_.group_id(0));
      out_.emplace_back(device_, batch * kOutBytes, s2mm_.group_id(0));
    }
    graph_.reset();
  }

  /// Runs `count` images in batches, `repeat` times; `results` receives kOutValues elements for each.
  ///
  /// The graph starts once for all of them. While the device works on a batch, the results of the one before are taken and
  /// the next one's images brought; images that a buffer still holds from the last time stay there.
  void run(const Element* images, std::size_t count, Element* results, std::size_t repeat = 1) {
    const std::size_t batches = (count + batch_ - 1) / batch_;
    const std::size_t all = batches * repeat;
    const auto size = [&](std::size_t i) { return std::min(batch_, count - i % batches * batch_); };
    const auto fill = [&](std::size_t i) {
      if (i < all && held_[i % kBuffers] != i % batches) {
        const Stopwatch watch(times_.packing);
        pack_batch(i % kBuffers, images + i % batches * batch_ * kInValues, size(i));
        held_[i % kBuffers] = i % batches;
      }
    };
    held_.fill(batches);
    std::size_t iterations = 0;
    for (std::size_t i = 0; i < batches; ++i) {
      iterations += iterations_of(size(i));
    }
    fill(0);
    graph_.run(static_cast<int>(iterations * repeat));
    for (std::size_t i = 0; i < all; ++i) {
      const Stopwatch watch(times_.device);
      start(i % kBuffers, size(i));
      if (i > 0 && i + batches > all) {
        take(i - 1, batches, size(i - 1), results);
      }
      fill(i + 1);
      wait();
    }
    take(all - 1, batches, size(all - 1), results);
    graph_.wait();
  }

  /// What the runs took.
  const Times& times() const { return times_; }

 private:
  /// How often the graph runs for so many images.
  static std::size_t iterations_of(std::size_t count) { return count; }

  void pack_batch(std::size_t buffer, const Element* images, std::size_t count) {
    pack(images, count, in_[buffer].map<Element*>());
    in_[buffer].sync(XCL_BO_SYNC_BO_TO_DEVICE);
  }

  void unpack_batch(std::size_t buffer, Element* results, std::size_t count) {
    out_[buffer].sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    unpack(out_[buffer].map<Element*>(), count, results);
  }

  void start(std::size_t buffer, std::size_t count) {
    const int iterations = static_cast<int>(count);
    runs_.clear();
    runs_.push_back(s2mm_(out_[buffer], kOutWords, iterations));  // the streams are connected in hardware
    runs_.push_back(mm2s_(in_[buffer], kInWords, iterations));
  }

  /// Waits for the batch that was started.
  void wait() {
    for (xrt::run& each : runs_) {
      each.wait();
@@ same: 3
  /// Takes the results of batch `i` of so many.
  void take(std::size_t i, std::size_t batches, std::size_t count, Element* results) {
    const Stopwatch watch(times_.packing);
    unpack_batch(i % kBuffers, results + i % batches * batch_ * kOutValues, count);
  }

  xrt::device device_;
  xrt::uuid uuid_;
  xrt::kernel mm2s_;
  xrt::kernel s2mm_;
  xrt::graph graph_;
  std::vector<xrt::bo> in_;  // one for each buffer
  std::vector<xrt::bo> out_;
  std::size_t batch_;  // images
  std::array<std::size_t, kBuffers> held_{};  // by buffer: the batch whose images it holds
  Times times_;
  std::vector<xrt::run> runs_;
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

/// Reads so many bytes of standard input; false where it has ended.
bool receive(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t some = read(STDIN_FILENO, at, bytes);
    if (some == 0 || (some < 0 && errno != EINTR)) {
      return false;
    }
    if (some > 0) {
      at += some;
      bytes -= static_cast<std::size_t>(some);
    }
  }
  return true;
}

/// Writes so many bytes; false where nobody reads them.
bool give(int file, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t some = write(file, at, bytes);
    if (some < 0 && errno != EINTR) {
      return false;
    }
    if (some > 0) {
      at += some;
      bytes -= static_cast<std::size_t>(some);
    }
  }
  return true;
}

/// Images from the process that started this one, results to it, until it closes standard input: session.h is the other side.
///
/// First the host says what the design takes: "AIELHOST", then 32-bit numbers: version, images of a batch, rank and sizes of an image, rank
/// and sizes of a result. Then each request is a number of images and their float32 values, each answer a status (0: done), the number of
/// images, and their results; with status 1 the number of bytes of a message, and the message.
int serve(const Options& options) {
  constexpr std::uint32_t kVersion = 1;
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of a request's images
  const int answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what others print does not get between results
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::uint32_t> input = { 2, 6, 6 };
  const std::vector<std::uint32_t> output = { 1, 12, 12 };
  Design design(options.xclbin, options.batch);

  std::vector<std::uint32_t> hello = {kVersion, static_cast<std::uint32_t>(options.batch)};
  for (const std::vector<std::uint32_t>& shape : {input, output}) {
    hello.push_back(static_cast<std::uint32_t>(shape.size()));
    hello.insert(hello.end(), shape.begin(), shape.end());
  }
  bool open = give(answers, "AIELHOST", 8) && give(answers, hello.data(), hello.size() * sizeof hello[0]);
  std::vector<float> values;
  std::vector<Value> images;
  std::vector<Value> results;
  std::uint32_t count = 0;
  while (open && receive(&count, sizeof count)) {
    if (count == 0 || count > kMostBytes / sizeof(float) / kInValues) {
      throw UsageError("a request has " + std::to_string(count) + " images: 1 to " +
                       std::to_string(kMostBytes / sizeof(float) / kInValues) + " are taken at a time");
    }
    values.resize(std::size_t{count} * kInValues);
    if (!receive(values.data(), values.size() * sizeof(float))) {
      throw UsageError("a request ends within its images");
    }
    images.resize(values.size());
    to_elements(values.data(), values.size(), images.data());
    results.resize(std::size_t{count} * kOutValues);
    std::array<std::uint32_t, 2> head = {0, count};
    try {
      design.run(images.data(), count, results.data());
    } catch (const std::exception& error) {
      const std::string told = error.what();
      head = {1, static_cast<std::uint32_t>(told.size())};
      open = give(answers, head.data(), sizeof head) && give(answers, told.data(), told.size());
      continue;
    }
    const std::vector<float> made = values_of(results);
    open = give(answers, head.data(), sizeof head) && give(answers, made.data(), made.size() * sizeof(float));
  }
  return 0;
}

int run(const Options& options) {
  double converting = 0;
  std::vector<Value> images;
  {
    const Stopwatch watch(converting);
    images = read_elements(options.input, kInValues, options.elements);
  }
  const std::size_t count = images.size() / kInValues;
  std::vector<Value> results(count * kOutValues);

  Design design(options.xclbin, std::min(options.batch, count));
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
  const std::vector<float> golden = options.elements ? values_of(read_images<Value>(options.golden, kOutValues))
                                                     : read_images<float>(options.golden, kOutValues);
  const bool passed = verify(values_of(results), golden, options.tolerance);
  std::printf(passed ? "TEST PASSED\n" : "TEST FAILED\n");
  return passed ? 0 : 1;
@@ same: 4
int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    return options.serve ? serve(options) : run(options);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
