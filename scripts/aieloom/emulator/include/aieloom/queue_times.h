// When each word of a queue inside a PL kernel came and went, in a timed run; and what a kernel that polls sees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aieloom/clock.h"
#include "aieloom/word_queue.h"

namespace aieloom {

/// A queue's times: a word is there a cycle of the logic after it was written, and a place when its word has been read.
///
/// Queues of a dataflow region hold whatever they are given, because its processes run one after another here; those between
/// tasks have as many places as in hardware.
class QueueTimes {
 public:
  /// A word is written, into one of so many places (0: any number).
  void put(std::size_t places) {
    if (timed_) [[unlikely]] {
      put_timed(places);
    }
  }
  /// The oldest word is read.
  void took() {
    if (timed_) [[unlikely]] {
      take_timed();
    }
  }
  /// Whether the oldest word comes later than now: who only looks does not see it yet.
  [[nodiscard]] bool is_to_come() const { return timed_ && !came_.empty() && is_later(came_[0]); }
  /// The same of a word of a stream between kernels, whose cycle the stream knows.
  [[nodiscard]] bool is_to_come(std::uint64_t comes) const { return timed_ && is_later(comes); }
  /// Nothing is in the queue: let all that is earlier than now go on, for it may bring something.
  [[nodiscard]] bool may_still_come() const { return timed_ && others_are_earlier(); }

 private:
  [[nodiscard]] bool is_later(std::uint64_t comes) const;
  [[nodiscard]] static bool others_are_earlier();
  void put_timed(std::size_t places);
  void take_timed();

  bool timed_ = is_timed();
  WordQueue<std::uint64_t> came_;  // of the words in the queue
  WordQueue<std::uint64_t> left_;  // of the words that had the places
  std::size_t written_ = 0;
  mutable std::uint64_t looked_ = 0;  // when a word to come was last looked for
  mutable int looks_ = 0;             // and how often in that cycle
};

}  // namespace aieloom
