// When each word of a queue inside a PL kernel came and went, in a timed run.
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

 private:
  void put_timed(std::size_t places);
  void take_timed();

  bool timed_ = is_timed();
  WordQueue<std::uint64_t> came_;  // of the words in the queue
  WordQueue<std::uint64_t> left_;  // of the words that had the places
  std::size_t written_ = 0;
};

}  // namespace aieloom
