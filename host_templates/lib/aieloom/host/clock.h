// clock.h: seconds of a run.
#pragma once

#include <chrono>

namespace aieloom::host {

using Clock = std::chrono::steady_clock;

/// Seconds of a run: from the movers' starts to the end of waiting for them, and of bringing images and taking results.
struct Times {
  double device = 0;
  double packing = 0;
};

/// Adds the time until its end to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace aieloom::host
