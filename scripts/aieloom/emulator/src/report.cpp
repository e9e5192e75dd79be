// Where in a kernel something was refused, and crashes as messages.
#include "aieloom/report.h"

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "aieloom/scheduler.h"
#include "runtime.h"

namespace aieloom {

namespace {

constexpr std::size_t kFrames = 24;

struct Trace {
  std::uintptr_t places[kFrames];
  std::size_t count = 0;
};

Trace walk_stack() {
  Trace trace;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        auto& t = *static_cast<Trace*>(data);
        if (t.count == kFrames) {
          return _URC_END_OF_STACK;
        }
        t.places[t.count++] = _Unwind_GetIP(context) - 1;
        return _URC_NO_REASON;
      },
      &trace);
  return trace;
}

}  // namespace

// Lines that addr2line knows for a place, inlined calls first; our own headers are not the user's.
std::string source_line(const std::string& file, std::uintptr_t offset) {
  char command[1024];
  std::snprintf(command, sizeof command, "addr2line -i -e '%s' 0x%lx 2>/dev/null", file.c_str(), static_cast<unsigned long>(offset));
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) {
    return {};
  }
  std::string found;
  char line[1024];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    std::string text(line);
    text = text.substr(0, text.find_last_not_of("\n ") + 1);
    text = text.substr(0, text.find(" (discriminator"));
    const bool own = text.find("/emulator/include/") != std::string::npos || text.find("/emulator/src/") != std::string::npos ||
                     text.find(".instances.cpp:") != std::string::npos;  // what instantiates a kernel's templates
    const bool system = text.starts_with("/usr/") || text.starts_with("??") || text.ends_with(":0") || text.ends_with(":?");
    if (found.empty() && !own && !system) {
      found = text;
    }
  }
  pclose(pipe);
  return found;
}

namespace {

ForbiddenAccess asked_about[4] = {};  // who may know

}  // namespace

void on_forbidden_access(ForbiddenAccess asked) {
  for (ForbiddenAccess& known : asked_about) {
    if (known == asked || known == nullptr) {
      known = asked;
      return;
    }
  }
}

namespace {

/// Whether the access that was stopped would have written.
bool would_write([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of a page fault's error code [Intel SDM volume 3, 4.7]
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#elif defined(__aarch64__)
  constexpr std::uint64_t kWrite = 1U << 6;  // WnR of the syndrome [Arm ARM, ESR_ELx]
  const auto* record = reinterpret_cast<const _aarch64_ctx*>(static_cast<const ucontext_t*>(context)->uc_mcontext.__reserved);
  while (record->magic != 0 && record->magic != ESR_MAGIC) {
    record = reinterpret_cast<const _aarch64_ctx*>(reinterpret_cast<const char*>(record) + record->size);
  }
  return record->magic == ESR_MAGIC && (reinterpret_cast<const esr_context*>(record)->esr & kWrite) != 0;
#else
  return true;
#endif
}

const char* name_of_signal(int number) {
  switch (number) {
    case SIGFPE:
      return "divides by zero";
    case SIGILL:
      return "executes an illegal instruction";
    default:
      return "accesses memory that is not its own";
  }
}

void crashed(int number, siginfo_t* info, void* context) {
  if (number == SIGSEGV) {
    for (const ForbiddenAccess asked : asked_about) {
      if (asked != nullptr && asked(info->si_addr, would_write(context))) {
        return;
      }
    }
  }
  signal(number, SIG_DFL);
  const bool overflow = number == SIGSEGV && stack_overflows(info->si_addr);
  const std::string who = running_name() == "host" ? "the program" : running_name();
  refuse("crash", who + " " + (overflow ? "overflows its stack" : name_of_signal(number)),
         overflow ? "find the endless recursion, or make large local arrays static" : "build with --sanitize to see where");
}

#if !defined(__SANITIZE_ADDRESS__)
/// A crash becomes a message. The handler has a stack of its own, because the fiber's may be the problem.
struct CrashHandler {
  CrashHandler() {
    static char stack[1 << 16];
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      sigaction(number, &action, nullptr);
    }
  }
};
const CrashHandler crash_handler;
#else
[[maybe_unused]] constexpr auto unused_handler = &crashed;
#endif

}  // namespace

namespace {

/// The innermost line that runs which is the user's; empty when unknown.
std::string running_line() {
  const Trace trace = walk_stack();
  for (std::size_t i = 1; i < trace.count; ++i) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(trace.places[i]), &info) == 0 || info.dli_fname == nullptr) {
      continue;
    }
    const std::string line = source_line(info.dli_fname, trace.places[i] - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    if (!line.empty()) {
      return line;
    }
  }
  return {};
}

}  // namespace

std::string place_in_kernel() {
  if (core_local() == nullptr) {
    return {};
  }
  const std::string line = running_line();
  return "\n  in kernel " + running_name() + (line.empty() ? "" : " at " + line);
}

std::string place_of_fault() {
  const std::string line = core_local() == nullptr ? running_line() : std::string();  // a kernel's is told with every message
  return line.empty() ? "" : "\n  at " + line;
}

}  // namespace aieloom
