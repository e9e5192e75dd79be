// XRT's native API on the emulated system: identities, device, buffers, transfers through GMIO.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "adf/adf_api/XRTConfig.h"
#include "adf/event.h"
#include "aieloom/report.h"
#include "runtime.h"
#include "system.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_hw_context.h"
#include "error.h"
#include "inside.h"

namespace {

using aieloom::throw_error;

constexpr std::size_t kPage = 4096;

/// What the host holds of a buffer: when the last copy goes, the buffer does.
std::shared_ptr<aieloom::DeviceBuffer> held(std::shared_ptr<aieloom::DeviceBuffer> made, std::shared_ptr<aieloom::DeviceBuffer> parent = nullptr) {
  aieloom::DeviceBuffer* plain = made.get();
  return {plain, [made = std::move(made), parent = std::move(parent)](aieloom::DeviceBuffer* buffer) { buffer->let_go(); }};
}

/// Check that a piece lies in a buffer.
void check_piece(const aieloom::DeviceBuffer* buffer, const char* what, std::size_t bytes, std::size_t offset) {
  if (buffer == nullptr) {
    throw_error(EINVAL, std::string(what) + " of an empty xrt::bo");
  }
  if (offset > buffer->bytes || bytes > buffer->bytes - offset) {
    throw_error(EINVAL, std::string(what) + " of " + std::to_string(bytes) + " B at " + std::to_string(offset) + " beyond the end of a buffer of " +
                            std::to_string(buffer->bytes) + " B");
  }
}

void check_device(const xrt::device& device) {
  if (!device) {
    throw_error(ENODEV, "the xrt::device is not open");
  }
}

int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

namespace aieloom {

void not_emulated(const char* name) { throw_error(ENOTSUP, std::string(name) + " is not emulated: it is there on hardware alone"); }

}  // namespace aieloom

namespace xrt {

namespace {

/// The design that the device holds.
xclbin& loaded() {
  static xclbin design;
  return design;
}

}  // namespace

xclbin kernel::get_xclbin() const { return loaded(); }
xclbin hw_context::get_xclbin() const { return loaded(); }

uuid::uuid(const std::string& text) : uuid() {
  std::size_t at = 0;
  for (const char c : text) {
    if (c == '-') {
      continue;
    }
    if (digit(c) < 0 || at >= 32) {
      throw_error(EINVAL, "'" + text + "' is no uuid");
    }
    bytes_[at / 2] = static_cast<unsigned char>((bytes_[at / 2] << 4) | digit(c));
    ++at;
  }
}

std::string uuid::to_string() const {
  std::string text;
  for (std::size_t i = 0; i < sizeof bytes_; ++i) {
    text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
    text += "0123456789abcdef"[bytes_[i] >> 4];
    text += "0123456789abcdef"[bytes_[i] & 15];
  }
  return text;
}

device::device(unsigned int index) : open_(true) {
  if (index != 0) {
    throw_error(ENODEV, "No such device with index '" + std::to_string(index) + "'");
  }
}

device::device(const std::string& name) : open_(true) {
  if (name != "0" && name != get_info<info::device::bdf>()) {
    throw_error(ENODEV, "No such device '" + name + "'");
  }
}

device::device(xclDeviceHandle handle) : open_(true) {
  if (handle == nullptr) {
    throw_error(ENODEV, "an xrt::device of a null handle");
  }
}

uuid device::load_xclbin(const std::string& file) {
  check_device(*this);
  return load_xclbin(xclbin(file));
}

uuid device::load_xclbin(const xclbin& design) {
  check_device(*this);
  if (!design) {
    throw_error(EINVAL, "an empty xrt::xclbin");
  }
  loaded() = design;
  return uuid(aieloom::System::instance().load(aieloom::XrtInside::image(design)));
}

device::operator xclDeviceHandle() const {
  check_device(*this);
  static char only;  // there is one device
  return &only;
}

uuid device::get_xclbin_uuid() const { return uuid(aieloom::System::instance().uuid()); }

bo::bo(const device& device, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where) : buffer_(held(std::make_shared<aieloom::DeviceBuffer>())) {
  check_device(device);
  if (bytes == 0) {
    throw_error(EINVAL, "a buffer of 0 bytes");
  }
  if (group >= aieloom::System::instance().banks()) {
    throw_error(EINVAL, "there is no memory bank " + std::to_string(group) + ": pass kernel.group_id(argument)");
  }
  buffer_->bytes = bytes;
  buffer_->group = group;
  buffer_->flags = static_cast<std::uint32_t>(flags);
  // On an embedded board host and device have one memory, which is not cached unless it is asked to be.
  const bool is_one = flags == flags::host_only || (flags != flags::cacheable && std::getenv("AIELOOM_SHARED_MEMORY") != nullptr);
  aieloom::watch(buffer_->shared_from_this(), where);
  buffer_->allocate(flags != flags::device_only && !is_one);
  if (is_one) {
    buffer_->host_begin = buffer_->device_begin;
  }
}

bo::bo(const hw_context& context, std::size_t bytes, memory_group group, aieloom::SourcePlace where)
    : bo(context.get_device(), bytes, group, where) {}
bo::bo(const hw_context& context, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where)
    : bo(context.get_device(), bytes, flags, group, where) {}

bo::bo(const device& device, void* memory, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where)
    : bo(device, bytes, flags, group, where) {
  if (memory == nullptr || reinterpret_cast<std::uintptr_t>(memory) % kPage != 0) {
    throw_error(EINVAL, "a buffer over the program's own memory: it must begin on a boundary of 4096 B");
  }
  buffer_->host_begin = static_cast<std::byte*>(memory);
}

bo::bo(const hw_context& context, void* memory, std::size_t bytes, flags flags, memory_group group, aieloom::SourcePlace where)
    : bo(context.get_device(), memory, bytes, flags, group, where) {}
bo::bo(const hw_context& context, void* memory, std::size_t bytes, memory_group group, aieloom::SourcePlace where)
    : bo(context.get_device(), memory, bytes, group, where) {}

bo::bo(xrtBufferHandle handle) : bo() {
  if (handle != nullptr) {
    *this = *static_cast<bo*>(handle);
  }
}

bo::bo(const bo& parent, std::size_t bytes, std::size_t offset) : buffer_(held(std::make_shared<aieloom::DeviceBuffer>(), parent.buffer_)) {
  check_piece(parent.buffer_.get(), "a part", bytes, offset);
  if (bytes == 0) {
    throw_error(EINVAL, "a part of 0 bytes");
  }
  const aieloom::DeviceBuffer& whole = *parent.buffer_;
  buffer_->bytes = bytes;
  buffer_->group = whole.group;
  buffer_->flags = whole.flags;
  buffer_->parent = parent.buffer_->shared_from_this();
  buffer_->device_begin = whole.device_begin + offset;
  buffer_->host_begin = whole.host_begin == nullptr ? nullptr : whole.host_begin + offset;
}

std::size_t bo::size() const { return buffer_ == nullptr ? 0 : buffer_->bytes; }
std::uint64_t bo::address() const { return buffer_ == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(buffer_->device_begin); }
memory_group bo::get_memory_group() const { return buffer_ == nullptr ? 0 : buffer_->group; }
bo::flags bo::get_flags() const { return buffer_ == nullptr ? flags::normal : static_cast<flags>(buffer_->flags); }

namespace {

std::byte* host_view(const aieloom::DeviceBuffer* buffer) {
  check_piece(buffer, "map", 0, 0);
  if (buffer->host_begin == nullptr) {
    throw_error(EINVAL, "a device_only buffer has no memory in the host: it cannot be mapped, read, written or synchronised");
  }
  return buffer->host_begin;
}

}  // namespace

void* bo::map() {
  std::byte* view = host_view(buffer_.get());
  buffer_->whole().in_use_by_host = true;
  return view;
}

const void* bo::map() const {
  const std::byte* view = host_view(buffer_.get());
  buffer_->whole().in_use_by_host = true;
  return view;
}

void bo::sync(xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  check_piece(buffer_.get(), "sync", bytes, offset);
  std::byte* host = host_view(buffer_.get()) + offset;
  std::byte* device = buffer_->device_begin + offset;
  if (direction != XCL_BO_SYNC_BO_TO_DEVICE && direction != XCL_BO_SYNC_BO_FROM_DEVICE) {
    throw_error(EINVAL, "transfers through GMIO need an xrt::aie::bo and the port's name");
  }
  aieloom::check_host(buffer_->whole());
  aieloom::note_sync(buffer_->whole());
  if (aieloom::is_timed()) {
    aieloom::running_clock().advance(aieloom::cycles_of_us(aieloom::board_facts().sync_us));
  }
  if (host != device) {
    direction == XCL_BO_SYNC_BO_TO_DEVICE ? std::memcpy(device, host, bytes) : std::memcpy(host, device, bytes);
  }
}

void bo::write(const void* source, std::size_t bytes, std::size_t seek) {
  check_piece(buffer_.get(), "write", bytes, seek);
  std::memcpy(static_cast<std::byte*>(map()) + seek, source, bytes);
}

void bo::read(void* target, std::size_t bytes, std::size_t skip) {
  check_piece(buffer_.get(), "read", bytes, skip);
  std::memcpy(target, static_cast<const std::byte*>(map()) + skip, bytes);
}

void bo::copy(const bo& source, std::size_t bytes, std::size_t source_offset, std::size_t target_offset) {
  const std::size_t count = bytes == 0 ? source.size() : bytes;
  check_piece(source.buffer_.get(), "copy", count, source_offset);
  check_piece(buffer_.get(), "copy", count, target_offset);
  aieloom::note_run(buffer_->whole(), "a copy", "its target");
  std::memmove(buffer_->device_begin + target_offset, source.buffer_->device_begin + source_offset, count);
}

/// A transfer through a GMIO port that was started.
class bo::async_handle_impl {
 public:
  const aieloom::Gmio* gmio;
};

void bo::async_handle::wait() {
  if (handle != nullptr) {
    aieloom::wait_gmio(*handle->gmio);
  }
}

namespace aie {

namespace {

/// The GMIO of "<graph>.<gmio>"; C++ keeps no names of members, so the last part is the name given to create().
const aieloom::Gmio& find_gmio(const std::string& port) {
  const std::string last = port.substr(port.rfind('.') + 1);
  std::string names;
  for (const aieloom::Gmio& gmio : aieloom::design().gmios) {
    if (gmio.name == last || gmio.name == port) {
      return gmio;
    }
    names += (names.empty() ? "" : ", ") + gmio.name;
  }
  throw_error(EINVAL, "there is no GMIO '" + port + "'; the graph has: " + (names.empty() ? "none" : names));
}

}  // namespace

xrt::bo::async_handle bo::async(const std::string& port, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  check_piece(aieloom::XrtInside::buffer(*this).get(), "sync", bytes, offset);
  const aieloom::Gmio& gmio = find_gmio(port);
  if (direction != XCL_BO_SYNC_BO_GMIO_TO_AIE && direction != XCL_BO_SYNC_BO_AIE_TO_GMIO) {
    throw_error(EINVAL, "GMIO '" + port + "': the direction is XCL_BO_SYNC_BO_GMIO_TO_AIE or XCL_BO_SYNC_BO_AIE_TO_GMIO");
  }
  aieloom::start_gmio(gmio, direction == XCL_BO_SYNC_BO_GMIO_TO_AIE, static_cast<std::byte*>(map()) + offset, bytes);
  return async_handle(std::make_shared<async_handle_impl>(async_handle_impl{&gmio}));
}

void bo::sync(const std::string& port, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) {
  async(port, direction, bytes, offset).wait();
}

namespace {

/// The external buffers that the host can move in a direction; C++ keeps no names of members.
std::vector<std::size_t> external_buffers(bool into_array) {
  std::vector<std::size_t> found;
  std::size_t number = 0;
  for (const aieloom::SharedBuffer& b : aieloom::design().shared_buffers) {
    if (b.external && (into_array ? b.out.size() : b.in.size()) == 1) {
      found.push_back(number);
    }
    ++number;
  }
  return found;
}

aieloom::SharedBuffer& shared_buffer(int number) {
  auto it = aieloom::design().shared_buffers.begin();
  std::advance(it, number);
  return *it;
}

/// The PLIO or GMIO of "<graph>.<member>", by the last part.
const aieloom::Port& edge_port(const std::string& path) {
  const std::string last = path.substr(path.rfind('.') + 1);
  for (const aieloom::Plio& plio : aieloom::design().plios) {
    if (plio.name == last || plio.name == path) {
      return plio.port;
    }
  }
  return find_gmio(path).port;
}

}  // namespace

buffer::buffer(const xrt::device& device, const xrt::uuid& uuid, const std::string& name) : name_(name) {
  if (!device || !uuid || uuid != device.get_xclbin_uuid()) {
    throw_error(EINVAL, "xrt::aie::buffer '" + name + "': the device has no such xclbin");
  }
}

void buffer::async(xrt::bo memory, xclBOSyncDirection direction, std::size_t bytes, std::size_t offset) const {
  const bool into_array = direction == XCL_BO_SYNC_BO_GMIO_TO_AIE;
  if (!into_array && direction != XCL_BO_SYNC_BO_AIE_TO_GMIO) {
    throw_error(EINVAL, "external buffer '" + name_ + "': the direction is XCL_BO_SYNC_BO_GMIO_TO_AIE or XCL_BO_SYNC_BO_AIE_TO_GMIO");
  }
  const auto found = external_buffers(into_array);
  if (found.size() != 1) {
    throw_error(EINVAL, "external buffer '" + name_ + "': the graph has " + std::to_string(found.size()) +
                            " external buffers with one port in that direction; the emulator tells them apart by it alone");
  }
  *started_ = static_cast<int>(found.front());
  aieloom::SharedBuffer& node = shared_buffer(*started_);
  if (offset + bytes > memory.size() || bytes != node.elements() * node.element.size()) {
    throw_error(EINVAL, "external buffer '" + name_ + "' has " + std::to_string(node.elements() * node.element.size()) + " B, the transfer " +
                            std::to_string(bytes) + " at " + std::to_string(offset) + " of " + std::to_string(memory.size()));
  }
  node.address = static_cast<std::byte*>(memory.map()) + offset;
  aieloom::start_external(into_array ? node.out[0] : node.in[0]);
}

void buffer::wait() const {
  if (*started_ >= 0) {
    aieloom::SharedBuffer& node = shared_buffer(*started_);
    aieloom::wait_external(node.in.size() == 1 ? node.in[0] : node.out[0]);
  }
}

int profiling::start(profiling_option option, const std::string& port1, const std::string& port2, std::uint32_t value) const {
  const aieloom::Port* second = port2.empty() ? nullptr : &edge_port(port2);
  *handle_ = aieloom::start_profile(edge_port(port1), second, static_cast<int>(option), value);
  return *handle_;
}

std::uint64_t profiling::read() const {
  if (*handle_ < 0) {
    throw_error(EINVAL, "xrt::aie::profiling::read() without start()");
  }
  return static_cast<std::uint64_t>(aieloom::read_profile(*handle_));
}

}  // namespace aie

}  // namespace xrt

void aieloom::wait_gmio_named(const std::string& port) { wait_gmio(xrt::aie::find_gmio(port)); }

namespace adf {

void registerXRT(const xrt::device& device, const xrt::uuid& uuid) {
  if (!device || !uuid || uuid != device.get_xclbin_uuid()) {
    aieloom::refuse("xrt-register", "registerXRT() before the design is loaded", "open the device and load the xclbin first");
  }
}

void registerXRT(xrtDeviceHandle device, const xuid_t uuid) {
  registerXRT(device != nullptr ? *static_cast<xrt::device*>(device) : xrt::device{}, xrt::uuid(uuid));
}

}  // namespace adf
