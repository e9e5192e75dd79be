// Buffers between kernels and DMA channels: blocks that change hands, guarded by locks on the device.
#ifndef AIELOOM_BUFFER_H
#define AIELOOM_BUFFER_H

#include <cstddef>
#include <string>
#include <vector>

#include "aieloom/waitable.h"

namespace aieloom {

/// One or two blocks (single or ping-pong) that go from one producer to one consumer and back.
///
/// A block is `margin` bytes that repeat the end of the block before, then the data; guard bytes lie on both sides.
class BufferPool {
 public:
  BufferPool(std::string name, std::size_t bytes, std::size_t count, std::size_t margin = 0);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t margin() const noexcept { return margin_; }

  /// Who fills and who empties it, for reports.
  void set_ends(std::string producer, std::string consumer);

  /// Each returns a block's data, behind its margin.
  std::byte* acquire_empty();  // producer: blocks while the consumer has all
  void commit();               // producer: the block is full
  std::byte* acquire_full();   // consumer: blocks until a block is full
  void release();              // consumer: the block is empty again

  /// Refuse when something was written beside the block; `who` had it.
  void check_guards(const std::byte* data, const std::string& who) const;

 private:
  struct Side final : Waitable {
    Side(const BufferPool& p, bool is_full) : pool(p), full(is_full) {}
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] std::vector<std::string> wakers() const override;
    const BufferPool& pool;
    bool full;  // waits for a full block, which the producer gives
  };

  std::string name_;
  std::size_t bytes_;
  std::size_t margin_;
  std::string producer_ = "nobody", consumer_ = "nobody";
  std::vector<std::byte*> blocks_;
  std::vector<std::byte> memory_;
  std::size_t filled_ = 0;   // blocks committed since the beginning
  std::size_t emptied_ = 0;  // blocks released since the beginning
  Side not_full_{*this, false};
  Side not_empty_{*this, true};
};

/// A kernel's buffer argument: which block it holds at the moment.
class BufferPort {
 public:
  BufferPort(BufferPool& pool, bool is_input, std::string name) : pool_(&pool), is_input_(is_input), name_(std::move(name)) {}

  void acquire();
  void release();
  void check_guards() const;
  [[nodiscard]] bool held() const noexcept { return block_ != nullptr; }
  [[nodiscard]] std::size_t bytes() const noexcept { return pool_->bytes(); }
  [[nodiscard]] std::size_t margin() const noexcept { return pool_->margin(); }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The block's first byte, of the margin where there is one; refuses when the kernel has not acquired the buffer.
  [[nodiscard]] std::byte* data() const {
    if (block_ == nullptr) {
      not_acquired();
    }
    return block_ - pool_->margin();
  }

  /// Refuse an access of `bytes` at byte `offset` that is not inside the buffer.
  [[noreturn]] void beyond(long long offset, std::size_t bytes) const;

 private:
  [[noreturn]] void not_acquired() const;

  BufferPool* pool_;
  bool is_input_;
  std::string name_;
  std::byte* block_ = nullptr;
};

class ByteStream;

/// A kernel's end of a stream.
struct StreamEnd {
  ByteStream* stream = nullptr;
  int reader = 0;
  std::string name;
  bool in_packet = false;  // of a writer: the header is out, TLAST is not
};

/// What a kernel's parameter is bound to while it runs.
struct CoreArgument {
  BufferPort* buffer = nullptr;
  StreamEnd* stream = nullptr;
  void* value = nullptr;
};

}  // namespace aieloom

#endif  // AIELOOM_BUFFER_H
