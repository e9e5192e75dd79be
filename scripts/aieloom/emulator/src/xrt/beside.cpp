// Buffer objects in memory that nobody else may touch: a kernel or a host that goes beyond the end, or uses one that is gone.
#include <algorithm>
#include <bit>
#include <string>

#include "aieloom/report.h"
#include "system.h"

namespace aieloom {

namespace {

constexpr std::size_t kPage = 4096;
// An index that runs away stays in here.
constexpr std::size_t kGap = std::size_t{1} << 30;
constexpr std::size_t kLeast = 4;  // bytes of the elements that a host has, whatever kernels have

/// The largest element of a kernel's memory, of those that processors align.
std::size_t largest_element() {
  std::size_t most = kLeast;
  for (const auto& unit : System::instance().units()) {
    for (const PlArgument& argument : unit->arguments) {
      if (argument.kind == PlArgument::Kind::kMemory && std::has_single_bit(argument.bits / 8)) {
        most = std::max(most, std::min<std::size_t>(argument.bits / 8, 64));
      }
    }
  }
  return most;
}

/// As much as the size allows: then no byte lies between its end and the page behind it.
std::size_t alignment_of(std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  return kPage;
#else
  return std::clamp(bytes & (~bytes + 1), largest_element(), kPage);
#endif
}

/// "argument 'mem', " when what runs has the buffer as one.
std::string argument_of(const DeviceBuffer& buffer) {
  for (const auto& unit : System::instance().units()) {
    for (const PlArgument& argument : unit->arguments) {
      if (std::string(running_name(), 0, running_name().find(' ')) == unit->name && argument.kind == PlArgument::Kind::kMemory &&
          argument.storage != nullptr && &static_cast<DeviceBuffer*>(argument.storage.get())->whole() == &buffer) {
        return "its argument '" + argument.name + "', ";
      }
    }
  }
  return {};
}

}  // namespace

std::string DeviceBuffer::name() const {
  return argument_of(*this) + "the buffer object of " + std::to_string(bytes) + " B" + (made_at.empty() ? "" : " made at " + made_at);
}

void DeviceBuffer::allocate(bool for_host) {
  const GuardedMemory::Layout layout = {bytes, alignment_of(bytes), kGap};
  const auto named = [this] { return name(); };
  device_begin = device.emplace(layout, named).begin();
  if (for_host) {
    host_begin = host.emplace(layout, named).begin();
  }
}

void DeviceBuffer::let_go() {
  is_gone = true;
  if (parent != nullptr) {
    return;
  }
  check_host(*this);
  note_gone(*this);
  for (std::optional<GuardedMemory>* memory : {&host, &device}) {
    if (memory->has_value()) {
      (*memory)->forbid();
    }
  }
}

void check_host(const DeviceBuffer& buffer) {
  if (buffer.host.has_value()) {
    buffer.host->check("the host");
  }
  if (buffer.device.has_value() && buffer.host_begin == buffer.device_begin) {
    buffer.device->check("the host");
  }
}

void check_device(const DeviceBuffer& buffer, const std::string& unit) {
  if (buffer.device.has_value()) {
    buffer.device->check(unit);
  }
}

}  // namespace aieloom
