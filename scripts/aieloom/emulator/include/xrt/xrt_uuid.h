// Identity of a loaded design [XRT native API: xrt::uuid].
#pragma once

#include <array>
#include <cstring>
#include <string>

using xuid_t = unsigned char[16];

namespace xrt {

class uuid {
 public:
  uuid() = default;
  explicit uuid(const xuid_t bytes) { std::memcpy(bytes_.data(), bytes, bytes_.size()); }

  /// From 32 hexadecimal digits, with or without dashes.
  explicit uuid(const std::string& text);

  /// "01234567-89ab-cdef-0123-456789abcdef"
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] const unsigned char* get() const { return bytes_.data(); }
  [[nodiscard]] explicit operator bool() const { return bytes_ != std::array<unsigned char, 16>{}; }
  [[nodiscard]] bool operator==(const uuid&) const = default;
  [[nodiscard]] bool operator<(const uuid& other) const { return bytes_ < other.bytes_; }

 private:
  std::array<unsigned char, 16> bytes_{};
};

}  // namespace xrt
