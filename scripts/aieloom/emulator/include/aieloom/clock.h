// Time in a timed run (`aieloom emulate --timed`): each fiber has a clock that counts cycles of the array.
//
// What a fiber takes from another one carries the time at which it was given, and who takes it waits until then; who gives waits
// until there was room. Between fibers that exchange data in a fixed order the times are those of one queue of events, whatever
// the order in which the fibers run here.
#pragma once

#include <cstdint>

/// What runs for every word of a timed run, in a runtime that is compiled for the compiler's speed.
#if defined(__GNUC__) && !defined(__clang__)
#define AIELOOM_OFTEN __attribute__((optimize("O2")))
#else
#define AIELOOM_OFTEN
#endif

namespace aieloom {

/// What a core stands still for.
enum class Stall : unsigned char { kLock, kStream, kCascade };

/// What a timed run writes of one core: how long it waited for what, and what it did when.
struct Lane;

/// The compute unit of a PL kernel whose fibers share a clock's rate and its memory ports (logic.h).
struct Logic;
namespace logic {
class Loop;
}

/// A fiber's time. A core's is the counter in its kernel's code (aieloom/emulator/timed/kernels.py), which the code itself moves on.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  [[nodiscard]] std::uint64_t now() const noexcept { return *counter_; }
  [[nodiscard]] bool is_core() const noexcept { return lane_ != nullptr; }

  /// Become a core's: `counter` is null when its code has none.
  void attach(std::uint64_t* counter, Lane& lane) noexcept {
    counter_ = counter != nullptr ? counter : &own_;
    lane_ = &lane;
  }

  /// Become a compute unit's.
  void attach(Logic& logic) noexcept { logic_ = &logic; }
  /// Go on where another one is, as part of the same compute unit.
  void follow(const Clock& other) noexcept {
    logic_ = other.logic_;
    *counter_ = other.now();
  }
  [[nodiscard]] Logic* logic() const noexcept { return logic_; }
  [[nodiscard]] logic::Loop*& loop() noexcept { return loop_; }

  /// What began earlier than what ended last: a process of a dataflow region.
  void set(std::uint64_t time) noexcept { *counter_ = time; }
  void advance(std::uint64_t cycles) noexcept { *counter_ += cycles; }

  /// Stand still until `time`, if that is still to come; `on` is whose doing it is.
  void wait_until(double time, Stall why, const char* on);
  void wait_until(std::uint64_t time) noexcept {
    if (time > *counter_) {
      *counter_ = time;
    }
  }

 private:
  std::uint64_t own_ = 0;
  std::uint64_t* counter_ = &own_;
  Lane* lane_ = nullptr;
  Logic* logic_ = nullptr;
  logic::Loop* loop_ = nullptr;  // the innermost that runs
};

/// The running fiber's clock.
[[nodiscard]] Clock& running_clock();

/// Whether this run keeps time: $AIELOOM_TIMED is where it writes what it found.
[[nodiscard]] bool is_timed();

}  // namespace aieloom
