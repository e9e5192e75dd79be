// The emulator's scheduler: kernels, DMA channels, PL compute units and the host are cooperative fibers.
//
// One thread, one run queue, first come first served: two runs of one program interleave identically, so
// results and messages repeat bit for bit. Nothing here is thread safe, and nothing needs to be.
//
// A fiber that cannot go on blocks on a Waitable and says what it needs. When every fiber is blocked the
// host (the program's own stack) is woken with a deadlock report: who waits for what, with how much present.
#ifndef AIELOOM_SCHEDULER_H
#define AIELOOM_SCHEDULER_H

#include <cstddef>
#include <functional>
#include <string>

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

/// What a fiber is, which decides what its waiting means when everything has come to rest.
enum class Role {
  kWorker,  // must finish: waiting for ever is a deadlock (a kernel inside an iteration, a started compute unit)
  kServer,  // may wait for ever at its own start (a DMA channel, a free-running compute unit)
};

/// Start a fiber. `name` appears in reports. It first runs when the current fiber blocks or yields.
Fiber& spawn(std::string name, Role role, std::function<void()> body);

/// Change the running fiber's role, e.g. a kernel between two iterations is a server, inside one a worker.
void set_role(Role role);

/// The running fiber's name; "host" on the program's own stack.
[[nodiscard]] const std::string& running_name();

/// A pointer of the running fiber's own: what a core's registers are to the kernels that run on it.
[[nodiscard]] void*& fiber_local();

/// Text of the present deadlock: every blocked fiber with what it waits for, and the cycle if there is one.
[[nodiscard]] std::string describe_blocked();

/// block(), but returns false instead of refusing when nothing else can run any more (a wait with a time
/// limit in the emulated program: time passes, nothing happens, the limit is reached).
[[nodiscard]] bool block_unless_stuck(Waitable& on, const char* action, std::size_t needed = 1);

}  // namespace aieloom

#endif  // AIELOOM_SCHEDULER_H
