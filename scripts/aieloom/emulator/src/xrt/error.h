// Shared by the parts of the emulated XRT: how it reports errors, as std::system_error like the original.
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

namespace aieloom {

[[noreturn]] inline void throw_error(int code, const std::string& what) {
  throw std::system_error(code, std::generic_category(), what);
}

}  // namespace aieloom
