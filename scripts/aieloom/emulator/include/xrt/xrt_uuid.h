// Identity of a loaded design [XRT native API: xrt::uuid].
#ifndef XRT_UUID_H
#define XRT_UUID_H

#include <string>
#include <utility>

namespace xrt {

class uuid {
 public:
  uuid() = default;
  explicit uuid(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::string to_string() const { return text_; }
  [[nodiscard]] explicit operator bool() const { return !text_.empty(); }
  [[nodiscard]] bool operator==(const uuid&) const = default;

 private:
  std::string text_;
};

}  // namespace xrt

#endif  // XRT_UUID_H
