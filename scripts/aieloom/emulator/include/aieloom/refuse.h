// Refusing with texts that are written out: what kernels' headers need of report.h.
#pragma once

namespace aieloom {

/// Print "aieloom: error: [rule] problem" and "  fix: remedy" (when not empty) to stderr, then exit(kRefused) [report.h].
[[noreturn]] void refuse(const char* rule, const char* problem, const char* remedy = "");

}  // namespace aieloom
