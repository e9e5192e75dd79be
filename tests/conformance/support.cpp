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

void refuse(const char* rule, const char* problem, const char* remedy) {
  std::fflush(stdout);
  std::fprintf(stderr, "[%s] %s\n  fix: %s\n", rule, problem, remedy);
  std::exit(kRefused);
}

}  // namespace aieloom
