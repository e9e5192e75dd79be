#include "aieloom/byte_stream.h"

#include <algorithm>
#include <bit>

namespace aieloom {

ByteStream::ByteStream(std::string name, std::size_t capacity)
    : name_(std::move(name)), ring_(std::bit_ceil(std::max<std::size_t>(capacity, 64))), mask_(ring_.size() - 1) {}

int ByteStream::add_reader(std::string who) {
  Reader reader;
  reader.who = std::move(who);
  readers_.push_back(std::move(reader));
  return static_cast<int>(readers_.size() - 1);
}

void ByteStream::write_checked(const void* source, std::size_t n) {
  if (room() < n) {
    wait_for_room(n);
  }
  const std::size_t at = (head_ - origin_) & mask_;
  const std::size_t straight = std::min(ring_.size() - at, n);
  std::memcpy(ring_.data() + at, source, straight);
  if (straight < n) {
    std::memcpy(ring_.data(), static_cast<const std::byte*>(source) + straight, n - straight);
  }
  head_ += n;
  if (head_ >= notify_at_) {
    notify_readers();
  }
  const std::size_t next = (head_ - origin_) & mask_;
  place_ = ring_.data() + next;
  unchecked_until_ = std::min(head_ + std::min(room(), ring_.size() - next), notify_at_ - 1);
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
    const std::size_t want = std::min(n, ring_.size());
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
  for (const Reader& reader : readers_) {
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
  for (const Reader& other : readers_) {
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

std::vector<std::string> ByteStream::wakers(const Side& side) const {
  if (&side == &readable_) {
    return {writer_};
  }
  std::vector<std::string> slow;
  for (const Reader& reader : readers_) {
    if (reader.position == slowest_) {
      slow.push_back(reader.who);
    }
  }
  return slow;
}

std::string ByteStream::describe() const {
  std::string text = name_ + " (written by " + writer_ + ", " + std::to_string(head_) + " B so far;";
  for (const Reader& reader : readers_) {
    text += " " + reader.who + " has " + std::to_string(head_ - reader.position) + " B to read;";
  }
  text.back() = ')';
  return text;
}

}  // namespace aieloom
