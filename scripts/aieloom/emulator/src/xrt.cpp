// The XRT native API on the emulated system.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "aieloom/report.h"
#include "runtime.h"
#include "system.h"
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"

namespace {

constexpr std::size_t kPage = 4096;

std::byte* page_aligned(std::vector<std::byte>& memory, std::size_t bytes) {
  memory.resize(bytes + kPage);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + ((address + kPage - 1) / kPage * kPage - address);
}

}  // namespace

namespace xrt {

device::device(unsigned int index) : open_(true) {
  if (index != 0) {
    throw std::runtime_error("No such device with index '" + std::to_string(index) + "'");
  }
}

uuid device::load_xclbin(const std::string& file) { return uuid(aieloom::System::instance().load(file)); }

uuid device::get_xclbin_uuid() const { return uuid(aieloom::System::instance().uuid()); }

bo::bo(const device&, std::size_t bytes, memory_group group) : buffer_(std::make_shared<aieloom::DeviceBuffer>()) {
  if (bytes == 0) {
    throw std::runtime_error("a buffer of 0 bytes");
  }
  buffer_->bytes = bytes;
  buffer_->group = group;
  buffer_->host_begin = page_aligned(buffer_->host, bytes);
  buffer_->device_begin = page_aligned(buffer_->device, bytes);
}

bo::bo(const device& device, std::size_t bytes, flags, memory_group group) : bo(device, bytes, group) {}

std::size_t bo::size() const { return buffer_->bytes; }

void* bo::map() const { return buffer_->host_begin; }

void bo::sync(xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  if (offset > buffer_->bytes || bytes > buffer_->bytes - offset) {
    throw std::runtime_error("sync beyond the end of the buffer");
  }
  if (direction == XCL_BO_SYNC_BO_TO_DEVICE) {
    std::memcpy(buffer_->device_begin + offset, buffer_->host_begin + offset, bytes);
  } else if (direction == XCL_BO_SYNC_BO_FROM_DEVICE) {
    std::memcpy(buffer_->host_begin + offset, buffer_->device_begin + offset, bytes);
  } else {
    throw std::runtime_error("use xrt::aie::bo for transfers through GMIO");
  }
}

void bo::write(const void* source, std::size_t bytes, std::size_t seek) {
  if (seek > buffer_->bytes || bytes > buffer_->bytes - seek) {
    throw std::runtime_error("write beyond the end of the buffer");
  }
  std::memcpy(buffer_->host_begin + seek, source, bytes);
}

void bo::read(void* target, std::size_t bytes, std::size_t skip) {
  if (skip > buffer_->bytes || bytes > buffer_->bytes - skip) {
    throw std::runtime_error("read beyond the end of the buffer");
  }
  std::memcpy(target, buffer_->host_begin + skip, bytes);
}

kernel::kernel(const device&, const uuid& id, const std::string& name, cu_access_mode) {
  auto& system = aieloom::System::instance();
  if (id.to_string() != system.uuid() || system.uuid().empty()) {
    throw std::runtime_error("kernel '" + name + "': its xclbin is not loaded");
  }
  unit_ = system.find(name);
  if (unit_ == nullptr) {
    throw std::runtime_error("No such kernel '" + name + "'; compute units: " + system.unit_names());
  }
  if (unit_->kernel.free_running) {
    throw std::runtime_error("kernel '" + name + "' is free running (ap_ctrl_none): the host cannot open it");
  }
}

int kernel::group_id(int argument) const {
  const auto index = static_cast<std::size_t>(argument);
  if (index >= unit_->arguments.size() || unit_->arguments[index].kind != aieloom::PlArgument::Kind::kMemory) {
    throw std::runtime_error("argument " + std::to_string(argument) + " of kernel '" + unit_->kernel.name + "' is no memory");
  }
  return unit_->groups[index];
}

void run::set_arg(int index, const bo& buffer) {
  const auto at = static_cast<std::size_t>(index);
  if (at >= unit_->arguments.size() || unit_->arguments[at].kind != aieloom::PlArgument::Kind::kMemory) {
    throw std::runtime_error("argument " + std::to_string(index) + " of kernel '" + unit_->kernel.name + "' takes no buffer");
  }
  if (buffer.handle()->group != static_cast<unsigned>(unit_->groups[at])) {
    throw std::runtime_error("argument " + std::to_string(index) + " of kernel '" + unit_->kernel.name +
                             "' is in another memory bank than the buffer: allocate it with group_id(" +
                             std::to_string(index) + ")");
  }
  unit_->arguments[at].memory = buffer.handle()->device_begin;
  unit_->arguments[at].storage = buffer.handle();
  unit_->arguments[at].is_set = true;
}

void run::set_scalar(int index, const void* value, std::size_t bytes) {
  const auto at = static_cast<std::size_t>(index);
  if (at >= unit_->arguments.size() || unit_->arguments[at].kind != aieloom::PlArgument::Kind::kScalar) {
    throw std::runtime_error("argument " + std::to_string(index) + " of kernel '" + unit_->kernel.name + "' is no scalar");
  }
  aieloom::PlArgument& argument = unit_->arguments[at];
  if (bytes * 8 != argument.bits) {
    throw std::runtime_error("argument '" + argument.name + "' of kernel '" + unit_->kernel.name + "' has " +
                             std::to_string(argument.bits / 8) + " bytes, not " + std::to_string(bytes));
  }
  std::memcpy(argument.scalar, value, bytes);
  argument.is_set = true;
}

void run::start() { unit_->start(); }

ert_cmd_state run::wait(const std::chrono::milliseconds& limit) const {
  while (unit_->busy()) {
    if (limit.count() == 0) {
      aieloom::block(*unit_, "for the end of");
    } else if (!aieloom::block_unless_stuck(*unit_, "for the end of")) {
      return ERT_CMD_STATE_TIMEOUT;
    }
  }
  return ERT_CMD_STATE_COMPLETED;
}

ert_cmd_state run::state() const { return unit_->busy() ? ERT_CMD_STATE_RUNNING : ERT_CMD_STATE_COMPLETED; }

graph::graph(const device&, const uuid&, const std::string& name, access_mode) : graph_(dlsym(RTLD_DEFAULT, name.c_str())) {
  const auto& all = aieloom::design().graphs;
  if (graph_ == nullptr || std::ranges::find(all, graph_, &aieloom::Graph::address) == all.end()) {
    throw std::runtime_error("there is no graph '" + name + "': use the name of the graph object in the graph's source");
  }
}

void graph::reset() const {}  // cores start from reset when the design is loaded

void graph::run(std::uint32_t iterations) {
  for (aieloom::Core* core : aieloom::Runtime::instance().cores_of(graph_)) {
    core->request(iterations == 0 ? -1 : static_cast<std::int64_t>(iterations));
  }
}

void graph::wait(const std::chrono::milliseconds&) { aieloom::Runtime::instance().wait(graph_); }
void graph::wait(std::uint64_t) { aieloom::Runtime::instance().wait(graph_); }
void graph::end(std::uint64_t) { aieloom::Runtime::instance().wait(graph_); }

}  // namespace xrt
