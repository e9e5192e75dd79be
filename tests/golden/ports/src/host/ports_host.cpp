// ports_host.cpp: ports on the processor.
// Made by aieloom 0.1.0 from ports's network.yaml; edit that and run: doit gen project=ports
// Runs ports on the board: loads the xclbin, sends images through, compares and times.
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_graph.h>
#include <xrt/xrt_kernel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "weights.h"

namespace {

constexpr int kInValues = 108;  // of an input image: 2x6x9 bfloat16
constexpr int kOutValues = 280;  // of an output image: 8x5x7 bfloat16
constexpr int kInWords = 108;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 35;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 864;  // 108 words x 1 streams
constexpr int kOutBytes = 560;  // 35 words
constexpr int kStreams = 1;  // groups of cores, each with a stream
constexpr int kLanes = 4;  // elements of a stream word
constexpr int kRounds = 1;  // tiles that each group works on, one after another
constexpr int kPasses = 1;  // tiles along K = 2
constexpr int kTileK = 8;  // rows of a tile: inputs of one output
constexpr int kTileN = 54;  // columns of a tile: output pixels
constexpr int kBlockRows = 8;  // rows of an mmul block
constexpr int kBlockCols = 1;  // columns of an mmul block
constexpr int kColTiles = 54;  // 54 / 1
constexpr int kDepth = 1;  // 8 / 8
constexpr int kHeight = 6;  // of the convolution's input
constexpr int kWidth = 9;  // of the convolution's input
constexpr int kConvWidth = 9;  // of the convolution's output
constexpr int kPixels = 54;  // 6 x 9
constexpr int kKernelWidth = 1;  // kernel 1 x 1
constexpr int kKernelArea = 1;  // 1 x 1
constexpr int kTaps = 2;  // inputs of one output: 2 x 1 x 1
constexpr int kStrideY = 1;  // stride
constexpr int kStrideX = 1;  // stride
constexpr int kPaddingY = 0;  // padding
constexpr int kPaddingX = 0;  // padding

constexpr const char* kUsage =
    "usage: ports_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 2 x 6 x 9 float32 values each, one after another\n"
    "  --output FILE     write the results, 8 x 5 x 7 float32 values an image\n"
    "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
    "  --tolerance X     largest absolute difference that counts as agreement (default 2e-5)\n"
    "  --batch N         images in memory at a time (default 256)\n";

struct Options {
  std::string xclbin;
  std::string input;
  std::string output;
  std::string golden;
  double tolerance = 2e-5;
  std::size_t batch = 256;
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

/// Reads a file of float32 images, `values` each.
std::vector<float> read_images(const std::string& path, std::size_t values) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    throw UsageError("cannot read " + path);
  }
  const auto bytes = static_cast<std::size_t>(file.tellg());
  const std::size_t image = values * sizeof(float);
  if (bytes == 0 || bytes % image != 0) {
    throw UsageError(path + " has " + std::to_string(bytes) + " bytes, not a multiple of the " +
                     std::to_string(image) + " of an image");
  }
  std::vector<float> images(bytes / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(images.data()), static_cast<std::streamsize>(bytes));
  if (!file) {
    throw UsageError("cannot read " + path);
  }
  return images;
}

void write_images(const std::string& path, const std::vector<float>& images) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(images.data()), static_cast<std::streamsize>(images.size() * sizeof(float)));
  file.close();
  if (!file) {
    throw UsageError("cannot write " + path);
  }
}

/// Makes elements of an image's values: the nearest bfloat16, halves to even; NaN stays NaN.
void to_elements(const float* image, std::size_t count, std::uint16_t* elements) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, image + i, sizeof bits);
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    elements[i] = static_cast<std::uint16_t>(std::isnan(image[i]) ? (bits >> 16) | 0x40U : rounded);
  }
}

/// Takes the results of `count` images out of memory.
void unpack(const std::uint16_t* memory, std::size_t count, float* results) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int j = 0; j < kOutValues; ++j) {
      const std::uint32_t bits = static_cast<std::uint32_t>(memory[i * (kOutBytes / 2) + static_cast<std::size_t>(j)]) << 16;
      std::memcpy(results++, &bits, sizeof bits);
    }
  }
}

/// For every element of an image's memory, which input value it is, or -1 for what means 0.
/// Memory holds word i of all streams together; each stream carries the tiles of the im2col matrix that one
/// group of cores reads, in the order [round][pass][nt][kt][k][n].
std::vector<std::int32_t> sources() {
  std::vector<std::int32_t> table(kInBytes / sizeof(std::uint16_t), -1);
  for (int group = 0; group < kStreams; ++group) {
    int element = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (int pass = 0; pass < kPasses; ++pass) {
        for (int nt = 0; nt < kColTiles; ++nt) {
          for (int kt = 0; kt < kDepth; ++kt) {
            for (int i = 0; i < kBlockRows * kBlockCols; ++i, ++element) {
              const int k = pass * kTileK + kt * kBlockRows + i / kBlockCols;
              const int pixel = (round * kStreams + group) * kTileN + nt * kBlockCols + i % kBlockCols;
              const int tap = k % kKernelArea;
              const int y = pixel / kConvWidth * kStrideY + tap / kKernelWidth - kPaddingY;
              const int x = pixel % kConvWidth * kStrideX + tap % kKernelWidth - kPaddingX;
              if (k < kTaps && pixel < kPixels && 0 <= y && y < kHeight && 0 <= x && x < kWidth) {
                const int place = (element / kLanes * kStreams + group) * kLanes + element % kLanes;
                table[static_cast<std::size_t>(place)] = (k / kKernelArea * kHeight + y) * kWidth + x;
              }
            }
          }
        }
      }
    }
  }
  return table;
}

/// Tiles `count` images for the first layer's input streams.
void pack(const float* images, std::size_t count, std::uint16_t* memory) {
  static const std::vector<std::int32_t> table = sources();
  std::vector<std::uint16_t> image(kInValues);
  for (std::size_t i = 0; i < count; ++i) {
    to_elements(images + i * kInValues, kInValues, image.data());
    for (const std::int32_t source : table) {
      *memory++ = source < 0 ? std::uint16_t(0) : image[static_cast<std::size_t>(source)];
    }
  }
}

/// The device with the design loaded, and buffers for one batch.
class Design {
 public:
  Design(const std::string& xclbin, std::size_t batch)
      : device_(0),
        uuid_(device_.load_xclbin(xclbin)),
        mm2s_(device_, uuid_, "mm2s:{mm2s_1}"),
        s2mm_(device_, uuid_, "s2mm:{s2mm_1}"),
        graph_(device_, uuid_, "ports_graph"),
        in_(device_, batch * kInBytes, mm2s_.group_id(0)),
        out_(device_, batch * kOutBytes, s2mm_.group_id(0)) {
    graph_.reset();
    send("weights_one:{weights_one_1}", one_table, sizeof one_table, 160);
    send("weights_two:{weights_two_1}", two_table, sizeof two_table, 208);
  }

  /// Runs `count` images; `results` receives kOutValues floats for each.
  void run(const float* images, std::size_t count, float* results) {
    pack(images, count, in_.map<std::uint16_t*>());
    in_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    const int iterations = static_cast<int>(count);
    graph_.run(iterations);
    auto store = s2mm_(out_, kOutWords, iterations);  // the streams are connected in hardware
    auto load = mm2s_(in_, kInWords, iterations);
    load.wait();
    store.wait();
    graph_.wait();
    for (Sending& sending : sendings_) {
      sending.run.wait();  // the cores have their weights
    }
    sendings_.clear();
    out_.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    unpack(out_.map<std::uint16_t*>(), count, results);
  }

 private:
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

  xrt::device device_;
  xrt::uuid uuid_;
  xrt::kernel mm2s_;
  xrt::kernel s2mm_;
  xrt::graph graph_;
  xrt::bo in_;
  xrt::bo out_;
  std::vector<Sending> sendings_;
};

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
  const std::vector<float> images = read_images(options.input, kInValues);
  const std::size_t count = images.size() / kInValues;
  const std::size_t batch = std::min(options.batch, count);
  std::vector<float> results(count * kOutValues);

  Design design(options.xclbin, batch);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < count; i += batch) {
    design.run(&images[i * kInValues], std::min(batch, count - i), &results[i * kOutValues]);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%zu images in %.3f s: %.1f images/s\n", count, seconds.count(), static_cast<double>(count) / seconds.count());

  if (!options.output.empty()) {
    write_images(options.output, results);
  }
  if (options.golden.empty()) {
    return 0;
  }
  const bool passed = verify(results, read_images(options.golden, kOutValues), options.tolerance);
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
