// Identity of a loaded design [XRT native API: xrt::uuid], and what hosts call of libuuid, whose header XRT's includes.
#pragma once

#include <sys/time.h>  // libuuid's brings both, and hosts count on it
#include <time.h>

#include <algorithm>
#include <cstring>
#include <string>

typedef unsigned char uuid_t[16];  // NOLINT(modernize-use-using): the same line is in <uuid/uuid.h>
typedef uuid_t xuid_t;             // NOLINT(modernize-use-using)

extern "C" {
inline void uuid_clear(uuid_t one) { std::memset(one, 0, sizeof(uuid_t)); }
inline void uuid_copy(uuid_t to, const uuid_t from) { std::memcpy(to, from, sizeof(uuid_t)); }
inline int uuid_compare(const uuid_t one, const uuid_t other) { return std::memcmp(one, other, sizeof(uuid_t)); }
inline int uuid_is_null(const uuid_t one) {
  return std::all_of(one, one + sizeof(uuid_t), [](unsigned char byte) { return byte == 0; }) ? 1 : 0;
}
}

namespace xrt {

class uuid {
 public:
  uuid() { uuid_clear(bytes_); }
  uuid(const xuid_t bytes) { uuid_copy(bytes_, bytes); }  // NOLINT(google-explicit-constructor): hosts pass the bytes

  /// From 32 hexadecimal digits, with or without dashes.
  explicit uuid(const std::string& text);

  /// "01234567-89ab-cdef-0123-456789abcdef"
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] const xuid_t& get() const { return bytes_; }
  [[nodiscard]] operator bool() const { return uuid_is_null(bytes_) == 0; }  // NOLINT(google-explicit-constructor): as XRT's
  [[nodiscard]] bool operator==(const xuid_t& other) const { return uuid_compare(bytes_, other) == 0; }
  [[nodiscard]] bool operator!=(const xuid_t& other) const { return !(*this == other); }
  [[nodiscard]] bool operator==(const uuid& other) const { return *this == other.bytes_; }
  [[nodiscard]] bool operator!=(const uuid& other) const { return !(*this == other); }
  [[nodiscard]] bool operator<(const uuid& other) const { return uuid_compare(bytes_, other.bytes_) < 0; }

 private:
  xuid_t bytes_;
};

}  // namespace xrt
