// Starting compute units [XRT native API: xrt::kernel, xrt::run].
#ifndef XRT_KERNEL_H
#define XRT_KERNEL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_uuid.h"

enum ert_cmd_state {
  ERT_CMD_STATE_NEW = 1,
  ERT_CMD_STATE_QUEUED = 2,
  ERT_CMD_STATE_RUNNING = 3,
  ERT_CMD_STATE_COMPLETED = 4,
  ERT_CMD_STATE_ERROR = 5,
  ERT_CMD_STATE_ABORT = 6,
  ERT_CMD_STATE_SUBMITTED = 7,
  ERT_CMD_STATE_TIMEOUT = 8,
};

namespace aieloom {
class ComputeUnit;
}

namespace xrt {

class run;

class kernel {
 public:
  enum class cu_access_mode : std::uint8_t { exclusive = 0, shared = 1, none = 2 };

  kernel() = default;

  /// `name` is a kernel, or one of its compute units: "mm2s:{mm2s_1}". Throws when system.cfg has neither.
  kernel(const device& device, const uuid& uuid, const std::string& name, cu_access_mode mode = cu_access_mode::shared);
  kernel(const device& device, const uuid& uuid, const std::string& name, bool exclusive)
      : kernel(device, uuid, name, exclusive ? cu_access_mode::exclusive : cu_access_mode::shared) {}

  /// Start a run with its first arguments; stream arguments are connected in hardware and passed as nullptr or not at all.
  template <typename... A>
  run operator()(A&&... arguments);

  /// The memory bank that an argument is connected to.
  [[nodiscard]] int group_id(int argument) const;
  [[nodiscard]] explicit operator bool() const { return unit_ != nullptr; }
  [[nodiscard]] aieloom::ComputeUnit* handle() const { return unit_; }

 private:
  aieloom::ComputeUnit* unit_ = nullptr;
};

class run {
 public:
  run() = default;
  explicit run(const kernel& kernel) : unit_(kernel.handle()) {}

  void set_arg(int index, const bo& buffer);
  void set_arg(int index, bo& buffer) { set_arg(index, static_cast<const bo&>(buffer)); }
  void set_arg(int, std::nullptr_t) {}  // a stream
  template <typename T>
  void set_arg(int index, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "a scalar argument is plain data");
    set_scalar(index, &value, sizeof value);
  }

  void start();

  /// Wait for the end; with a time limit, also give up when nothing can go on any more.
  ert_cmd_state wait(const std::chrono::milliseconds& limit = std::chrono::milliseconds{0}) const;
  ert_cmd_state wait(unsigned int limit_ms) const { return wait(std::chrono::milliseconds{limit_ms}); }
  [[nodiscard]] ert_cmd_state state() const;
  [[nodiscard]] explicit operator bool() const { return unit_ != nullptr; }

 private:
  void set_scalar(int index, const void* value, std::size_t bytes);

  aieloom::ComputeUnit* unit_ = nullptr;
};

template <typename... A>
run kernel::operator()(A&&... arguments) {
  run started(*this);
  int index = 0;
  (started.set_arg(index++, arguments), ...);
  started.start();
  return started;
}

}  // namespace xrt

#endif  // XRT_KERNEL_H
