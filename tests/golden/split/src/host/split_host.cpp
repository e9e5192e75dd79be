// split_host.cpp: split on the processor.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// Runs split on the board: loads the xclbin, sends images through, compares and times.
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

namespace {

constexpr int kInValues = 35;  // of an input image: 1x5x7 float32
constexpr int kOutValues = 63;  // of an output image: 3x3x7 float32
constexpr int kInWords = 9;  // stream words of an image on each of mm2s's streams
constexpr int kOutWords = 16;  // stream words of an image on s2mm's stream
constexpr int kInBytes = 144;  // 9 words x 1 streams
constexpr int kOutBytes = 256;  // 16 words

constexpr const char* kUsage =
    "usage: split_host XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N]\n"
    "  XCLBIN            what v++ --package made\n"
    "  INPUT             images, 1 x 5 x 7 float32 values each, one after another\n"
    "  --output FILE     write the results, 3 x 3 x 7 float32 values an image\n"
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

/// Copies an image's values, as memory holds them.
void to_elements(const float* image, std::size_t count, float* elements) {
  std::memcpy(elements, image, count * sizeof(float));
}

/// Takes the results of `count` images out of memory.
void unpack(const float* memory, std::size_t count, float* results) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(results + i * kOutValues, memory + i * (kOutBytes / sizeof(float)), kOutValues * sizeof(float));
  }
}

/// Copies `count` images; the last word of each is filled up with zeros.
void pack(const float* images, std::size_t count, float* memory) {
  for (std::size_t i = 0; i < count; ++i) {
    float* const place = memory + i * (kInBytes / sizeof(float));
    to_elements(images + i * kInValues, kInValues, place);
    std::fill(place + kInValues, place + kInBytes / sizeof(float), float(0.0F));
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
        graph_(device_, uuid_, "split_graph"),
        in_(device_, batch * kInBytes, mm2s_.group_id(0)),
        out_(device_, batch * kOutBytes, s2mm_.group_id(0)) {
    graph_.reset();
  }

  /// Runs `count` images; `results` receives kOutValues floats for each.
  void run(const float* images, std::size_t count, float* results) {
    pack(images, count, in_.map<float*>());
    in_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    const int iterations = static_cast<int>(count);
    graph_.run(iterations);
    auto store = s2mm_(out_, kOutWords, iterations);  // the streams are connected in hardware
    auto load = mm2s_(in_, kInWords, iterations);
    load.wait();
    store.wait();
    graph_.wait();
    out_.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    unpack(out_.map<float*>(), count, results);
  }

 private:
  xrt::device device_;
  xrt::uuid uuid_;
  xrt::kernel mm2s_;
  xrt::kernel s2mm_;
  xrt::graph graph_;
  xrt::bo in_;
  xrt::bo out_;
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
