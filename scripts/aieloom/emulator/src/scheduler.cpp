#include "aieloom/scheduler.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "aieloom/clock.h"
#include "aieloom/report.h"
#include "aieloom/sequence.h"
#include "context.h"

namespace aieloom {

/// What kernels at both ends of the streams move (leftovers.cpp); programs without an array do without.
__attribute__((weak)) std::string compare_rates();

/// Start graphs that the host leaves alone (xrt/graph.cpp); true when something can go on.
__attribute__((weak)) bool start_undriven();

namespace {

std::string place_now();

// Virtual size of a fiber's stack: image buffers of PL kernels are local arrays. Pages that are not touched
// cost nothing; a guard page below turns an overflow into a report instead of damage.
constexpr std::size_t kStackBytes = std::size_t{64} << 20;

// Those of data movers lie side by side: a page of the processor's page tables then serves many of them, where each large stack
// needs one of its own, which a change of fibers misses.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kSmallBytes = std::size_t{8} << 20;  // a sanitizer's report is written on the stack that it is about
#else
constexpr std::size_t kSmallBytes = std::size_t{128} << 10;
#endif
constexpr std::size_t kSlab = 64;  // of them at once

// Stacks begin at different offsets: tops that are all a power of two apart would share a few sets of the caches,
// and every change of fibers would miss.
constexpr std::size_t kStackShift = 4096 + 64 + 128;
constexpr std::size_t kStackShifts = 61;
constexpr std::size_t kSmallShift = 64 + 128;
constexpr std::size_t kSmallShifts = 17;

}  // namespace

class Fiber {
 public:
  std::string name = "host";
  Role role = Role::kWorker;
  Body* body = nullptr;
  detail::Context context;
  void* stack = nullptr;
  bool small = false;  // the stack
  Fiber* next = nullptr;  // in the run queue or in a Waitable's list
  const Waitable* waits_on = nullptr;
  const char* action = "";
  std::size_t needed = 0;
  bool stuck_ok = false;  // asked to be told when nothing else can run
  bool stuck = false;
  void* local = nullptr;
  void* core = nullptr;  // the kernel's core that runs here
  Clock clock;
};

class Scheduler {
 public:
  static Scheduler& instance() {
    static Scheduler scheduler;
    return scheduler;
  }

  Fiber& spawn(std::string name, Role role, Body* body, Stack kind) {
    auto* fiber = new Fiber;
    fiber->name = std::move(name);
    fiber->role = role;
    fiber->body = body;
    const bool small = kind == Stack::kSmall;
    fiber->stack = small ? take_small_stack() : take_stack();
    const std::size_t shift = small ? kSmallShift * (spawned_++ % kSmallShifts) : kStackShift * (spawned_++ % kStackShifts);
    detail::prepare(fiber->context, fiber->stack, (small ? kSmallBytes : kStackBytes) - shift, &Scheduler::entry);
    fiber->small = small;
    if (current_ != nullptr && current_->clock.logic() != nullptr) {  // a task of a compute unit
      fiber->clock.follow(current_->clock);
    }
    fibers_.push_back(fiber);
    enqueue(*fiber);
    return *fiber;
  }

  void block(Waitable& on, const char* action, std::size_t needed) {
    current_->waits_on = &on;
    current_->action = action;
    current_->needed = needed;
    append(on, *current_);
    switch_away();
    while (dead_) {  // this fiber was chosen to say so, because its stack shows the line that waits
      Waitable& freed = lengthen_or_refuse();
      dead_ = false;
      append(on, *current_);
      wake(freed);
      switch_away();
    }
    current_->waits_on = nullptr;
  }

  bool block_unless_stuck(Waitable& on, const char* action, std::size_t needed) {
    current_->stuck_ok = true;
    block(on, action, needed);
    current_->stuck_ok = false;
    return !std::exchange(current_->stuck, false);
  }

  void wake(Waitable& on) {
    Fiber* fiber = std::exchange(on.first_, nullptr);
    on.last_ = nullptr;
    while (fiber != nullptr) {
      Fiber* next = fiber->next;
      enqueue(*fiber);
      fiber = next;
    }
  }

  void yield() {
    enqueue(*current_);
    switch_away();
  }

  Fiber& current() { return *current_; }
  [[nodiscard]] std::uint64_t turns() const { return turns_; }

  [[nodiscard]] bool ready_before(std::uint64_t time) const {
    for (const Fiber* fiber = ready_first_; fiber != nullptr; fiber = fiber->next) {
      if (fiber->clock.now() < time) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::string describe_blocked() const {
    // Many kernels wait alike: equal lines are shown once with their number.
    std::vector<std::string> order;
    FlatMap<std::string, std::vector<std::string>> waiting;
    const auto add = [&](const Fiber& f) {
      if (f.waits_on == nullptr) {
        return;
      }
      std::string why = "waits " + std::string(f.action) + (f.needed > 1 ? " " + std::to_string(f.needed) : "") + ": " +
                        f.waits_on->describe();
      if (waiting[why].empty()) {
        order.push_back(why);
      }
      waiting[why].push_back(f.name + (f.role == Role::kServer ? " (free running)" : ""));
    };
    add(main_);
    for (const bool workers : {true, false}) {
      for (const auto& fiber : fibers_) {
        if ((fiber->role == Role::kWorker) == workers) {
          add(*fiber);
        }
      }
    }
    std::string text;
    constexpr std::size_t kShown = 40;
    for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i) {
      const auto& names = waiting[order[i]];
      text += "\n    " + names.front() + (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "") +
              " " + order[i];
    }
    if (order.size() > kShown) {
      text += "\n    ... and " + std::to_string(order.size() - kShown) + " more";
    }
    return text + circle();
  }

  /// Whether `address` is in the guard page below the running fiber's stack.
  [[nodiscard]] bool overflows(const void* address) const {
    const auto* page = static_cast<const char*>(current_->stack);
    return page != nullptr && address >= page && address < page + sysconf(_SC_PAGESIZE);
  }

  void* local = nullptr;  // the running fiber's own pointer

 public:
  void refuse_longer() const {
    std::string remedy;
    for (const Longer& longer : longer_) {
      remedy += (remedy.empty() ? "" : ", ") + std::string("fifo_depth = ") + std::to_string(longer.needed - longer.held) + " for the connection of the " + longer.name;
    }
    if (!remedy.empty()) {
      refuse("deadlock", first_text_,
             "the FIFOs on the way are too short for the order in which these read and write, which only a run with times sees; it goes on with " +
                 remedy + ", or read and write in shorter turns");
    }
  }

 private:
  /// A stream that was given room: words that it held, and that it needed.
  struct Longer {
    const Waitable* stream;
    std::string name;
    std::size_t held, needed;
  };
  std::vector<Longer> longer_;
  std::string first_text_;  // of what could not go on without

  Scheduler() { detail::adopt(main_.context); }

  static void entry() {
    Scheduler& s = instance();
    detail::arrived(s.current_->context);
    s.current_->body->run();
    s.finish();
  }

  [[noreturn]] void finish() {
    Fiber* self = current_;
    delete std::exchange(self->body, nullptr);
    finished_ = self;
    run_next();
    std::abort();  // a finished fiber is never resumed
  }

  /// "a -> b -> a": who waits for whom in a circle; empty when there is none.
  [[nodiscard]] std::string circle() const {
    const auto by_name = [this](const std::string& name) -> const Fiber* {
      for (const auto& fiber : fibers_) {
        if (fiber->name == name) {
          return fiber;
        }
      }
      return nullptr;
    };
    for (const auto& fiber : fibers_) {
      std::vector<const Fiber*> chain;
      const Fiber* at = fiber->role == Role::kWorker ? fiber : nullptr;
      while (at != nullptr && at->waits_on != nullptr) {
        const std::size_t seen = index_of(chain, at);
        if (seen != chain.size()) {
          std::string text;
          for (std::size_t link = seen; link < chain.size(); ++link) {
            text += chain[link]->name + " -> ";
          }
          return "\n    a circle of waits: " + text + at->name;
        }
        chain.push_back(at);
        const Fiber* waker = by_name(at->waits_on->waker());
        at = waker == at ? nullptr : waker;  // one that waits for the next run waits for the host
      }
    }
    return {};
  }

  void enqueue(Fiber& fiber) {
    fiber.next = nullptr;
    (ready_last_ != nullptr ? ready_last_->next : ready_first_) = &fiber;
    ready_last_ = &fiber;
  }

  static void append(Waitable& on, Fiber& fiber) {
    fiber.next = nullptr;
    (on.last_ != nullptr ? on.last_->next : on.first_) = &fiber;
    on.last_ = &fiber;
  }

  void switch_away() {
    run_next();
    reclaim();
  }

  /// Switch to the next runnable fiber; when there is none, the program has come to rest.
  void run_next() {
    if (ready_first_ == nullptr) {
      come_to_rest();
    }
    Fiber* next = ready_first_;
    ready_first_ = next->next;
    if (ready_first_ == nullptr) {
      ready_last_ = nullptr;
    }
    ++turns_;
    Fiber* previous = std::exchange(current_, next);
    if (next != previous) {
      previous->local = local;
      local = next->local;
      detail::switch_to(previous->context, next->context);
    }
  }

  void come_to_rest() {
    const std::vector<Fiber*> candidates = stuck_candidates();
    for (Fiber* fiber : candidates) {
      if (fiber == &main_ && candidates.size() > 1) {
        break;  // kernels first: what they do next may be what the host waits for
      }
      // All of them: one that polls in vain must not keep those from looking whose words have come.
      fiber->stuck = true;
      // It leaves the list of what it waits on, where it may not be first.
      remove(*const_cast<Waitable*>(fiber->waits_on), *fiber);
      enqueue(*fiber);
    }
    if (!candidates.empty()) {
      return;
    }
    if (start_undriven != nullptr && start_undriven()) {
      return;
    }
    dead_ = true;
    dead_text_ = "nothing can go on:" + describe_blocked() + (compare_rates != nullptr ? compare_rates() : "");
    Fiber* speaker = speaker_of_deadlock();
    if (speaker == nullptr || speaker == current_) {
      dead_ = false;
      wake(lengthen_or_refuse());
      return;
    }
    remove(*const_cast<Waitable*>(speaker->waits_on), *speaker);
    enqueue(*speaker);
  }

  /// A kernel that waits for data, or else any that waits in its call.
  Fiber* speaker_of_deadlock() {
    Fiber* found = nullptr;
    for (Fiber* fiber : fibers_) {
      if (fiber->role == Role::kWorker && fiber->core != nullptr && fiber->waits_on != nullptr &&
          (found == nullptr || (std::strcmp(found->action, "to read") != 0 && std::strcmp(fiber->action, "to read") == 0))) {
        found = fiber;
      }
    }
    return found;
  }

  /// What helps a kernel whose own queue is full.
  static std::string short_queue(const std::string& text) {
    return text.find("' is full (") == std::string::npos ? "" : "give the full queue the words that come before who reads it does (#pragma HLS stream variable=... depth=...); else ";
  }

  /// In a timed run a stream that is full, and whose reader waits for another, is given more room, so that the end can tell how
  /// much it needs; anything else that cannot go on is refused.
  Waitable& lengthen_or_refuse() {
    const std::string& text = dead_text_;
    Fiber* fiber = is_timed() ? full_writer() : nullptr;
    if (longer_.empty()) {
      first_text_ = text + (fiber != nullptr ? place_now() : std::string());
    }
    if (fiber == nullptr) {
      const std::string ended = text.find(", which has ended") != std::string::npos
                                    ? "give the file that has ended what all runs take, or run fewer iterations; else " : "";
      refuse("deadlock", longer_.empty() ? text : first_text_,
             (is_timed() ? "more room in its streams does not help: " : "") + ended + short_queue(text) +
                 "look for data that nobody sends, buffers of different sizes, or a circle of waits");
    }
    auto& full = *const_cast<Waitable*>(fiber->waits_on);
    const std::size_t held = full.full_words();
    const std::string what = full.describe(), name = what.substr(0, what.find(" (")) + " to " + std::string(full.waker());
    Longer* found = nullptr;
    for (Longer& longer : longer_) {
      found = longer.name == name ? &longer : found;
    }
    if (found == nullptr) {
      found = &longer_.emplace_back(Longer{&full, name, held, held});
    }
    found->needed = full.give_room();
    return full;
  }

  /// Who waits to write into a full stream whose reader waits for something else; one that was given room before, or the shortest.
  Fiber* full_writer() {
    constexpr std::size_t kMost = std::size_t{1} << 18;  // words: a stream that takes any number never has enough
    for (const bool strict : {true, false}) {
      Fiber* found = nullptr;
      std::size_t least = kMost;
      for (Fiber* fiber : fibers_) {
        std::size_t words = fiber->waits_on != nullptr ? fiber->waits_on->full_words() : 0;
        const bool given = count_of(longer_, [&](const Longer& l) { return l.stream == fiber->waits_on; }) > 0;
        words = given && words < kMost ? 1 : words;
        if (words == 0 || words >= least) {
          continue;
        }
        const std::string reader = fiber->waits_on->waker();
        const bool helps = strict ? count_of(fibers_, [&](const Fiber* f) {
          return f->name == reader && f->waits_on != nullptr && f->waits_on->full_words() == 0;
        }) > 0 : fiber->role == Role::kWorker && fiber->core != nullptr;
        if (helps) {
          found = fiber;
          least = words;
        }
      }
      if (found != nullptr) {
        return found;
      }
    }
    return nullptr;
  }

  std::vector<Fiber*> stuck_candidates() {
    std::vector<Fiber*> found;
    for (const auto& fiber : fibers_) {
      if (fiber->stuck_ok && fiber->waits_on != nullptr) {
        found.push_back(fiber);
      }
    }
    if (main_.stuck_ok && main_.waits_on != nullptr) {
      found.push_back(&main_);
    }
    return found;
  }

  static void remove(Waitable& on, Fiber& gone) {
    Fiber* fiber = std::exchange(on.first_, nullptr);
    on.last_ = nullptr;
    while (fiber != nullptr) {
      Fiber* next = fiber->next;
      if (fiber != &gone) {
        append(on, *fiber);
      }
      fiber = next;
    }
  }

  void* take_stack() {
    if (!free_stacks_.empty()) {
      void* stack = free_stacks_.back();
      free_stacks_.pop_back();
      return stack;
    }
    void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) {
      refuse("memory", "no address space for another fiber's stack", "raise the limit on virtual memory (ulimit -v)");
    }
    mprotect(stack, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
    return stack;
  }

  void* take_small_stack() {
    if (small_stacks_.empty()) {
      void* slab = mmap(nullptr, kSlab * kSmallBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (slab == MAP_FAILED) {
        refuse("memory", "no address space for another fiber's stack", "raise the limit on virtual memory (ulimit -v)");
      }
      for (std::size_t i = kSlab; i-- > 0;) {
        auto* stack = static_cast<std::byte*>(slab) + i * kSmallBytes;
        mprotect(stack, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
        small_stacks_.push_back(stack);
      }
    }
    void* stack = small_stacks_.back();
    small_stacks_.pop_back();
    return stack;
  }

  /// Keep the stack of a fiber that has ended for the next one; it cannot be reused while still running on it.
  void reclaim() {
    Fiber* gone = std::exchange(finished_, nullptr);
    if (gone == nullptr) {
      return;
    }
    (gone->small ? small_stacks_ : free_stacks_).push_back(gone->stack);
    std::erase(fibers_, gone);
    delete gone;
  }

  Fiber main_;
  Fiber* current_ = &main_;
  Fiber* ready_first_ = nullptr;
  Fiber* ready_last_ = nullptr;
  Fiber* finished_ = nullptr;
  std::size_t spawned_ = 0;
  std::uint64_t turns_ = 0;
  bool dead_ = false;  // nothing can go on
  std::string dead_text_;  // who waited for what then, before one of them was taken from its list to say so
  std::vector<Fiber*> fibers_;
  std::vector<void*> free_stacks_, small_stacks_;
};

void block(Waitable& on, const char* action, std::size_t needed) { Scheduler::instance().block(on, action, needed); }

bool block_unless_stuck(Waitable& on, const char* action, std::size_t needed) {
  return Scheduler::instance().block_unless_stuck(on, action, needed);
}

void wake(Waitable& on) {
  if (on.has_waiters()) {
    Scheduler::instance().wake(on);
  }
}

void yield() { Scheduler::instance().yield(); }

Fiber& spawn_body(std::string name, Role role, Body* body, Stack stack) {
  return Scheduler::instance().spawn(std::move(name), role, body, stack);
}

void refuse_longer_streams() { Scheduler::instance().refuse_longer(); }

Clock& running_clock() { return Scheduler::instance().current().clock; }

std::uint64_t turns() { return Scheduler::instance().turns(); }

bool stack_overflows(const void* address) { return Scheduler::instance().overflows(address); }

void*& core_local() { return Scheduler::instance().current().core; }

void set_role(Role role) { Scheduler::instance().current().role = role; }

Role running_role() { return Scheduler::instance().current().role; }

const std::string& running_name() { return Scheduler::instance().current().name; }

void*& fiber_local() { return Scheduler::instance().local; }

std::string describe_blocked() { return Scheduler::instance().describe_blocked(); }

bool ready_before(std::uint64_t time) { return Scheduler::instance().ready_before(time); }

/// Kernel and source line of what is running (report.cpp); programs without an array do without.
__attribute__((weak)) std::string place_in_kernel();

namespace {

std::string place_now() { return place_in_kernel != nullptr ? place_in_kernel() : std::string(); }

}  // namespace

void refuse(const char* rule, const char* problem, const char* remedy) {
  refuse(std::string(rule), std::string(problem), std::string(remedy));
}

const char* lasting(const char* text) { return *text == '\0' ? "" : strdup(text); }

void refuse(const std::string& rule, const std::string& problem, const std::string& remedy) {
  std::fflush(stdout);
  std::fprintf(stderr, "aieloom: error: [%.*s] %.*s%s\n", static_cast<int>(rule.size()), rule.data(),
               static_cast<int>(problem.size()), problem.data(),
               place_now().c_str());
  if (!remedy.empty()) {
    std::fprintf(stderr, "  fix: %.*s\n", static_cast<int>(remedy.size()), remedy.data());
  }
  std::fflush(stderr);
  std::_Exit(kRefused);  // destructors of a half-run design have nothing useful to do
}

void warn(const std::string& rule, const std::string& problem) {
  std::fprintf(stderr, "aieloom: warning: [%.*s] %.*s\n", static_cast<int>(rule.size()), rule.data(),
               static_cast<int>(problem.size()), problem.data());
}

}  // namespace aieloom
