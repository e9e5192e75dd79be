#include "aieloom/buffer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <sys/mman.h>

#include "aieloom/buffer_pool.h"
#include "aieloom/clock.h"
#include "aieloom/report.h"
#include "lanes.h"

#if defined(__SANITIZE_ADDRESS__)
#define AIELOOM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AIELOOM_ASAN 1
#endif
#endif
#ifdef AIELOOM_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace aieloom {

namespace {

constexpr std::size_t kAlignment = 64;  // more than the 32 bytes that vectors ask for
constexpr std::size_t kGuard = 128;     // two of the widest vectors
constexpr std::uint64_t kCanary = 0xA1E10033C0DEFEEDULL;

std::size_t round_up(std::size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

/// What the canary's bytes are from an address on that is a multiple of its size.
constexpr auto kPainted = [] {
  std::array<std::byte, kGuard> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(kCanary >> (8 * (i % 8)));
  }
  return bytes;
}();

/// First byte that no longer is the canary's, or `bytes`.
std::size_t first_damage(const std::byte* guard, std::size_t bytes) {
  const std::size_t phase = reinterpret_cast<std::uintptr_t>(guard) % 8;
  for (std::size_t i = 0; i < bytes;) {
    const std::size_t from = (phase + i) % 8;
    const std::size_t part = std::min(bytes - i, kPainted.size() - from);
    if (std::memcmp(guard + i, kPainted.data() + from, part) != 0) {
      return i + static_cast<std::size_t>(std::mismatch(guard + i, guard + i + part, kPainted.data() + from).first - (guard + i));
    }
    i += part;
  }
  return bytes;
}

void paint(std::byte* guard, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    guard[i] = static_cast<std::byte>(kCanary >> (8 * ((reinterpret_cast<std::uintptr_t>(guard) + i) % 8)));
  }
}

}  // namespace

BufferPool::BufferPool(std::string name, std::size_t bytes, std::size_t count, std::size_t margin)
    : name_(std::move(name)), bytes_(bytes), margin_(margin) {
  // guard, margin, data, guard; the margin's first byte is aligned, for that is where the kernel's pointer starts.
  const std::size_t stride = kGuard + round_up(margin + bytes) + kGuard;
  memory_.resize(stride * count + kAlignment);
  const auto start = round_up(reinterpret_cast<std::uintptr_t>(memory_.data()));
  for (std::size_t i = 0; i < count; ++i) {
    auto* block = reinterpret_cast<std::byte*>(start) + i * stride + kGuard;
    std::byte* end = block + margin + bytes;
    const std::size_t rest = stride - kGuard - margin - bytes;
#ifdef AIELOOM_ASAN
    ASAN_POISON_MEMORY_REGION(block - kGuard, kGuard);
    ASAN_POISON_MEMORY_REGION(end, rest);
#else
    paint(block - kGuard, kGuard);
    paint(end, rest);
#endif
    blocks_.push_back(block + margin);
  }
  full_since_.resize(count);
  empty_since_.resize(count);
}

namespace {

/// When who gives a block away has it in memory, and the lock says so.
std::uint64_t given() { return running_clock().now() + (running_clock().is_core() ? 0 : kHandOverCycles); }

}  // namespace

void BufferPool::set_ends(std::string producer, std::string consumer) {
  producer_ = std::move(producer);
  consumer_ = std::move(consumer);
}

std::byte* BufferPool::acquire_empty() {
  while (filled_ - emptied_ == blocks_.size()) {
    block(not_full_, "for an empty buffer");
  }
  running_clock().wait_until(static_cast<double>(empty_since_[filled_ % blocks_.size()]), Stall::kLock, name_.c_str());
  std::byte* next = blocks_[filled_ % blocks_.size()];
  if (margin_ != 0 && filled_ > 0) {  // it begins with the end of the one before, which still lies in its place
    std::memmove(next - margin_, blocks_[(filled_ - 1) % blocks_.size()] + bytes_ - margin_, margin_);
  }
  return next;
}

void BufferPool::commit() {
  full_since_[filled_ % blocks_.size()] = given();
  ++filled_;
  wake(not_empty_);
}

std::byte* BufferPool::acquire_full() {
  while (filled_ == emptied_) {
    block(not_empty_, "for a full buffer");
  }
  running_clock().wait_until(static_cast<double>(full_since_[emptied_ % blocks_.size()]), Stall::kLock, name_.c_str());
  is_taken_ = true;
  return blocks_[emptied_ % blocks_.size()];
}

void BufferPool::release() {
  is_taken_ = false;
  empty_since_[emptied_ % blocks_.size()] = given();
  ++emptied_;
  wake(not_full_);
}

void BufferPool::paint_block([[maybe_unused]] std::byte* data) const {
#ifdef AIELOOM_ASAN
  paint(data, bytes_);
#endif
}

std::size_t BufferPool::still_painted([[maybe_unused]] const std::byte* data) const {
  std::size_t count = 0;
#ifdef AIELOOM_ASAN
  constexpr std::size_t kUnit = 4;  // blocks begin at multiples of 8
  for (std::size_t at = 0; at + kUnit <= bytes_; at += kUnit) {
    count += std::memcmp(data + at, kPainted.data() + at % 8, kUnit) == 0 ? kUnit : 0;
  }
#endif
  return count;
}

void BufferPool::check_guards([[maybe_unused]] const std::byte* data, [[maybe_unused]] const std::string& who) const {
#ifndef AIELOOM_ASAN
  const std::byte* before = data - margin_ - kGuard;
  const std::byte* after = data + bytes_;
  const std::size_t rest = round_up(margin_ + bytes_) - margin_ - bytes_ + kGuard;
  const std::size_t low = first_damage(before, kGuard);
  const std::size_t high = first_damage(after, rest);
  if (low < kGuard || high < rest) {
    const auto at = low < kGuard ? static_cast<long long>(low) - static_cast<long long>(kGuard + margin_)
                                 : static_cast<long long>(bytes_ + high);
    refuse("buffer-overrun",
           who + " was written at byte " + std::to_string(at) + ", it has " + std::to_string(bytes_) + " B" +
               (margin_ != 0 ? " and " + std::to_string(margin_) + " B of margin before them" : ""),
           "keep within the buffer's size; --sanitize shows the line that writes");
  }
#endif
}

std::string BufferPool::Side::describe() const {
  return pool.name_ + " (" + std::to_string(pool.filled_ - pool.emptied_) + " of " + std::to_string(pool.blocks_.size()) +
         " buffers of " + std::to_string(pool.bytes_) + " B full; filled by " + pool.producer_ + ", emptied by " +
         pool.consumer_ + ")";
}

Name BufferPool::Side::waker() const { return full ? pool.producer_ : pool.consumer_; }

BufferPort::BufferPort(BufferPool& pool, bool is_input, Name name)
    : pool_(&pool), bytes_(pool.bytes()), margin_(pool.margin()), is_input_(is_input), name_(name) {}

void BufferPort::acquire() {
  take();
  running_clock().advance(kBufferCycles);
}

void BufferPort::take() {
  if (block_ != nullptr) {
    refuse("buffer-acquire", std::string(name_) + " is acquired twice", "release it first");
  }
  block_ = is_input_ ? pool_->acquire_full() : pool_->acquire_empty();
  if (!is_input_) {
    pool_->paint_block(block_);
  }
}

void BufferPort::release() {
  if (block_ == nullptr) {
    refuse("buffer-acquire", std::string(name_) + " is released, but the kernel does not hold it", "acquire it first");
  }
  check_guards();
  const std::size_t unwritten = is_input_ ? 0 : pool_->still_painted(block_);
  if (unwritten != 0) {
    unwritten_ = unwritten;
    ++unwritten_calls_;
  }
  block_ = nullptr;
  if (is_input_) {
    pool_->release();
  } else {
    pool_->commit();
  }
}

std::byte* BufferPort::place() const { return pool_->first() - margin_; }

void BufferPort::check_guards() const {
  if (block_ != nullptr) {
    pool_->check_guards(block_, name_);
  }
}

namespace {

/// Memory that nobody may touch, as large as a port's buffer.
struct Nowhere {
  const BufferPort* port = nullptr;
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
};
std::vector<Nowhere>& nowheres() {
  static std::vector<Nowhere> all;
  return all;
}

void refuse_unheld(const void* address) {
  for (const Nowhere& n : nowheres()) {
    if (address >= n.begin && address < n.begin + n.bytes) {
      refuse("buffer-acquire", std::string(n.port->name()) + " is used, but the kernel does not hold it", "call acquire() first");
    }
  }
}

}  // namespace

std::byte* BufferPort::nowhere() const {
  constexpr std::size_t kPage = 65536;  // a multiple of every machine's
  for (const Nowhere& n : nowheres()) {
    if (n.port == this) {
      return n.begin + kPage;
    }
  }
  const std::size_t bytes = (margin_ + bytes_ + kPage - 1) / kPage * kPage + 2 * kPage;  // a page before, for negative steps
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    refuse("buffer-acquire", std::string(name_) + " is asked for its data, but the kernel does not hold it", "call acquire() first");
  }
  on_forbidden_access = refuse_unheld;
  nowheres().push_back({this, static_cast<std::byte*>(memory), bytes});
  return nowheres().back().begin + kPage;
}

void BufferPort::beyond(long long offset, std::size_t bytes) const {
  refuse("buffer-overrun",
         std::to_string(bytes) + " B at byte " + std::to_string(offset) + " of " + std::string(name_) + ", which has " +
             std::to_string(bytes_ + margin_) + " B",
         "read and write within the buffer's size");
}

}  // namespace aieloom
