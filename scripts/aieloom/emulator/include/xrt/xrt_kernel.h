// Starting compute units [XRT native and C API: kernels and runs].
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>  // hosts use std::cout and include nothing else that has it
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_hw_context.h"
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
  ERT_CMD_STATE_NORESPONSE = 9,
  ERT_CMD_STATE_SKERROR = 10,
  ERT_CMD_STATE_SKCRASHED = 11,
  ERT_CMD_STATE_MAX = 12,
};

struct ert_packet;

namespace aieloom {
class ComputeUnit;
struct Run;
}  // namespace aieloom

namespace xrt {

class run;
class run_impl;
class kernel_impl;

/// How often a run starts by itself.
struct autostart {
  unsigned iterations = 0;
};

class kernel {
 public:
  enum class cu_access_mode : std::uint8_t { exclusive = 0, shared = 1, none = 2 };

  kernel() = default;

  /// `name` is a kernel (a run goes to the first of its compute units that is free) or says which units:
  /// "mm2s:{mm2s_1}", "mm2s:{mm2s_1,mm2s_2}". Throws when system.cfg has no such.
  kernel(const device& device, const uuid& uuid, const std::string& name, cu_access_mode mode = cu_access_mode::shared);
  kernel(const device& device, const uuid& uuid, const std::string& name, bool exclusive)
      : kernel(device, uuid, name, exclusive ? cu_access_mode::exclusive : cu_access_mode::shared) {}
  kernel(xclDeviceHandle device, const uuid& uuid, const std::string& name, cu_access_mode mode = cu_access_mode::shared)
      : kernel(xrt::device(device), uuid, name, mode) {}
  kernel(const hw_context& context, const std::string& name) : kernel(context.get_device(), context.get_xclbin_uuid(), name) {}

  /// Start a run with its first arguments; stream arguments are connected in hardware and passed as nullptr or not at all.
  /// There is at least one: XRT has no call without arguments, such a run is made and started.
  template <typename First, typename... A_>
  run operator()(First&& first, A_&&... arguments);

  /// The memory bank that an argument is connected to; throws when it is no memory.
  [[nodiscard]] int group_id(int argument) const;

  /// Where an argument's register is; for read_register and write_register of a kernel opened exclusively.
  [[nodiscard]] std::uint32_t offset(int argument) const;
  [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) const;
  void write_register(std::uint32_t offset, std::uint32_t value);

  [[nodiscard]] std::string get_name() const;
  [[nodiscard]] xclbin get_xclbin() const;
  [[nodiscard]] const std::shared_ptr<kernel_impl>& get_handle() const { aieloom::not_emulated("xrt::kernel::get_handle()"); }

 private:
  friend struct aieloom::XrtInside;
  std::vector<aieloom::ComputeUnit*> units_;
  cu_access_mode mode_ = cu_access_mode::shared;
};

class run {
 public:
  /// Thrown by wait2() when a run does not complete.
  class command_error : public std::exception {
   public:
    command_error(ert_cmd_state state, const std::string& what) : state_(state), what_(what) {}
    [[nodiscard]] ert_cmd_state get_command_state() const { return state_; }
    [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

   private:
    ert_cmd_state state_;
    std::string what_;
  };

  run() = default;
  explicit run(const kernel& kernel);

  /// By position in the kernel's signature, or by name.
  void set_arg(int index, const bo& buffer);
  void set_arg(int index, bo& buffer) { set_arg(index, static_cast<const bo&>(buffer)); }
  void set_arg(int index, bo&& buffer) { set_arg(index, static_cast<const bo&>(buffer)); }
  void set_arg(int index, std::nullptr_t);
  template <typename T_>
  void set_arg(int index, T_&& value) {
    using Value = std::remove_cv_t<std::remove_reference_t<T_>>;
    static_assert(!std::is_base_of_v<bo, Value>, "XRT 2.13 to 2.20 send an xrt::aie::bo as its own bytes: pass static_cast<const xrt::bo&>(buffer)");
    static_assert(std::is_trivially_copyable_v<Value>, "a scalar argument is plain data");
    static_assert(!std::is_pointer_v<Value>, "a pointer of the host means nothing to a kernel: pass an xrt::bo");
    set_scalar(index, &value, sizeof value, std::is_integral_v<Value>);
  }
  void set_arg(int index, const void* value, std::size_t bytes) { set_scalar(index, value, bytes, false); }
  template <typename T_>
  void set_arg(const std::string& name, T_&& value) {
    set_arg(index_of(name), std::forward<T_>(value));
  }
  template <typename T_>
  void update_arg(int index, T_&& value) {
    set_arg(index, std::forward<T_>(value));
  }
  void update_arg(int index, const void* value, std::size_t bytes) { set_arg(index, value, bytes); }

  void start();
  void start(const autostart& iterations);
  template <typename First, typename... A_>
  void operator()(First&& first, A_&&... arguments) {
    set_arg(0, std::forward<First>(first), std::forward<A_>(arguments)...);
    start();
  }
  void operator()(autostart&& iterations) = delete;  // "autostart" counts the starts of the arguments after it
  template <typename First, typename... A_>
  void operator()(autostart&& iterations, First&& first, A_&&... arguments) {
    set_arg(0, std::forward<First>(first), std::forward<A_>(arguments)...);
    start(iterations);
  }
  void stop() { static_cast<void>(wait()); }
  ert_cmd_state abort();

  /// Wait for the end; with a time limit, also give up when nothing can go on any more.
  ert_cmd_state wait(const std::chrono::milliseconds& limit = std::chrono::milliseconds{0}) const;
  ert_cmd_state wait(unsigned int limit_ms) const { return wait(std::chrono::milliseconds{limit_ms}); }
  std::cv_status wait2(const std::chrono::milliseconds& limit) const;
  void wait2() const { static_cast<void>(wait2(std::chrono::milliseconds{0})); }
  [[nodiscard]] ert_cmd_state state() const;

  /// Call `callback(handle, state, data)` when the run has ended.
  void add_callback(ert_cmd_state state, std::function<void(const void*, ert_cmd_state, void*)> callback, void* data);

  /// What a kernel on the processor has returned; those in the logic have none.
  [[nodiscard]] std::uint32_t return_code() const { aieloom::not_emulated("xrt::run::return_code()"); }
  [[nodiscard]] const std::shared_ptr<run_impl>& get_handle() const { aieloom::not_emulated("xrt::run::get_handle()"); }
  [[nodiscard]] ert_packet* get_ert_packet() const { aieloom::not_emulated("xrt::run::get_ert_packet()"); }
  [[nodiscard]] bo get_ctrl_scratchpad_bo() const { aieloom::not_emulated("xrt::run::get_ctrl_scratchpad_bo()"); }

  [[nodiscard]] explicit operator bool() const { return run_ != nullptr; }
  [[nodiscard]] bool operator<(const run& other) const { return run_ < other.run_; }

 private:
  /// Of several arguments at once: not for hosts, which write (pointer, std::size_t) of one.
  template <typename T_, typename... A_>
  void set_arg(int index, T_&& value, A_&&... more) {
    set_arg(index, std::forward<T_>(value));
    if constexpr (sizeof...(A_) > 0) {
      set_arg(index + 1, std::forward<A_>(more)...);
    }
  }
  void set_scalar(int index, const void* value, std::size_t bytes, bool is_integer);
  [[nodiscard]] int index_of(const std::string& name) const;

  std::shared_ptr<aieloom::Run> run_;
};

template <typename First, typename... A_>
run kernel::operator()(First&& first, A_&&... arguments) {
  run started(*this);
  started(std::forward<First>(first), std::forward<A_>(arguments)...);
  return started;
}

/// Registers that the host may read of a kernel that others use too.
inline void set_read_range(const kernel&, std::uint32_t, std::uint32_t) { aieloom::not_emulated("xrt::set_read_range()"); }

}  // namespace xrt

extern "C" {
xrtKernelHandle xrtPLKernelOpen(xrtDeviceHandle device, const xuid_t uuid, const char* name);
xrtKernelHandle xrtPLKernelOpenExclusive(xrtDeviceHandle device, const xuid_t uuid, const char* name);
int xrtKernelClose(xrtKernelHandle kernel);
int xrtKernelArgGroupId(xrtKernelHandle kernel, int argument);
std::uint32_t xrtKernelArgOffset(xrtKernelHandle kernel, int argument);
int xrtKernelReadRegister(xrtKernelHandle kernel, std::uint32_t offset, std::uint32_t* value);
int xrtKernelWriteRegister(xrtKernelHandle kernel, std::uint32_t offset, std::uint32_t value);

/// Buffers are passed as their handles, scalars by value; a stream's argument is any pointer, by convention null.
xrtRunHandle xrtKernelRun(xrtKernelHandle kernel, ...);
xrtRunHandle xrtRunOpen(xrtKernelHandle kernel);
int xrtRunSetArg(xrtRunHandle run, int index, ...);
int xrtRunUpdateArg(xrtRunHandle run, int index, ...);
int xrtRunStart(xrtRunHandle run);
enum ert_cmd_state xrtRunWait(xrtRunHandle run);
enum ert_cmd_state xrtRunWaitFor(xrtRunHandle run, unsigned int limit_ms);
enum ert_cmd_state xrtRunState(xrtRunHandle run);
int xrtRunSetCallback(xrtRunHandle run, enum ert_cmd_state state, void (*callback)(xrtRunHandle, enum ert_cmd_state, void*), void* data);
int xrtRunClose(xrtRunHandle run);
}
