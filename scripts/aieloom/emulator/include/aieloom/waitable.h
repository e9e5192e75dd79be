// What fibers wait for: the part of the scheduler that streams and buffers need, kept light for kernels' sake.
#pragma once

#include <cstddef>
#include <iosfwd>  // std::string, by name alone

#include "aieloom/name.h"

namespace aieloom {

class Fiber;

/// Something a fiber can block on: a stream, a buffer's lock, the end of a compute unit.
class Waitable {
 public:
  Waitable() = default;
  Waitable(const Waitable&) = delete;
  Waitable& operator=(const Waitable&) = delete;

  /// One line for a deadlock report, e.g. "stream act1.in_3 holds 12 of 4096 words".
  [[nodiscard]] virtual std::string describe() const = 0;

  /// Name of a fiber that can end the wait; empty when that is the host or nobody in particular.
  [[nodiscard]] virtual Name waker() const { return {}; }

  /// Of a full stream in a timed run: the words that lie on the way at most to who reads last, 0 of all else. give_room() makes it some more, and says how many it then is.
  [[nodiscard]] virtual std::size_t full_words() const { return 0; }
  virtual std::size_t give_room() { return 0; }

  [[nodiscard]] bool has_waiters() const noexcept { return first_ != nullptr; }

 protected:
  ~Waitable() = default;

 private:
  friend class Scheduler;
  Fiber* first_ = nullptr;  // fibers blocked here, in order of arrival
  Fiber* last_ = nullptr;
};

/// Block the running fiber until somebody calls wake(on). The caller re-checks its condition in a loop.
/// `action` and `needed` go into the deadlock report ("read", 64 -> "waits to read 64").
void block(Waitable& on, const char* action, std::size_t needed = 1);

/// Make every fiber that is blocked on `on` runnable. Cheap when there is none.
void wake(Waitable& on);

/// Let the other runnable fibers run first.
void yield();

/// The running fiber's name; "host" on the program's own stack.
[[nodiscard]] const std::string& running_name();

/// A pointer of the running fiber's own: what a core's registers are to the kernels that run on it.
[[nodiscard]] void*& fiber_local();

}  // namespace aieloom
