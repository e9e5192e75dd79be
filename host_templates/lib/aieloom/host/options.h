// options.h: what a network takes and gives, and what the command line of its host program says.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace aieloom::host {

/// An input or an output of a network: its name, and its sizes without the number of images.
struct End {
  const char* name;
  std::vector<std::uint32_t> shape;
};

/// What a network takes and gives.
struct Interface {
  const char* program = "";       // what the host program is called
  const char* image = "";         // the order of an image's values in a file
  const char* result = "";        // of a result's
  std::size_t image_values = 0;   // of an image; of several inputs all
  std::size_t result_values = 0;  // of a result; of several outputs all
  std::size_t batch = 1;          // images of one, where the command line does not say another number
  double tolerance = 0;           // largest difference from a golden file that counts as agreement
  std::vector<End> inputs;
  std::vector<End> outputs;
};

/// What the command line says.
struct Options {
  std::string xclbin;
  std::string input;
  std::string output;
  std::string golden;
  double tolerance = 0;
  std::size_t batch = 1;
  std::size_t repeat = 1;
  bool elements = false;
  bool serve = false;
  std::string power = "/sys/class/hwmon";
};

/// A mistake in the command line or in a file that it names.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The number that an option has.
inline double number(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0)) {
    throw UsageError(option + " wants a number that is not negative, not '" + text + "'");
  }
  return value;
}

/// The whole number that an option has.
inline std::size_t whole(const std::string& option, const std::string& text) {
  const double value = number(option, text);
  if (value < 1 || value > 1e9 || std::floor(value) != value) {
    throw UsageError(option + " wants a whole number from 1 to 1000000000, not '" + text + "'");
  }
  return static_cast<std::size_t>(value);
}

/// Reads the command line.
inline Options parse(int argc, char** argv, const Interface& net) {
  Options options;
  options.tolerance = net.tolerance;
  options.batch = net.batch;
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
    const bool is_known = word == "--output" || word == "--golden" || word == "--tolerance" || word == "--batch" ||
                          word == "--repeat" || word == "--power";
    if (!is_known) {
      throw UsageError("there is no option " + word);
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
      options.batch = whole(word, value);
    } else if (word == "--repeat") {
      options.repeat = whole(word, value);
    } else {
      options.power = value;
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

/// Says how the program is called; `element` is what the device's memory holds.
inline void print_usage(const Interface& net, const char* element) {
  std::fprintf(
      stderr,
      "usage: %s XCLBIN INPUT [--output FILE] [--golden FILE] [--tolerance X] [--batch N] [--repeat N] [--elements]\n"
      "       %s XCLBIN --serve [--batch N]\n"
      "  XCLBIN            what v++ --package made\n"
      "  INPUT             images, %s float32 values each, one after another\n"
      "  --output FILE     write the results, %s float32 values an image\n"
      "  --golden FILE     compare the results with these; the program then ends with 0 only when they agree\n"
      "  --tolerance X     largest absolute difference that counts as agreement (default %g)\n"
      "  --batch N         images of a batch, of which two are in memory (default %zu)\n"
      "  --repeat N        run all images so often; what fits into two batches stays in memory\n"
      "  --elements        the files hold elements as the device's memory does (%s), not float32\n"
      "  --serve           take images on standard input and give results on standard output, as session.h does, until "
      "it ends\n"
      "  --power FOLDER    where sensors are looked for (default /sys/class/hwmon)\n",
      net.program, net.program, net.image, net.result, net.tolerance, net.batch, element);
}

}  // namespace aieloom::host
