#include "aieloom/buffer.h"

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

#ifdef AIELOOM_ASAN
constexpr std::uint64_t kCanary = 0xA1E10033C0DEFEEDULL;

/// What a block holds that a kernel is about to fill.
std::byte canary(std::size_t at) { return static_cast<std::byte>(kCanary >> (8 * (at % 8))); }
#endif

std::size_t round_up(std::size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

/// Blocks that go round before they lie side by side: pages of their own for each cost the caches more than kernels take.
constexpr std::size_t kWatched = 8;

}  // namespace

BufferPool::BufferPool(std::string name, std::size_t bytes, std::size_t count, std::size_t margin)
    : name_(std::move(name)), bytes_(bytes), margin_(margin), count_(count), rest_(round_up(margin + bytes) - margin - bytes + kGuard) {
#ifndef AIELOOM_ASAN
  // The margin's first byte is aligned, for that is where the kernel's pointer starts.
  const GuardedMemory::Layout layout = {margin + bytes, kAlignment / 2, std::size_t{64} << 10, "buffer-overrun", true};
  for (std::size_t i = 0; i < count; ++i) {
    watched_.emplace_back(layout, [this] { return described(); });
  }
  watched_fills_ = count > 1 ? kWatched : ~std::size_t{0};  // where there is but one block, kernels may keep its address
#endif
  // guard, margin, data, guard
  const std::size_t stride = kGuard + margin + bytes + rest_;
  memory_.resize(stride * count + kAlignment);
  const auto start = round_up(reinterpret_cast<std::uintptr_t>(memory_.data()));
  for (std::size_t i = 0; i < count; ++i) {
    auto* data = reinterpret_cast<std::byte*>(start) + i * stride + kGuard + margin;
#ifdef AIELOOM_ASAN
    ASAN_POISON_MEMORY_REGION(data - margin - kGuard, kGuard);
    ASAN_POISON_MEMORY_REGION(data + bytes, rest_);
#else
    words_.paint(data - margin - kGuard, kGuard, i * stride);
    words_.paint(data + bytes, rest_, i * stride + kGuard);
#endif
    blocks_.push_back(data);
  }
  full_since_.resize(count);
  empty_since_.resize(count);
}

namespace {

/// When who gives a block away has it in memory, and the lock says so.
std::uint64_t given() { return running_clock().now() + (running_clock().is_core() ? 0 : kHandOverCycles); }

}  // namespace

std::byte* BufferPool::block_of(std::size_t fill) {
  const std::size_t number = fill % count_;
  return fill < watched_fills_ ? watched_[number].begin() + margin_ : blocks_[number];
}

void BufferPool::set_ends(std::string producer, std::string consumer) {
  producer_ = std::move(producer);
  consumer_ = std::move(consumer);
}

std::byte* BufferPool::acquire_empty() {
  while (filled_ - emptied_ == blocks_.size()) {
    block(not_full_, "for an empty buffer");
  }
  running_clock().wait_until(static_cast<double>(empty_since_[filled_ % blocks_.size()]), Stall::kLock, name_.c_str());
  std::byte* next = block_of(filled_);
  if (margin_ != 0 && filled_ > 0) {  // it begins with the end of the one before, which still lies in its place
    std::memmove(next - margin_, block_of(filled_ - 1) + bytes_ - margin_, margin_);
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
  return block_of(emptied_);
}

void BufferPool::release() {
  is_taken_ = false;
  empty_since_[emptied_ % blocks_.size()] = given();
  ++emptied_;
  wake(not_full_);
}

void BufferPool::paint_block([[maybe_unused]] std::byte* data) const {
#ifdef AIELOOM_ASAN
  for (std::size_t i = 0; i < bytes_; ++i) {
    data[i] = canary(i);
  }
#endif
}

std::size_t BufferPool::still_painted([[maybe_unused]] const std::byte* data) const {
  std::size_t count = 0;
#ifdef AIELOOM_ASAN
  constexpr std::size_t kUnit = 4;
  for (std::size_t at = 0; at + kUnit <= bytes_; at += kUnit) {
    std::size_t same = 0;
    while (same < kUnit && data[at + same] == canary(at + same)) {
      ++same;
    }
    count += same == kUnit ? kUnit : 0;
  }
#endif
  return count;
}

std::string BufferPool::described() const {
  return name_ + " of " + std::to_string(bytes_) + " B" + (margin_ != 0 ? " behind " + std::to_string(margin_) + " B of margin" : "");
}

void BufferPool::check_guards([[maybe_unused]] const std::byte* data, [[maybe_unused]] const std::string& who) const {
#ifndef AIELOOM_ASAN
  long long at = 0;
  if (is_damaged(data, at)) {
    refuse("buffer-overrun",
           who + " was written at byte " + std::to_string(at) + ", it has " + std::to_string(bytes_) + " B" +
               (margin_ != 0 ? " and " + std::to_string(margin_) + " B of margin before them" : ""),
           "keep within the buffer's size; --sanitize shows the line that writes");
  }
#endif
}

bool BufferPool::is_damaged(const std::byte* data, long long& at) const {
  const auto number = static_cast<std::size_t>(data - blocks_.front()) / (kGuard + margin_ + bytes_ + rest_);
  if (number >= count_ || blocks_[number] != data) {
    for (const GuardedMemory& block : watched_) {
      if (block.begin() + margin_ == data && block.is_damaged(at)) {
        at -= static_cast<long long>(margin_);
        return true;
      }
    }
    return false;
  }
  const std::size_t place = number * (kGuard + margin_ + bytes_ + rest_);
  const std::size_t low = words_.whole(data - margin_ - kGuard, kGuard, place);
  const std::size_t high = words_.whole(data + bytes_, rest_, place + kGuard);
  at = low < kGuard ? static_cast<long long>(low) - static_cast<long long>(kGuard + margin_) : static_cast<long long>(bytes_ + high);
  return low < kGuard || high < rest_;
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

bool refuse_unheld(const void* address, bool) {
  for (const Nowhere& n : nowheres()) {
    if (address >= n.begin && address < n.begin + n.bytes) {
      refuse("buffer-acquire", std::string(n.port->name()) + " is used, but the kernel does not hold it", "call acquire() first");
    }
  }
  return false;
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
  on_forbidden_access(refuse_unheld);
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
