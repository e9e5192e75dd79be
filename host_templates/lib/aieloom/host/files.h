// files.h: files of images and of results: their values one after another, nothing else.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "options.h"

namespace aieloom::host {

/// Reads a file of values of type T.
template <class T>
std::vector<T> read_values(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    throw UsageError("cannot read " + path);
  }
  const auto bytes = static_cast<std::size_t>(file.tellg());
  if (bytes % sizeof(T) != 0) {
    throw UsageError(path + " has " + std::to_string(bytes) + " bytes, not a multiple of the " +
                     std::to_string(sizeof(T)) + " of a value");
  }
  std::vector<T> values(bytes / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
  if (!file) {
    throw UsageError("cannot read " + path);
  }
  return values;
}

/// Reads a file of images, `values` of type T each.
template <class T>
std::vector<T> read_images(const std::string& path, std::size_t values) {
  std::vector<T> images = read_values<T>(path);
  if (images.empty() || images.size() % values != 0) {
    throw UsageError(path + " has " + std::to_string(images.size() * sizeof(T)) + " bytes, not a multiple of the " +
                     std::to_string(values * sizeof(T)) + " of an image");
  }
  return images;
}

/// Writes a file of values or of elements.
template <class T>
void write_images(const std::string& path, const std::vector<T>& images) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(images.data()), static_cast<std::streamsize>(images.size() * sizeof(T)));
  file.close();
  if (!file) {
    throw UsageError("cannot write " + path);
  }
}

/// Compares results with the expected ones and says how they agree; returns whether they do.
inline bool verify(const std::vector<float>& results, const std::vector<float>& golden, double tolerance) {
  if (results.size() != golden.size()) {
    std::printf("the golden file has %zu values, the results are %zu\n", golden.size(), results.size());
    return false;
  }
  double worst = 0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const float result = results[i];
    if (result == golden[i] || (std::isnan(result) && std::isnan(golden[i]))) {
      continue;
    }
    const double error = std::fabs(static_cast<double>(result) - golden[i]);
    worst = error <= worst || std::isnan(worst) ? worst : error;  // keeps a NaN
    ++different;
  }
  std::printf("largest difference %.3g (at most %.3g), %zu of %zu values differ\n", worst, tolerance, different,
              results.size());
  return worst <= tolerance;
}

}  // namespace aieloom::host
