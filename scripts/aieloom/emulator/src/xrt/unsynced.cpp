// Buffers whose two views differ because the host did not synchronise them: told once each, when the host lets the buffer go or the
// program ends. Host and device have memory of their own here, as on a card; where a board's caches are coherent such a host
// works by luck [XRT: xrt::bo::sync; UG1393, buffer data transfer].
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "aieloom/report.h"
#include "system.h"

namespace aieloom {

namespace {

/// All buffers that are still there when the program ends.
std::vector<std::weak_ptr<DeviceBuffer>>& watched() {
  static auto* all = new std::vector<std::weak_ptr<DeviceBuffer>>;  // outlives what the host keeps in statics
  return *all;
}

[[nodiscard]] bool views_differ(const DeviceBuffer& buffer) {
  return buffer.host_begin != nullptr && buffer.host_begin != buffer.device_begin &&
         std::memcmp(buffer.host_begin, buffer.device_begin, buffer.bytes) != 0;
}

/// Tells contents apart; of the device's view.
[[nodiscard]] std::uint64_t mark_of(const DeviceBuffer& buffer) {
  constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15;
  std::uint64_t mark = buffer.bytes, word = 0;
  std::size_t at = 0;
  for (; at + sizeof word <= buffer.bytes; at += sizeof word) {
    std::memcpy(&word, buffer.device_begin + at, sizeof word);
    mark = (mark ^ word) * kPrime;
  }
  word = 0;
  std::memcpy(&word, buffer.device_begin + at, buffer.bytes - at);
  return (mark ^ word) * kPrime;
}

[[nodiscard]] std::string name_of(const DeviceBuffer& buffer) {
  return buffer.name() + " (" + buffer.user + ")";
}

/// What the host forgot of one buffer, if anything.
void tell(DeviceBuffer& buffer) {
  if (buffer.parent != nullptr || buffer.user.empty() || buffer.host_begin == buffer.device_begin) {
    return;
  }
  const bool never_looked_at = buffer.in_use_by_host && !buffer.was_synced;
  if (buffer.was_unsynced && !buffer.was_synced) {
    warn("xrt-sync", name_of(buffer) + " was written by the host and never synchronised: the device read its own memory. Call sync(XCL_BO_SYNC_BO_TO_DEVICE) before the kernel starts");
  } else if (never_looked_at || (buffer.runs > 0 && buffer.in_use_by_host && views_differ(buffer) && mark_of(buffer) != buffer.before_run)) {
    warn("xrt-sync", name_of(buffer) + " was given to a kernel and not synchronised since: what the host sees there is old. Call sync(XCL_BO_SYNC_BO_FROM_DEVICE) before reading it");
  }
  buffer.user.clear();
}

void tell_all() {
  for (const auto& one : watched()) {
    if (const auto buffer = one.lock(); buffer != nullptr && !buffer->is_gone) {
      check_host(*buffer);
      tell(*buffer);
    }
  }
}

}  // namespace

void watch(const std::shared_ptr<DeviceBuffer>& buffer, const aieloom::SourcePlace& where) {
  if (watched().empty()) {
    std::atexit(tell_all);
  }
  buffer->made_at = std::filesystem::path(where.file).filename().string() + ":" + std::to_string(where.line);
  std::erase_if(watched(), [](const auto& one) { return one.expired(); });
  watched().push_back(buffer);
}

void note_sync(DeviceBuffer& buffer) {
  buffer.was_synced = true;
  buffer.runs = 0;  // either direction makes the piece equal in both views
}

void note_run(DeviceBuffer& buffer, const std::string& unit, const std::string& argument) {
  if (buffer.user.empty()) {
    buffer.user = unit + ": " + argument;
  }
  if (buffer.runs++ == 0) {
    buffer.before_run = mark_of(buffer);
  }
  if (!buffer.was_synced && !buffer.was_unsynced && buffer.in_use_by_host) {
    buffer.was_unsynced = views_differ(buffer);
  }
}

void note_gone(DeviceBuffer& buffer) { tell(buffer); }

}  // namespace aieloom
