// The emulator's scheduler: kernels, DMA channels, PL compute units and the host are cooperative fibers.
//
// One thread, one run queue, first come first served: two runs of one program interleave identically, so
// results and messages repeat bit for bit. Nothing here is thread safe, and nothing needs to be.
//
// A fiber that cannot go on blocks on a Waitable and says what it needs. When every fiber is blocked the
// host (the program's own stack) is woken with a deadlock report: who waits for what, with how much present.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "aieloom/waitable.h"

namespace aieloom {

/// What a fiber is, which decides what its waiting means when everything has come to rest.
enum class Role {
  kWorker,  // must finish: waiting for ever is a deadlock (a kernel inside an iteration, a started compute unit)
  kServer,  // may wait for ever at its own start (a DMA channel, a free-running compute unit)
};

/// What a fiber does, whatever its type. (std::function would do; it takes the compiler longer.)
class Body {
 public:
  virtual ~Body() = default;
  virtual void run() = 0;
};

/// How much stack a fiber has: what a user's code needs, or what our own data movers do.
enum class Stack { kLarge, kSmall };

/// Start a fiber that owns its body.
Fiber& spawn_body(std::string name, Role role, Body* body, Stack stack = Stack::kLarge);

/// Start a fiber. `name` appears in reports. It first runs when the current fiber blocks or yields.
template <typename F_>
Fiber& spawn(std::string name, Role role, F_ function, Stack stack = Stack::kLarge) {
  struct Call final : Body {
    explicit Call(F_ f) : call(std::move(f)) {}
    void run() override { call(); }
    F_ call;
  };
  return spawn_body(std::move(name), role, new Call(std::move(function)), stack);
}

/// Change the running fiber's role, e.g. a kernel between two iterations is a server, inside one a worker.
void set_role(Role role);
[[nodiscard]] Role running_role();

/// The core whose kernel the running fiber executes, as the runtime keeps it; null elsewhere.
[[nodiscard]] void*& core_local();

/// Whether an address is in the guard page below the running fiber's stack.
[[nodiscard]] bool stack_overflows(const void* address);

/// Text of the present deadlock: every blocked fiber with what it waits for, and the cycle if there is one.
[[nodiscard]] std::string describe_blocked();

/// Refuse what went on only because streams were given more room than the array has for them; says how much would do.
void refuse_longer_streams();

/// How often fibers have changed.
[[nodiscard]] std::uint64_t turns();

/// Whether a fiber that can run is earlier than `time`: what it does may be seen then.
[[nodiscard]] bool ready_before(std::uint64_t time);

/// block(), but returns false instead of refusing when nothing else can run any more (a wait with a time
/// limit in the emulated program: time passes, nothing happens, the limit is reached).
[[nodiscard]] bool block_unless_stuck(Waitable& on, const char* action, std::size_t needed = 1);

}  // namespace aieloom
