// Buffers between kernels and DMA channels: blocks that change hands, guarded by locks on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aieloom/guard.h"
#include "aieloom/sequence.h"
#include "aieloom/waitable.h"

namespace aieloom {

/// One or two blocks (single or ping-pong) that go from one producer to one consumer and back.
///
/// A block is `margin` bytes that repeat the end of the block before, then the data.
class BufferPool {
 public:
  BufferPool(std::string name, std::size_t bytes, std::size_t count, std::size_t margin = 0);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t margin() const noexcept { return margin_; }

  /// Full blocks that the consumer has not taken; one that it keeps, such as weights, is taken.
  [[nodiscard]] std::size_t untaken() const noexcept { return filled_ - emptied_ - (is_taken_ ? 1 : 0); }
  [[nodiscard]] const std::string& consumer() const noexcept { return consumer_; }
  /// Blocks that were filled since the beginning, and that the consumer has taken.
  [[nodiscard]] std::size_t filled() const noexcept { return filled_; }
  [[nodiscard]] std::size_t taken() const noexcept { return emptied_ + (is_taken_ ? 1 : 0); }

  /// Who fills and who empties it, for reports.
  void set_ends(std::string producer, std::string consumer);

  [[nodiscard]] std::byte* first() const noexcept { return blocks_.front(); }

  /// Each returns a block's data, behind its margin.
  std::byte* acquire_empty();  // producer: blocks while the consumer has all
  void commit();               // producer: the block is full
  std::byte* acquire_full();   // consumer: blocks until a block is full
  void release();              // consumer: the block is empty again

  /// Under --sanitize: paint a block that a kernel is about to fill, and count the bytes that kept the paint; else 0.
  void paint_block(std::byte* data) const;
  [[nodiscard]] std::size_t still_painted(const std::byte* data) const;

  /// Refuse when something was written beside the block; `who` had it.
  void check_guards(const std::byte* data, const std::string& who) const;

 private:
  struct Side final : Waitable {
    Side(const BufferPool& p, bool is_full) : pool(p), full(is_full) {}
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Name waker() const override;
    const BufferPool& pool;
    bool full;  // waits for a full block, which the producer gives
  };

  [[nodiscard]] std::string described() const;
  [[nodiscard]] std::byte* block_of(std::size_t fill);
  /// The byte beside a block that was written, counted from its data's begin; false: none was.
  [[nodiscard]] bool is_damaged(const std::byte* data, long long& at) const;

  std::string name_;
  std::size_t bytes_;
  std::size_t margin_;
  std::string producer_ = "nobody", consumer_ = "nobody";
  std::size_t count_;
  std::size_t rest_;  // bytes of the guard behind each of blocks_
  Sequence<GuardedMemory> watched_;  // the blocks of the first fills: pages that nobody may touch lie beside each
  std::size_t watched_fills_ = 0;
  std::vector<std::byte*> blocks_;  // of all others, side by side with guard words between them
  std::vector<std::byte> memory_;
  GuardWords words_;
  std::vector<std::uint64_t> full_since_, empty_since_;  // of each block, in cycles of a timed run
  std::size_t filled_ = 0;   // blocks committed since the beginning
  std::size_t emptied_ = 0;  // blocks released since the beginning
  bool is_taken_ = false;    // the consumer holds a block
  Side not_full_{*this, false};
  Side not_empty_{*this, true};
};

}  // namespace aieloom
