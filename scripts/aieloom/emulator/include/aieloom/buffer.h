// Buffers between kernels and DMA channels: blocks that change hands, guarded by locks on the device.
#ifndef AIELOOM_BUFFER_H
#define AIELOOM_BUFFER_H

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "aieloom/scheduler.h"

namespace aieloom {

/// One or two blocks (single or ping-pong) that go from one producer to one consumer and back.
class BufferPool {
 public:
  /// Blocks of `bytes`, `count` of them, starting on 32-byte boundaries as the mapper places them.
  BufferPool(std::string name, std::size_t bytes, std::size_t count);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  std::byte* acquire_empty();  // producer: blocks while the consumer has all
  void commit();               // producer: the block is full
  std::byte* acquire_full();   // consumer: blocks until a block is full
  void release();              // consumer: the block is empty again

 private:
  struct Side final : Waitable {
    explicit Side(const BufferPool& p) : pool(p) {}
    [[nodiscard]] std::string describe() const override;
    const BufferPool& pool;
  };

  std::string name_;
  std::size_t bytes_;
  std::vector<std::byte*> blocks_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t filled_ = 0;   // blocks committed since the beginning
  std::size_t emptied_ = 0;  // blocks released since the beginning
  Side not_full_{*this};
  Side not_empty_{*this};
};

/// A kernel's buffer argument: which block it holds at the moment.
class BufferPort {
 public:
  BufferPort(BufferPool& pool, bool is_input, std::string name) : pool_(&pool), is_input_(is_input), name_(std::move(name)) {}

  void acquire();
  void release();
  [[nodiscard]] bool held() const noexcept { return block_ != nullptr; }
  [[nodiscard]] std::size_t bytes() const noexcept { return pool_->bytes(); }

  /// The block's first byte; refuses when the kernel has not acquired the buffer.
  [[nodiscard]] std::byte* data() const {
    if (block_ == nullptr) {
      not_acquired();
    }
    return block_;
  }

 private:
  [[noreturn]] void not_acquired() const;

  BufferPool* pool_;
  bool is_input_;
  std::string name_;
  std::byte* block_ = nullptr;
};

class ByteStream;

/// What a kernel's parameter is bound to while it runs.
struct CoreArgument {
  BufferPort* buffer = nullptr;
  ByteStream* stream = nullptr;
  int reader = 0;
  void* value = nullptr;
};

}  // namespace aieloom

#endif  // AIELOOM_BUFFER_H
