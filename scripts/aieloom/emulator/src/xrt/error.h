// Shared by the parts of the emulated XRT: how it reports errors, as std::system_error like the original; and the C API by its results.
#pragma once

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

namespace aieloom {

[[noreturn]] inline void throw_error(int code, const std::string& what) {
  throw std::system_error(code, std::generic_category(), what);
}

/// Call `action`; `failed` is the result when it throws.
template <typename R, typename F>
R guard(R failed, F action) {
  try {
    return action();
  } catch (const std::system_error& error) {
    errno = error.code().value();
    std::fprintf(stderr, "[XRT] ERROR: %s\n", error.what());
  } catch (const std::exception& error) {
    errno = EINVAL;
    std::fprintf(stderr, "[XRT] ERROR: %s\n", error.what());
  }
  return failed;
}

/// Call `action`; 0, or -1 when it throws.
template <typename F>
int status(F action) {
  return guard(-1, [&] {
    action();
    return 0;
  });
}

}  // namespace aieloom
