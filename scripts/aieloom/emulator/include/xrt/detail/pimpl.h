// What classes of XRT share that are handles of something else.
#pragma once

#include <memory>
#include <utility>

namespace xrt::detail {

template <typename Impl>
class pimpl {
 public:
  pimpl() = default;
  explicit pimpl(std::shared_ptr<Impl> impl) : handle(std::move(impl)) {}

  [[nodiscard]] const std::shared_ptr<Impl>& get_handle() const { return handle; }
  [[nodiscard]] explicit operator bool() const { return handle != nullptr; }
  [[nodiscard]] bool operator<(const pimpl& other) const { return handle < other.handle; }

 protected:
  std::shared_ptr<Impl> handle;
};

}  // namespace xrt::detail
