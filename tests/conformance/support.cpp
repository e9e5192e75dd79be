// The part of the runtime that aie_api needs, for programs without a graph: one core, refusals end the program.
#include <cstdio>
#include <cstdlib>

#include "aieloom/core_state.h"
#include "aieloom/report.h"

namespace aieloom {

void*& fiber_local() {
  static void* own = nullptr;
  return own;
}

void refuse(std::string_view rule, std::string_view problem, std::string_view remedy) {
  std::fflush(stdout);
  std::fprintf(stderr, "[%.*s] %.*s\n  fix: %.*s\n", int(rule.size()), rule.data(), int(problem.size()), problem.data(),
               int(remedy.size()), remedy.data());
  std::exit(kRefused);
}

void warn(std::string_view rule, std::string_view problem) {
  std::fprintf(stderr, "warning: [%.*s] %.*s\n", int(rule.size()), rule.data(), int(problem.size()), problem.data());
}

}  // namespace aieloom
