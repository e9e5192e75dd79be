// How the emulator refuses: one message, the rule's id, the numbers, and what to do about it.
//
// The vendor's tools print an id, a sentence and often a remedy; so do we. A refusal ends the program
// with kRefused, an exit code that no host program uses by chance, so that the caller can tell
// "the emulator refused this design" from "the design's own main() returned non-zero".
#pragma once

#include <string_view>

#include "aieloom/refuse.h"

namespace aieloom {

/// Exit code of a program that the emulator stopped.
inline constexpr int kRefused = 97;

/// Print "aieloom: error: [rule] problem" and "  fix: remedy" (when not empty) to stderr, then exit(kRefused).
[[noreturn]] void refuse(std::string_view rule, std::string_view problem, std::string_view remedy = {});

/// Print "aieloom: warning: [rule] problem" to stderr and go on.
void warn(std::string_view rule, std::string_view problem);

/// Called with the address of an access that the processor refused, before the crash is reported: it may refuse in words.
extern void (*on_forbidden_access)(const void* address);

}  // namespace aieloom
