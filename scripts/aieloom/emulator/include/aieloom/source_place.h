// Where a call stands in its source. std::source_location needs a newer clang than timed runs and users may have.
#pragma once

namespace aieloom {

struct SourcePlace {
  const char* file;
  unsigned line;

  /// As a default argument: the place of the call whose argument it is.
  static constexpr SourcePlace current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) { return {file, line}; }
};

}  // namespace aieloom
