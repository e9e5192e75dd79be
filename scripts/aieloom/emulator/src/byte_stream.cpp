#include "aieloom/byte_stream.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "aieloom/logic.h"
#include "lanes.h"

namespace aieloom {

/// When each word of a stream came and went.
struct ByteStream::Times {
  struct Port {
    double word_cycles = 0;  // of who reads; 0: as fast as they come
    double free = 0;         // when it is done with the word before
    double detour = 0;       // by which its way is longer
    std::vector<double> left;  // when the word in each place went
    Span span;
    Fill fill;
  };
  double word_cycles, latency;
  Stall kind;
  std::size_t before = 0;  // words of what is read at once that have been taken

  /// When a core passes a word of what it reads or writes at once, after the first: 32 bits of a stream, a value of a cascade a
  /// cycle [AM009 AI Engine: stream and cascade interfaces].
  [[nodiscard]] double after(std::size_t words) const { return static_cast<double>(words) * (kind == Stall::kCascade ? kCascadeWordCycles : 1.0); }
  double wire_free = 0;
  std::vector<double> arrived = {};  // when the word in each place is there
  std::vector<Port> ports = {};
  Span span = {};
};

namespace {

constexpr std::size_t kWord = 4;  // bytes: what a stream carries at once, and what has a time here

std::uint64_t cycle_of(double time) { return static_cast<std::uint64_t>(std::ceil(time)); }

}  // namespace

ByteStream::ByteStream(Name name, std::size_t capacity)
    : name_(name), mask_(std::bit_ceil(std::max<std::size_t>(capacity, 64)) - 1), capacity_(mask_ + 1) {
  ring_ = new std::byte[mask_ + 1];
}

ByteStream::~ByteStream() {
  delete times_;
  delete[] ring_;
  delete[] readers_;
}

int ByteStream::add_reader(Name who) {
  auto* more = new Reader[reader_count_ + 1];
  std::copy_n(readers_, reader_count_, more);
  more[reader_count_].who = who;
  delete[] std::exchange(readers_, more);
  watched_ = reader_count_ > 0;
  return static_cast<int>(reader_count_++);
}

void ByteStream::keep_time(std::size_t bytes, double word_cycles, double latency, Stall kind) {
  capacity_ = bytes;
  std::size_t most = 0;
  for (const Reader& reader : readers()) {
    most = std::max(most, reader.fifo);
  }
  mask_ = std::bit_ceil(capacity_ + most) - 1;
  delete[] std::exchange(ring_, new std::byte[mask_ + 1]);
  const std::size_t words = (mask_ + 1) / kWord;
  times_ = new Times{.word_cycles = word_cycles, .latency = latency, .kind = kind};
  times_->arrived.resize(words);
  times_->ports.resize(reader_count_);
  for (Times::Port& port : times_->ports) {
    port.left.resize(words);
    port.fill.words = (bytes + readers_[&port - times_->ports.data()].fifo) / kWord;
  }
  watched_ = true;
  slowest_ = most;
  for (const Reader& reader : readers()) {
    slowest_ = std::min(slowest_, reader.position + reader.fifo);
  }
}

void ByteStream::set_pace(int reader, double word_cycles) { times_->ports[index(reader)].word_cycles = word_cycles; }

void ByteStream::set_detour(int reader, double cycles) { times_->ports[index(reader)].detour = cycles; }

void ByteStream::add_fifo(int reader, std::size_t bytes) { readers_[index(reader)].fifo = bytes; }

ByteStream::Span ByteStream::span_written() const { return times_ != nullptr ? times_->span : Span{}; }

ByteStream::Span ByteStream::span_read(int reader) const { return times_ != nullptr ? times_->ports[index(reader)].span : Span{}; }

const ByteStream::Fill* ByteStream::fill(int reader) const { return times_ != nullptr ? &times_->ports[index(reader)].fill : nullptr; }

AIELOOM_OFTEN void ByteStream::Fill::add(double from, double to) {
  if (cycles == 0) {
    begin = from;
    cycles = 64;
  }
  from = std::max(0.0, from - begin);
  to -= begin;
  while (to >= cycles * kSpans) {  // twice as long spans
    for (std::size_t i = 0; i < kSpans; ++i) {
      area[i] = i < kSpans / 2 ? area[2 * i] + area[2 * i + 1] : 0;
    }
    cycles *= 2;
    ++doubled;
  }
  auto i = static_cast<std::size_t>(from * (1 / 64.0)) >> doubled;
  if (to <= static_cast<double>(i + 1) * cycles) {  // nearly always
    area[i] += static_cast<float>(to - from);
    return;
  }
  for (; from < to; ++i) {
    const double until = std::min(to, static_cast<double>(i + 1) * cycles);
    area[i] += static_cast<float>(until - from);
    from = until;
  }
}

std::uint64_t ByteStream::unread() const noexcept {
  std::uint64_t slowest = head_;
  for (const Reader& reader : readers()) {
    slowest = std::min(slowest, reader.position);
  }
  return head_ - slowest;
}

void ByteStream::write_checked(const void* source, std::size_t n) {
  if (times_ != nullptr) {
    write_timed(source, n);
    return;
  }
  if (room() < n) {
    wait_for_room(n);
  }
  put(source, n);
  const std::size_t next = (head_ - origin_) & mask_;
  base_ = reinterpret_cast<std::uintptr_t>(ring_ + next) - head_;
  unchecked_until_ = std::min(head_ + std::min(room(), (mask_ + 1) - next), notify_at_ - 1);
}

/// Word by word: each goes into the FIFO when the one that had its place has left every reader's, and onto the wire after the one before.
AIELOOM_OFTEN void ByteStream::write_timed(const void* source, std::size_t n) {
  const auto* from = static_cast<const std::byte*>(source);
  Clock& clock = running_clock();
  for (std::size_t done = 0; done < n;) {
    const std::size_t least = std::min(n - done, kWord);  // a reader may wait for a part of it that still fits
    if (room() < least) {
      wait_for_room(least);
    }
    const std::size_t part = std::min(n - done, std::max(room() / kWord * kWord, least));
    Times& t = *times_;
    const std::size_t places = t.arrived.size() - 1;  // a power of two
    auto entered = logic::inputs_came(clock);  // of a core: when it begins to write
    double later = clock.is_core() ? t.after(done / kWord) : 0;
    const double a_word = clock.is_core() ? t.after(1) : 0;
    for (std::uint64_t word = head_ / kWord; word < (head_ + part + kWord - 1) / kWord; ++word, later += a_word) {
      for (std::size_t r = 0; r < reader_count_; ++r) {
        const std::uint64_t ahead = (capacity_ + readers_[r].fifo) / kWord;
        if (word >= ahead) {
          // Words on their way lie in registers, not in the FIFOs' places: a full way passes a word a cycle.
          entered = std::max(entered, t.ports[r].left[(word - ahead) & places] - t.latency - t.ports[r].detour - later);
        }
      }
      t.wire_free = std::max(t.wire_free, entered + later) + t.word_cycles;
      if (!clock.is_core()) {  // what a core needs to write stands in its own code
        entered = t.wire_free;
      }
      t.arrived[word & places] = t.wire_free + t.latency;
      if (word == 0) {
        t.span.first = cycle_of(entered);
      }
    }
    t.span.last = cycle_of(entered + std::max(0.0, later - a_word));
    clock.wait_until(entered, t.kind, name_.c_str());
    put(from + done, part);
    done += part;
  }
}

void ByteStream::put(const void* source, std::size_t n) {
  const std::size_t at = (head_ - origin_) & mask_;
  const std::size_t straight = std::min((mask_ + 1) - at, n);
  std::memcpy(ring_ + at, source, straight);
  if (straight < n) {
    std::memcpy(ring_, static_cast<const std::byte*>(source) + straight, n - straight);
  }
  head_ += n;
  if (head_ >= notify_at_) {
    notify_readers();
  }
}

void ByteStream::wait_for_room(std::size_t n) {
  while (room() < n) {
    room_wanted_ = n;
    block(writable_, "to write", n);
  }
}

void ByteStream::read_in_parts(int reader, void* target, std::size_t n) {
  auto* place = static_cast<std::byte*>(target);
  while (n > 0) {
    const std::size_t want = std::min(n, capacity_);
    while (available(reader) < want) {
      notify_at_ = std::min(notify_at_, readers_[index(reader)].position + want);
      unchecked_until_ = std::min(unchecked_until_, notify_at_ - 1);
      block(readable_, "to read", n);
    }
    if (times_ != nullptr) {
      times_->before = static_cast<std::size_t>(place - static_cast<std::byte*>(target)) / kWord;
    }
    take(readers_[index(reader)], place, want);
    if (times_ != nullptr) {
      times_->before = 0;
    }
    place += want;
    n -= want;
  }
}

void ByteStream::notify_readers() {
  notify_at_ = std::numeric_limits<std::uint64_t>::max();
  wake(readable_);
}

AIELOOM_OFTEN void ByteStream::after_reading(Reader& reader, std::size_t n) {
  if (times_ != nullptr) {
    Times& t = *times_;
    Times::Port& port = t.ports[static_cast<std::size_t>(&reader - readers_)];
    Clock& clock = running_clock();
    auto left = logic::iteration_began(clock);  // of a core: when it begins to read
    double later = clock.is_core() ? t.after(t.before) : 0;
    const double a_word = clock.is_core() ? t.after(1) : 0;
    const std::uint64_t first = reader.position - n;
    const std::size_t places = t.arrived.size() - 1;
    for (std::uint64_t word = first / kWord; word < (reader.position + kWord - 1) / kWord; ++word, later += a_word) {
      const double arrived = t.arrived[word & places];
      left = std::max(left, arrived + port.detour - later);
      if (!clock.is_core()) {
        left = std::max(left, port.free + port.word_cycles);
        port.free = left;
      }
      port.left[word & places] = left + later;
      if (word == 0) {
        port.span.first = cycle_of(left);
      }
      port.fill.add(std::max(0.0, arrived - t.latency), left + later);
    }
    port.span.last = cycle_of(left + later - a_word);
    clock.wait_until(left, t.kind, name_.c_str());
    logic::input_came(clock, left);
  }
  slowest_ = std::numeric_limits<std::uint64_t>::max();
  for (const Reader& r : readers()) {
    slowest_ = std::min(slowest_, r.position + r.fifo);
  }
  if (writable_.has_waiters() && room() >= room_wanted_) {
    wake(writable_);
  }
}

std::uint64_t ByteStream::arrival(int reader, std::size_t n) const {
  if (times_ == nullptr) {
    return 0;
  }
  const std::uint64_t word = (readers_[index(reader)].position + n - 1) / kWord;
  return cycle_of(times_->arrived[word & (times_->arrived.size() - 1)] + times_->ports[index(reader)].detour);
}

bool ByteStream::passed_last(int reader) {
  Reader& r = readers_[index(reader)];
  bool passed = false;
  while (r.lasts_seen - lasts_dropped_ < lasts_.size() && lasts_[r.lasts_seen - lasts_dropped_] <= r.position) {
    passed = lasts_[r.lasts_seen - lasts_dropped_] == r.position;
    ++r.lasts_seen;
  }
  std::size_t behind_all = r.lasts_seen;
  for (const Reader& other : readers()) {
    behind_all = std::min(behind_all, other.lasts_seen);
  }
  while (lasts_dropped_ < behind_all) {
    lasts_.pop();
    ++lasts_dropped_;
  }
  return passed;
}

std::size_t ByteStream::until_last(int reader) const {
  const Reader& r = readers_[index(reader)];
  for (std::size_t i = r.lasts_seen - lasts_dropped_; i < lasts_.size(); ++i) {
    if (lasts_[i] > r.position) {
      return lasts_[i] - r.position;
    }
  }
  return available(reader);
}

Name ByteStream::Side::waker() const {
  if (this == &stream.readable_) {
    return stream.writer_;
  }
  for (const Reader& reader : stream.readers()) {
    if (reader.position + reader.fifo == stream.slowest_) {
      return reader.who;
    }
  }
  return {};
}

std::size_t ByteStream::Side::full_words() const {
  if (this != &stream.writable_ || stream.times_ == nullptr || stream.times_->kind == Stall::kCascade) {
    return 0;
  }
  for (const Reader& reader : stream.readers()) {
    if (reader.position + reader.fifo == stream.slowest_) {
      return (stream.capacity_ + reader.fifo) / kWord;
    }
  }
  return 0;
}

std::size_t ByteStream::Side::give_room() {
  auto& s = const_cast<ByteStream&>(stream);
  for (std::size_t r = 0; r < s.reader_count_; ++r) {
    Reader& reader = s.readers_[r];
    if (reader.position + reader.fifo == s.slowest_) {
      s.grow(reader, std::max(s.room_wanted_, (s.capacity_ + reader.fifo) / 16 / kWord * kWord));
      return (s.capacity_ + reader.fifo) / kWord;
    }
  }
  return 0;
}

/// Lengthen a reader's FIFO; what lies on the way keeps its place.
void ByteStream::grow(Reader& grown, std::size_t bytes) {
  grown.fifo += (bytes + kWord - 1) / kWord * kWord;
  std::size_t most = 0;
  slowest_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t oldest = head_;
  for (const Reader& reader : readers()) {
    most = std::max(most, reader.fifo);
    slowest_ = std::min(slowest_, reader.position + reader.fifo);
    oldest = std::min(oldest, reader.position);
  }
  const std::size_t before = mask_ + 1, after = std::bit_ceil(capacity_ + most);
  if (after == before) {
    return;
  }
  auto* ring = new std::byte[after];
  for (std::uint64_t at = oldest; at < head_; ++at) {
    ring[at & (after - 1)] = ring_[at & mask_];
  }
  delete[] std::exchange(ring_, ring);
  mask_ = after - 1;
  unchecked_until_ = 0;
  const auto move = [&](std::vector<double>& times) {
    std::vector<double> moved(after / kWord);
    const std::uint64_t last = (head_ + kWord - 1) / kWord;
    for (std::uint64_t word = last > before / kWord ? last - before / kWord : 0; word < last; ++word) {
      moved[word % moved.size()] = times[word % times.size()];
    }
    times = std::move(moved);
  };
  move(times_->arrived);
  for (Times::Port& port : times_->ports) {
    move(port.left);
  }
}

std::string ByteStream::Side::describe() const {
  const ByteStream& s = stream;
  std::string text = std::string(s.name_) + " (written by " + std::string(s.writer_) + ", " + std::to_string(s.head_) + " B so far;";
  for (const Reader& reader : s.readers()) {
    text += " " + std::string(reader.who) + " has " + std::to_string(s.head_ - reader.position) + " B to read;";
  }
  text.back() = ')';
  return text;
}

}  // namespace aieloom
