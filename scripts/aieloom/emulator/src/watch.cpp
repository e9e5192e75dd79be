// Kernels, PL kernels and hosts that never come back. Fibers change by themselves: one whose loop has no end, and neither reads nor writes, would keep all others waiting
// without a word. A timer of processor time looks whether the kernel that runs has done anything since it looked last.
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "aieloom/report.h"
#include "aieloom/scheduler.h"
#include "aieloom/stream_port.h"
#include "runtime.h"

namespace aieloom {

namespace {

constexpr double kUsual = 60;  // seconds of one turn; a turn of a kernel on whole buffers takes milliseconds
constexpr double kLonger = 10;  // times, of hosts and PL kernels, who compute what nobody waits for: references, whole layers

/// $AIELOOM_KERNEL_TIMEOUT, which `aieloom emulate --kernel-timeout` sets; 0: all may take for ever.
double asked() {
  static const double seconds = [] {
    const char* text = std::getenv("AIELOOM_KERNEL_TIMEOUT");
    return text != nullptr ? std::strtod(text, nullptr) : -1;
  }();
  return seconds;
}

/// Of who runs.
double limit() { return asked() >= 0 ? asked() : kUsual * (running_core() != nullptr ? 1 : kLonger); }

double interval() { return asked() < 0 ? 1.0 : std::clamp(asked() / 4, 0.01, 1.0); }

void tick(int) {
  static std::uint64_t before = 0;
  static double taken = 0;
  static bool telling = false;
  if (telling) {  // it was interrupted inside the allocator, which the message needs
    constexpr char kShort[] = "aieloom: error: [endless-kernel] a kernel computes without end\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kShort, sizeof kShort - 1);
    _Exit(kRefused);
  }
  const Core* core = running_core();
  const std::uint64_t now = turns() + words_moved + (core != nullptr ? core->progress() : 0);
  taken = std::exchange(before, now) == now ? taken + interval() : 0;
  if (taken < limit()) {
    return;
  }
  telling = true;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limit());
  refuse("endless-kernel",
         (running_name() == "host" ? "the host" : running_name()) + " has computed for " + seconds + " s of processor time without reading, writing or returning" +
             place_of_fault(),
         "look whether its loop ends, and for writes beyond an array (--sanitize shows them), which let the compiler make a loop endless; "
         "where it only needs longer: --kernel-timeout SECONDS, 0 for ever");
}

}  // namespace

void watch_kernels() {
  static bool begun = false;
  if (asked() == 0 || std::exchange(begun, true)) {
    return;
  }
  struct sigaction action {};
  action.sa_handler = tick;
  action.sa_flags = SA_ONSTACK | SA_RESTART | SA_NODEFER;
  sigaction(SIGPROF, &action, nullptr);
  const auto whole = static_cast<time_t>(interval());
  const timeval every{whole, static_cast<suseconds_t>((interval() - static_cast<double>(whole)) * 1e6)};
  const itimerval timer{every, every};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace aieloom
