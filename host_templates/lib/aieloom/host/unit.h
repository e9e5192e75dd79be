// unit.h: names of compute units, as system.cfg gives them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace aieloom::host {

/// The name with which XRT opens a kernel's compute unit, of which there may be others.
inline std::string unit(const std::string& kernel, std::size_t number) {
  std::string name = kernel;
  return name.append(":{").append(kernel).append("_").append(std::to_string(number + 1)).append("}");
}

/// Those of all its compute units.
inline std::vector<std::string> units_of(const char* kernel, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(unit(kernel, i));
  }
  return names;
}

}  // namespace aieloom::host
