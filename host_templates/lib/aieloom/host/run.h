// run.h: the end of a kernel's run.
#pragma once

#include "xrt.h"

#include <stdexcept>
#include <string>

namespace aieloom::host {

/// Waits for the end of a run. One that was aborted or timed out has made no results: it throws.
inline void finish(const xrt::run& run) {
  const ert_cmd_state state = run.wait();
  if (state != ERT_CMD_STATE_COMPLETED) {
    throw std::runtime_error("a kernel's run ended in state " + std::to_string(static_cast<int>(state)) +
                             " of ert_cmd_state, not completed: its results are not to be used");
  }
}

}  // namespace aieloom::host
