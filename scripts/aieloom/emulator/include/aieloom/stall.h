// Seeded stalls: steps in which a stream shows neither its data nor its room, as a neighbour that is late makes it in hardware.
//
// Data and room that were shown stay until they are taken, as TVALID and TREADY of a FIFO do. A stall is as short as a step or as
// long as a row of an image; which come when follows from the seed and from the order in which streams are first used.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "aieloom/scheduler.h"

namespace aieloom {

/// $AIELOOM_STALLS, which --stalls sets; 0: there are none.
inline const std::uint64_t stall_seed = [] {
  const char* text = std::getenv("AIELOOM_STALLS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) * 2 + 1 : 0;
}();

/// One side of a stream: its data, or its room.
class Hiding {
 public:
  /// Whether this step shows nothing; the others take a turn then.
  bool hides() {
    if (stall_seed == 0 || shown_) {
      return false;
    }
    if (left_ == 0) {
      left_ = next();
    }
    if (--left_ == 0) {
      shown_ = true;
      return false;
    }
    yield();
    return true;
  }

  /// What was shown is taken.
  void passed() { shown_ = false; }

 private:
  /// Steps until it shows something again: 1 mostly, else up to 2, 4, 8 ... 512.
  std::uint32_t next() {
    static std::uint64_t streams = 0;
    if (state_ == 0) {
      state_ = (stall_seed + ++streams) * 0x9e3779b97f4a7c15 | 1;
    }
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    const auto number = static_cast<std::uint32_t>(state_ >> 32);
    const std::uint32_t longest = 1U << (1 + number % 9);
    return number / 16 % 8 != 0 ? 1 : 1 + number / 128 % longest;
  }

  std::uint64_t state_ = 0;
  std::uint32_t left_ = 0;
  bool shown_ = false;
};

}  // namespace aieloom
