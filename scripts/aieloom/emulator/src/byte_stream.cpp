#include "aieloom/byte_stream.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace aieloom {

ByteStream::ByteStream(Name name, std::size_t capacity)
    : name_(name), mask_(std::bit_ceil(std::max<std::size_t>(capacity, 64)) - 1) {
  ring_ = new std::byte[mask_ + 1];
}

ByteStream::~ByteStream() {
  delete[] ring_;
  delete[] readers_;
}

int ByteStream::add_reader(Name who) {
  auto* more = new Reader[reader_count_ + 1];
  std::copy_n(readers_, reader_count_, more);
  more[reader_count_].who = who;
  delete[] std::exchange(readers_, more);
  return static_cast<int>(reader_count_++);
}

std::uint64_t ByteStream::unread() const noexcept {
  std::uint64_t slowest = head_;
  for (const Reader& reader : readers()) {
    slowest = std::min(slowest, reader.position);
  }
  return head_ - slowest;
}

void ByteStream::write_checked(const void* source, std::size_t n) {
  if (room() < n) {
    wait_for_room(n);
  }
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
  const std::size_t next = (head_ - origin_) & mask_;
  place_ = ring_ + next;
  unchecked_until_ = std::min(head_ + std::min(room(), (mask_ + 1) - next), notify_at_ - 1);
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
    const std::size_t want = std::min(n, (mask_ + 1));
    while (available(reader) < want) {
      notify_at_ = std::min(notify_at_, readers_[index(reader)].position + want);
      unchecked_until_ = std::min(unchecked_until_, notify_at_ - 1);
      block(readable_, "to read", n);
    }
    take(readers_[index(reader)], place, want);
    place += want;
    n -= want;
  }
}

void ByteStream::notify_readers() {
  notify_at_ = std::numeric_limits<std::uint64_t>::max();
  wake(readable_);
}

void ByteStream::after_reading() {
  slowest_ = head_;
  for (const Reader& reader : readers()) {
    slowest_ = std::min(slowest_, reader.position);
  }
  if (writable_.has_waiters() && room() >= room_wanted_) {
    wake(writable_);
  }
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
    if (reader.position == stream.slowest_) {
      return reader.who;
    }
  }
  return {};
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
