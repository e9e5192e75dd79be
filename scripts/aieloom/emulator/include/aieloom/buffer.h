// What a kernel's parameters are bound to: its hold on a buffer, its end of a stream.
#pragma once

#include <cstddef>

#include "aieloom/name.h"

namespace aieloom {

class BufferPool;  // buffer_pool.h

/// A kernel's buffer argument: which block it holds at the moment.
class BufferPort {
 public:
  BufferPort(BufferPool& pool, bool is_input, Name name);

  void acquire();
  /// The same before a call, which knows the time of all its locks.
  void take();
  void release();
  void check_guards() const;
  [[nodiscard]] bool held() const noexcept { return block_ != nullptr; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t margin() const noexcept { return margin_; }
  [[nodiscard]] Name name() const noexcept { return name_; }

  [[nodiscard]] bool is_input() const noexcept { return is_input_; }
  [[nodiscard]] const BufferPool& pool() const noexcept { return *pool_; }

  /// Bytes of an output that the kernel left as they were, and in how many calls; known under --sanitize.
  [[nodiscard]] std::size_t unwritten() const noexcept { return unwritten_; }
  [[nodiscard]] std::size_t unwritten_calls() const noexcept { return unwritten_calls_; }

  /// The block's first byte, of the margin where there is one. Kernels may ask for it before they acquire the buffer, and do
  /// [AMD's async_buffer template]; what they read or write there is refused.
  [[nodiscard]] std::byte* data() const { return block_ != nullptr ? block_ - margin_ : nowhere(); }

  /// Where the first block begins, held or not: what an asynchronous window points at before it is acquired.
  [[nodiscard]] std::byte* place() const;

  /// Refuse an access of `bytes` at byte `offset` that is not inside the buffer.
  [[noreturn]] void beyond(long long offset, std::size_t bytes) const;

 private:
  [[nodiscard]] std::byte* nowhere() const;

  BufferPool* pool_;
  std::size_t bytes_;
  std::size_t margin_;
  bool is_input_;
  Name name_;
  std::byte* block_ = nullptr;
  std::size_t unwritten_ = 0, unwritten_calls_ = 0;
};

class ByteStream;

/// A kernel's end of a stream.
struct StreamEnd {
  ByteStream* stream = nullptr;
  int reader = 0;
  Name name;
  bool in_packet = false;  // of a writer: the header is out, TLAST is not
};

/// What a kernel's parameter is bound to while it runs.
struct CoreArgument {
  BufferPort* buffer = nullptr;
  StreamEnd* stream = nullptr;
  void* value = nullptr;
};

}  // namespace aieloom
