// What surrounded a graph before PLIO objects: files and simulation::platform [UG1076].
#pragma once

#include <string>
#include <vector>

#include "adf/plio.h"
#include "adf/port.h"

namespace adf {

/// A file, with a name or without: a 32-bit PLIO.
class FileIO : public PLIO {
 public:
  explicit FileIO(const std::string& file) : PLIO(file, plio_32_bits, file) {}
  FileIO(const std::string& name, const std::string& file) : PLIO(name, plio_32_bits, file) {}
};

namespace simulation {

/// What surrounds a graph in old programs: `src[i]` feeds its inputs, `sink[i]` takes its outputs.
template <int Inputs, int Outputs>
class platform {
 public:
  template <typename... Io>
    requires(sizeof...(Io) == Inputs + Outputs)
  explicit platform(Io*... io) {
    int at = 0;
    ((add(*io, at < Inputs), ++at), ...);
  }
  std::vector<detail::port_base> src, sink;

 private:
  template <typename Io>
  void add(Io& io, bool is_input) { (is_input ? src : sink).push_back(detail::port_base(io.attach(is_input))); }
  /// A file's name alone: a 32-bit PLIO.
  void add(const char& file, bool is_input) {
    const std::string name = &file;
    PLIO io(aieloom::unnamed_plio(name), plio_32_bits, name);
    add(io, is_input);
  }
};

}  // namespace simulation

}  // namespace adf
