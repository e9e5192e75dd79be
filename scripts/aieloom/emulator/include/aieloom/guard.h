// Memory whose neighbours nobody may touch: buffers of kernels, buffer objects, what GMIO::malloc() gives.
//
// Its end is the end of a page, as far as its alignment allows, and pages without access lie on both sides: who reads or writes
// there is stopped at the instruction that does it, and told with the buffer's name. What is left of its own pages holds guard words.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>

namespace aieloom {

/// Words that no program writes by chance, for bytes beside a memory. Each memory has others, and each place of a guard: neither
/// words copied from one guard to another nor from one place of it to the next pass for whole.
class GuardWords {
 public:
  GuardWords();
  void paint(std::byte* guard, std::size_t bytes, std::size_t place) const;
  /// How many bytes from the begin on are whole.
  [[nodiscard]] std::size_t whole(const std::byte* guard, std::size_t bytes, std::size_t place) const;

 private:
  const std::byte* words_;
};

class GuardedMemory {
 public:
  /// What a report calls the memory, its size with it: "argument 'mem', a buffer object of 256 B made at host.cpp:17".
  using Name = std::function<std::string()>;

  struct Layout {
    std::size_t bytes = 0;
    std::size_t alignment = 64;
    std::size_t gap = 0;  // bytes without access on each side, at the least
    const char* rule = "memory-overrun";
    bool reads_go_on = false;  // a read outside is a warning: kernels of the array may load what they do not use
  };

  GuardedMemory(const Layout& layout, Name name);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  [[nodiscard]] std::byte* begin() const noexcept { return begin_; }

  /// The byte beside the memory that was written, counted from its begin; false: none was.
  [[nodiscard]] bool is_damaged(long long& at) const;

  /// Refuse when something beside the memory was written; `who` had it.
  void check(const std::string& who) const;

  /// Nobody may touch it any more: it was given back.
  void forbid();
  [[nodiscard]] bool is_gone() const;

 private:
  friend struct GuardedRegion;
  /// The bytes of its own pages before and behind it.
  struct Rest {
    std::byte* begin;
    std::size_t bytes, place;
  };
  [[nodiscard]] std::array<Rest, 2> rests() const;

  Layout layout_;
  std::byte* pages_;  // those of its own
  std::size_t page_bytes_;
  std::byte* begin_;
  GuardWords words_;
  struct GuardedRegion* region_;
};

/// Refuse a transfer by the hardware that is not inside one guarded memory; `what` moves the bytes.
void check_transfer(const void* memory, std::size_t bytes, const std::string& what);

}  // namespace aieloom
