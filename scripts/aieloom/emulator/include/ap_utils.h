// Waiting for clock cycles [UG1399 ap_utils.h]: in functional simulation time does not pass, the others get a turn.
#pragma once

#include "aieloom/scheduler.h"

/// Wait for one clock cycle.
inline void ap_wait() { aieloom::yield(); }

/// Wait for n clock cycles.
inline void ap_wait_n(int n) {
  for (int i = 0; i < n; ++i) {
    aieloom::yield();
  }
}

/// Wait until a condition holds.
#define ap_wait_until(condition) \
  while (!(condition)) {         \
    ap_wait();                   \
  }
