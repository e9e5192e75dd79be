// How the emulator refuses: one message, the rule's id, the numbers, and what to do about it.
//
// The vendor's tools print an id, a sentence and often a remedy; so do we. A refusal ends the program
// with kRefused, an exit code that no host program uses by chance, so that the caller can tell
// "the emulator refused this design" from "the design's own main() returned non-zero".
#pragma once

#include <string>

#include "aieloom/refuse.h"

namespace aieloom {

/// Exit code of a program that the emulator stopped.
inline constexpr int kRefused = 97;

/// Print "aieloom: error: [rule] problem" and "  fix: remedy" (when not empty) to stderr, then exit(kRefused).
[[noreturn]] void refuse(const std::string& rule, const std::string& problem, const std::string& remedy = {});

/// Print "aieloom: warning: [rule] problem" to stderr and go on.
void warn(const std::string& rule, const std::string& problem);

/// Asked about an access that the processor refused, before the crash is reported: it may refuse in words. True: the access is
/// possible now, and the program goes on.
using ForbiddenAccess = bool (*)(const void* address, bool writes);
void on_forbidden_access(ForbiddenAccess asked);

/// "\n  in kernel k[0] at k.cc:12", what a kernel of the array runs; empty outside of them.
std::string place_in_kernel();

/// Inside a signal's handler: "\n  at mm2s.cpp:12", the line of a host or PL kernel that runs; empty when unknown.
std::string place_of_fault();

}  // namespace aieloom
