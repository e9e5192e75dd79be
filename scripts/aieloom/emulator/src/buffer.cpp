#include "aieloom/buffer.h"

#include <cstdint>

#include "aieloom/report.h"

namespace aieloom {

namespace {

constexpr std::size_t kAlignment = 64;  // more than the 32 bytes that vectors ask for

}  // namespace

BufferPool::BufferPool(std::string name, std::size_t bytes, std::size_t count) : name_(std::move(name)), bytes_(bytes) {
  const std::size_t stride = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  memory_ = std::make_unique<std::byte[]>(stride * count + kAlignment);
  auto first = reinterpret_cast<std::uintptr_t>(memory_.get());
  first = (first + kAlignment - 1) / kAlignment * kAlignment;
  for (std::size_t i = 0; i < count; ++i) {
    blocks_.push_back(reinterpret_cast<std::byte*>(first) + i * stride);
  }
}

std::byte* BufferPool::acquire_empty() {
  while (filled_ - emptied_ == blocks_.size()) {
    block(not_full_, "for an empty buffer");
  }
  return blocks_[filled_ % blocks_.size()];
}

void BufferPool::commit() {
  ++filled_;
  wake(not_empty_);
}

std::byte* BufferPool::acquire_full() {
  while (filled_ == emptied_) {
    block(not_empty_, "for a full buffer");
  }
  return blocks_[emptied_ % blocks_.size()];
}

void BufferPool::release() {
  ++emptied_;
  wake(not_full_);
}

std::string BufferPool::Side::describe() const {
  return pool.name_ + " (" + std::to_string(pool.filled_ - pool.emptied_) + " of " + std::to_string(pool.blocks_.size()) +
         " buffers of " + std::to_string(pool.bytes_) + " B full)";
}

void BufferPort::acquire() {
  if (block_ != nullptr) {
    refuse("buffer-acquire", name_ + " is acquired twice", "release it first");
  }
  block_ = is_input_ ? pool_->acquire_full() : pool_->acquire_empty();
}

void BufferPort::release() {
  if (block_ == nullptr) {
    refuse("buffer-acquire", name_ + " is released, but the kernel does not hold it", "acquire it first");
  }
  block_ = nullptr;
  if (is_input_) {
    pool_->release();
  } else {
    pool_->commit();
  }
}

void BufferPort::not_acquired() const {
  refuse("buffer-acquire", name_ + " is used, but the kernel does not hold it", "call acquire() first");
}

}  // namespace aieloom
