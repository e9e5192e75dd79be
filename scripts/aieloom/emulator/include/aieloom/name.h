// Names for reports in headers that kernels read: std::string would take the compiler longer than all the rest of them.
#pragma once

#include "aieloom/traits.h"

namespace aieloom {

/// A copy of a text that lives as long as the program, as the design that it names does.
const char* lasting(const char* text);

class Name {
 public:
  constexpr Name() = default;
  constexpr Name(const char* literal) : text_(literal) {}
  /// Of a std::string, which is not known here.
  template <typename String, typename = Void<decltype(static_cast<const String*>(nullptr)->c_str())>>
  Name(const String& text) : text_(lasting(text.c_str())) {}

  [[nodiscard]] constexpr const char* c_str() const { return text_; }

  /// Texts made of a name are made by who writes the report, and knows std::string.
  template <typename String, typename = Void<decltype(String(static_cast<const char*>(nullptr)).c_str())>>
  operator String() const { return String(text_); }

 private:
  const char* text_ = "";
};

}  // namespace aieloom
