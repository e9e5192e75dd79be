// serve.h: images from another process, and results to it: session.h is the other side.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "convert.h"
#include "options.h"

namespace aieloom::host {

/// Reads so many bytes of standard input; false where it has ended.
inline bool receive(void* to, std::size_t bytes) {
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
inline bool give(int file, const void* from, std::size_t bytes) {
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
/// First the host says what the design takes: "AIELHOST", then 32-bit numbers: version, images of a batch, the number of inputs of which an
/// image has the values one behind the other, and of each the bytes of its name, these, filled up to whole numbers, rank and sizes; the same of
/// the outputs of a result. Then each request is a number of images and their float32 values, each answer a status (0: done), the number of
/// images, and their results; with status 1 the number of bytes of a message, and the message.
template <class Net>
int serve(const Interface& net, const Options& options) {
  constexpr std::uint32_t kVersion = 2;
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of a request's images
  const int answers = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what others print does not get between results
  std::signal(SIGPIPE, SIG_IGN);
  using Values = typename Net::Values;
  typename Net::Runner design(options.xclbin, options.batch);

  std::vector<std::uint32_t> hello = {kVersion, static_cast<std::uint32_t>(options.batch)};
  for (const std::vector<End>* ends : {&net.inputs, &net.outputs}) {
    hello.push_back(static_cast<std::uint32_t>(ends->size()));
    for (const End& end : *ends) {
      const std::string name = end.name;
      hello.push_back(static_cast<std::uint32_t>(name.size()));
      const std::size_t begin = hello.size();
      hello.resize(begin + (name.size() + sizeof hello[0] - 1) / sizeof hello[0]);
      std::copy(name.begin(), name.end(), reinterpret_cast<char*>(hello.data() + begin));
      hello.push_back(static_cast<std::uint32_t>(end.shape.size()));
      hello.insert(hello.end(), end.shape.begin(), end.shape.end());
    }
  }
  bool open = give(answers, "AIELHOST", 8) && give(answers, hello.data(), hello.size() * sizeof hello[0]);
  std::vector<float> values;
  std::vector<typename Values::Element> images;
  std::vector<typename Values::Element> results;
  std::uint32_t count = 0;
  while (open && receive(&count, sizeof count)) {
    if (count == 0 || count > kMostBytes / sizeof(float) / net.image_values) {
      throw UsageError("a request has " + std::to_string(count) + " images: 1 to " +
                       std::to_string(kMostBytes / sizeof(float) / net.image_values) + " are taken at a time");
    }
    values.resize(std::size_t{count} * net.image_values);
    if (!receive(values.data(), values.size() * sizeof(float))) {
      throw UsageError("a request ends within its images");
    }
    images.resize(values.size());
    Values::to_elements(values.data(), values.size(), images.data());
    results.resize(std::size_t{count} * net.result_values);
    std::array<std::uint32_t, 2> head = {0, count};
    try {
      design.run(images.data(), count, results.data());
    } catch (const std::exception& error) {
      const std::string told = error.what();
      head = {1, static_cast<std::uint32_t>(told.size())};
      open = give(answers, head.data(), sizeof head) && give(answers, told.data(), told.size());
      continue;
    }
    const std::vector<float> made = values_of<Values>(results);
    open = give(answers, head.data(), sizeof head) && give(answers, made.data(), made.size() * sizeof(float));
  }
  return 0;
}

}  // namespace aieloom::host
