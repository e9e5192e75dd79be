// Hosts by OpenCL's C++ bindings, on XRT: one platform ("Xilinx"), one device, kernels as tasks, buffers [Khronos OpenCL C++
// Bindings; UG1393 Host Programming]. Kernels with a global range, images, pipes and sources do not exist on such a device.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "CL/cl.h"
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"

namespace cl {

using size_type = std::size_t;
using string = std::string;

namespace detail {

inline void succeed(cl_int* err) {
  if (err != nullptr) {
    *err = CL_SUCCESS;
  }
}

/// A buffer's memory in the host, and in the device from its first use as an argument on: only then its bank is known.
struct Memory {
  std::size_t bytes = 0;
  std::unique_ptr<void, decltype(&std::free)> own{nullptr, &std::free};
  void* host = nullptr;
  xrt::bo device;

  void to_device() {
    if (device) {
      device.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    }
  }
  void to_host() {
    if (device) {
      device.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    }
  }
};

/// What a queue has started, in order, and what waits for it.
struct Queue {
  bool in_order = true;
  std::vector<xrt::run> running;
  std::vector<std::shared_ptr<Memory>> wanted;  // by the host, when all has ended

  void finish() {
    for (xrt::run& run : std::exchange(running, {})) {
      run.wait();
    }
    for (const auto& memory : std::exchange(wanted, {})) {
      memory->to_host();
    }
  }
};

}  // namespace detail

class Device {
 public:
  Device() = default;
  template <cl_uint Name>
  [[nodiscard]] std::string getInfo(cl_int* err = nullptr) const {
    detail::succeed(err);
    return "emulated";
  }
  /// CL_DEVICE_HANDLE: XRT's own.
  template <typename T_>
  cl_int getInfo(cl_uint, T_* value) const {
    if constexpr (std::is_same_v<T_, std::string>) {
      *value = "emulated";
    } else {
      *value = static_cast<T_>(static_cast<xclDeviceHandle>(xrt()));
    }
    return CL_SUCCESS;
  }
  [[nodiscard]] static xrt::device& xrt() {
    static xrt::device only(0);
    return only;
  }
};

class Platform {
 public:
  static cl_int get(std::vector<Platform>* all) {
    all->assign(1, Platform{});
    return CL_SUCCESS;
  }
  template <cl_uint Name>
  [[nodiscard]] std::string getInfo(cl_int* err = nullptr) const {
    detail::succeed(err);
    return "Xilinx";
  }
  cl_int getDevices(cl_device_type, std::vector<Device>* all) const {
    all->assign(1, Device{});
    return CL_SUCCESS;
  }
};

class Context {
 public:
  Context() = default;
  Context(const Device&, const void* = nullptr, const void* = nullptr, void* = nullptr, cl_int* err = nullptr) { detail::succeed(err); }
  Context(const std::vector<Device>&, const void* = nullptr, const void* = nullptr, void* = nullptr, cl_int* err = nullptr) { detail::succeed(err); }
};

class Program {
 public:
  using Binaries = std::vector<std::pair<const void*, size_type>>;
  Program() = default;
  Program(const Context&, const std::vector<Device>&, const Binaries& binaries, std::vector<cl_int>* status = nullptr, cl_int* err = nullptr)
      : uuid_(Device::xrt().load_xclbin(xrt::xclbin(static_cast<const axlf*>(binaries.at(0).first)))) {
    if (status != nullptr) {
      status->assign(1, CL_SUCCESS);
    }
    detail::succeed(err);
  }
  [[nodiscard]] const xrt::uuid& uuid() const { return uuid_; }

 private:
  xrt::uuid uuid_;
};

class Event {
 public:
  cl_int wait() const {
    if (queue_ != nullptr) {
      queue_->finish();
    }
    return CL_SUCCESS;
  }
  /// Functional emulation has no time.
  template <cl_uint Name>
  [[nodiscard]] cl_ulong getProfilingInfo(cl_int* err = nullptr) const {
    detail::succeed(err);
    return 0;
  }

 private:
  friend class CommandQueue;
  std::shared_ptr<detail::Queue> queue_;
};

class Memory {
 public:
  [[nodiscard]] const std::shared_ptr<detail::Memory>& memory() const { return memory_; }

 protected:
  std::shared_ptr<detail::Memory> memory_;
};

class Buffer : public Memory {
 public:
  Buffer() = default;
  Buffer(const Context&, cl_mem_flags flags, size_type bytes, void* host = nullptr, cl_int* err = nullptr) {
    memory_ = std::make_shared<detail::Memory>();
    memory_->bytes = bytes;
    memory_->host = host;
    if ((flags & CL_MEM_USE_HOST_PTR) == 0) {
      constexpr std::size_t kPage = 4096;
      memory_->own.reset(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage));
      memory_->host = memory_->own.get();
      if ((flags & CL_MEM_COPY_HOST_PTR) != 0) {
        std::memcpy(memory_->host, host, bytes);
      }
    }
    detail::succeed(err);
  }
};

class Kernel {
 public:
  Kernel() = default;
  Kernel(const Program& program, const char* name, cl_int* err = nullptr) : kernel_(Device::xrt(), program.uuid(), name) { detail::succeed(err); }
  Kernel(const Program& program, const std::string& name, cl_int* err = nullptr) : Kernel(program, name.c_str(), err) {}

  template <typename T_>
  cl_int setArg(cl_uint index, const T_& value) {
    const int argument = static_cast<int>(index);
    if constexpr (std::is_base_of_v<Memory, T_>) {
      const auto memory = value.memory();
      if (!memory->device) {
        memory->device = xrt::bo(Device::xrt(), memory->host, memory->bytes, kernel_.group_id(argument));
        memory->to_device();
      }
      arguments_[index] = [memory, argument](xrt::run& run) { run.set_arg(argument, memory->device); };
    } else {
      arguments_[index] = [value, argument](xrt::run& run) { run.set_arg(argument, value); };
    }
    return CL_SUCCESS;
  }

 private:
  friend class CommandQueue;
  [[nodiscard]] xrt::run started() const {
    xrt::run run(kernel_);
    for (const auto& [index, set] : arguments_) {
      set(run);
    }
    run.start();
    return run;
  }
  xrt::kernel kernel_;
  std::map<cl_uint, std::function<void(xrt::run&)>> arguments_;
};

class CommandQueue {
 public:
  CommandQueue() = default;
  CommandQueue(const Context&, const Device&, cl_command_queue_properties properties = 0, cl_int* err = nullptr) : queue_(std::make_shared<detail::Queue>()) {
    queue_->in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    detail::succeed(err);
  }
  /// In an ordered queue a task begins when the one before has ended.
  cl_int enqueueTask(const Kernel& kernel, const std::vector<Event>* before = nullptr, Event* event = nullptr) {
    wait_for(before);
    if (queue_->in_order) {
      queue_->finish();
    }
    queue_->running.push_back(kernel.started());
    return note(event);
  }
  cl_int enqueueMigrateMemObjects(const std::vector<Memory>& memories, cl_mem_migration_flags flags, const std::vector<Event>* before = nullptr,
                                  Event* event = nullptr) {
    wait_for(before);
    for (const Memory& memory : memories) {
      if ((flags & CL_MIGRATE_MEM_OBJECT_HOST) != 0) {
        queue_->wanted.push_back(memory.memory());
      } else if ((flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) == 0) {
        memory.memory()->to_device();
      }
    }
    return note(event);
  }
  cl_int enqueueWriteBuffer(const Buffer& buffer, cl_bool, size_type offset, size_type bytes, const void* from,
                            const std::vector<Event>* before = nullptr, Event* event = nullptr) {
    wait_for(before);
    std::memcpy(static_cast<char*>(buffer.memory()->host) + offset, from, bytes);
    buffer.memory()->to_device();
    return note(event);
  }
  cl_int enqueueReadBuffer(const Buffer& buffer, cl_bool, size_type offset, size_type bytes, void* to, const std::vector<Event>* before = nullptr,
                           Event* event = nullptr) {
    wait_for(before);
    finish();
    buffer.memory()->to_host();
    std::memcpy(to, static_cast<const char*>(buffer.memory()->host) + offset, bytes);
    return note(event);
  }
  void* enqueueMapBuffer(const Buffer& buffer, cl_bool, cl_map_flags flags, size_type offset, size_type, const std::vector<Event>* before = nullptr,
                         Event* event = nullptr, cl_int* err = nullptr) {
    wait_for(before);
    if ((flags & CL_MAP_READ) != 0) {
      finish();
      buffer.memory()->to_host();
    }
    note(event);
    detail::succeed(err);
    return static_cast<char*>(buffer.memory()->host) + offset;
  }
  /// What was mapped for writing goes to the device.
  cl_int enqueueUnmapMemObject(const Memory& memory, void*, const std::vector<Event>* before = nullptr, Event* event = nullptr) {
    wait_for(before);
    finish();
    memory.memory()->to_device();
    return note(event);
  }
  cl_int finish() {
    queue_->finish();
    return CL_SUCCESS;
  }
  cl_int flush() { return CL_SUCCESS; }

 private:
  static void wait_for(const std::vector<Event>* before) {
    for (const Event& event : before != nullptr ? *before : std::vector<Event>{}) {
      event.wait();
    }
  }
  cl_int note(Event* event) {
    if (event != nullptr) {
      event->queue_ = queue_;
    }
    return CL_SUCCESS;
  }
  std::shared_ptr<detail::Queue> queue_;
};

}  // namespace cl
