// A stream of bytes from one writer to any number of readers, with the TLAST marks of AXI4-Stream.
//
// One class for every connection that the hardware makes with stream switches: PL to PLIO, PLIO to kernels
// (a broadcast has several readers, and the slowest holds back the writer, AM009), kernel to kernel.
// Words of any width pass through as bytes in little-endian order, as they do on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "aieloom/clock.h"
#include "aieloom/name.h"
#include "aieloom/waitable.h"
#include "aieloom/word_queue.h"

namespace aieloom {

class ByteStream {
 public:
  /// `capacity` bytes lie between writer and slowest reader at the most; rounded up to a power of two.
  ByteStream(Name name, std::size_t capacity);
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  ~ByteStream();

  /// Add a reader before anything is written; `who` is its name in reports.
  int add_reader(Name who);
  void set_writer(Name who) { writer_ = who; }

  /// In a timed run: bytes on the way, how long a word takes on the wire and on its way, and what who waits for it waits for.
  /// Once, after the readers were added.
  void keep_time(std::size_t bytes, double word_cycles, double latency, Stall kind);
  /// Cycles that a reader takes for a word, and bytes of a FIFO of its own before it.
  void set_pace(int reader, double word_cycles);
  void add_fifo(int reader, std::size_t bytes);
  /// Cycles by which a reader's way is longer than the shortest.
  void set_detour(int reader, double cycles);
  /// When the first and the last word went in, or out to a reader.
  struct Span {
    std::uint64_t first = 0, last = 0;
  };
  [[nodiscard]] Span span_written() const;
  [[nodiscard]] Span span_read(int reader) const;

  /// How full a reader's way was in a timed run: words in all, and the mean share of them in each of kSpans spans of `cycles` from its first on.
  struct Fill {
    static constexpr std::size_t kSpans = 128;
    std::size_t words = 0;
    double begin = 0, cycles = 0;
    unsigned doubled = 0;     // how often, from 64 on
    float area[kSpans] = {};  // words times cycles

    /// A word lay on the way.
    void add(double from, double to);
  };
  [[nodiscard]] const Fill* fill(int reader) const;
  [[nodiscard]] int reader_count() const noexcept { return static_cast<int>(reader_count_); }
  [[nodiscard]] Name reader_name(int reader) const noexcept { return readers_[index(reader)].who; }

  [[nodiscard]] Name name() const noexcept { return name_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t available(int reader) const noexcept { return head_ - readers_[index(reader)].position; }
  [[nodiscard]] std::size_t room() const noexcept { return capacity_ - (head_ - slowest_); }
  [[nodiscard]] std::uint64_t bytes_written() const noexcept { return head_; }
  [[nodiscard]] std::uint64_t bytes_read(int reader) const noexcept { return readers_[index(reader)].position; }
  /// Bytes that the slowest reader has not taken.
  [[nodiscard]] std::uint64_t unread() const noexcept;
  /// Whether somebody waits for data or for room.
  [[nodiscard]] bool waited_for() const noexcept { return readable_.has_waiters() || writable_.has_waiters(); }

  /// Write `n` bytes (at most the capacity); blocks while a reader is behind. `last` puts TLAST on them.
  void write(const void* source, std::size_t n, bool last = false) {
    if (head_ + n <= unchecked_until_) {
      std::memcpy(reinterpret_cast<Byte*>(base_ + head_), source, n);
      head_ += n;
    } else {
      write_checked(source, n);
    }
    if (last) {
      lasts_.push(head_);
    }
  }

  /// Read exactly `n` bytes, blocking until they have come; any number, also beyond the capacity.
  void read(int reader, void* target, std::size_t n) {
    if (available(reader) >= n) {
      take(readers_[index(reader)], target, n);
    } else {
      read_in_parts(reader, target, n);
    }
  }

  /// The cycle of the array in which the last of the next `n` bytes comes to a reader; they were written. 0 without times.
  [[nodiscard]] std::uint64_t arrival(int reader, std::size_t n) const;

  /// True when the byte before the reader's position carried TLAST; forgets marks that it has passed.
  [[nodiscard]] bool passed_last(int reader);

  /// passed_last(), cheap where no mark is on its way.
  [[nodiscard]] bool took_last(int reader) { return !lasts_.empty() && passed_last(reader); }

  /// Drop the marks behind a reader that does not ask for them.
  void forget_lasts(int reader) {
    if (!lasts_.empty()) {
      static_cast<void>(passed_last(reader));
    }
  }

  /// How many bytes a reader can take before the next TLAST, that one included; all available if there is none.
  [[nodiscard]] std::size_t until_last(int reader) const;

 private:
  struct Reader {
    std::uint64_t position = 0;
    std::size_t lasts_seen = 0;  // absolute count of TLAST marks behind this reader
    std::size_t fifo = 0;  // bytes of its own before it, in a timed run
    Name who;
  };
  struct Side final : Waitable {
    explicit Side(const ByteStream& s) : stream(s) {}
    [[nodiscard]] std::string describe() const override;
    [[nodiscard]] Name waker() const override;
    [[nodiscard]] std::size_t full_words() const override;
    std::size_t give_room() override;
    const ByteStream& stream;
  };

  static std::size_t index(int reader) { return static_cast<std::size_t>(reader); }

  struct Readers {
    const Reader *first, *last;
    [[nodiscard]] const Reader* begin() const { return first; }
    [[nodiscard]] const Reader* end() const { return last; }
  };
  [[nodiscard]] Readers readers() const { return {readers_, readers_ + reader_count_}; }

  void copy_out(std::uint64_t position, void* target, std::size_t n) const {
    const std::size_t at = (position - origin_) & mask_;
    if (at + n <= mask_ + 1) {
      std::memcpy(target, ring_ + at, n);
      return;
    }
    const std::size_t straight = mask_ + 1 - at;
    std::memcpy(target, ring_ + at, straight);
    std::memcpy(static_cast<Byte*>(target) + straight, ring_, n - straight);
  }

  void take(Reader& reader, void* target, std::size_t n) {
    copy_out(reader.position, target, n);
    reader.position += n;
    if (!watched_) {
      slowest_ = reader.position;
    }
    if (writable_.has_waiters() || watched_) {
      after_reading(reader, n);
    }
    if (slowest_ == head_ && times_ == nullptr) {
      origin_ = head_;
      unchecked_until_ = 0;
    }
  }

  void write_checked(const void* source, std::size_t n);
  void read_in_parts(int reader, void* target, std::size_t n);
  void wait_for_room(std::size_t n);
  void notify_readers();
  void grow(Reader& reader, std::size_t bytes);
  void after_reading(Reader& reader, std::size_t n);
  void write_timed(const void* source, std::size_t n);
  void put(const void* source, std::size_t n);

  Name name_;
  Name writer_ = "nobody";
  Byte* ring_;  // mask_ + 1 bytes
  std::size_t mask_;
  std::size_t capacity_;
  std::uint64_t origin_ = 0;  // the position that lies at the ring's start: where all was read last, so caches stay warm
  std::uint64_t head_ = 0;     // bytes written since the beginning
  std::uint64_t unchecked_until_ = 0;  // so far there is room, in one piece, and nobody to tell
  std::uintptr_t base_ = 0;            // while that holds, the address of byte 0, had it a place: a word costs one addition
  std::uint64_t slowest_ = 0;  // position of the slowest reader
  std::uint64_t notify_at_ = std::numeric_limits<std::uint64_t>::max();
  std::size_t room_wanted_ = 0;
  Reader* readers_ = nullptr;
  std::size_t reader_count_ = 0;
  bool watched_ = false;  // several readers, or their time counts
  struct Times;
  Times* times_ = nullptr;  // of a timed run
  WordQueue<std::uint64_t> lasts_;
  std::size_t lasts_dropped_ = 0;
  Side readable_{*this};
  Side writable_{*this};
};

}  // namespace aieloom
