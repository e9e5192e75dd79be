// ap_shift_reg: a shift register with a tap [UG1399 shift register mapping].
#pragma once

#include <array>
#include <string>

#include "aieloom/report.h"

template <typename T_, unsigned DEPTH_ = 32>
class ap_shift_reg {
  static_assert(DEPTH_ >= 1, "ap_shift_reg: the depth is at least 1");

 public:
  ap_shift_reg() = default;
  explicit ap_shift_reg(const char*) {}
  ap_shift_reg(const ap_shift_reg&) = delete;
  ap_shift_reg& operator=(const ap_shift_reg&) = delete;

  /// The element at `address` before the shift; with `enable`, `in` enters at 0 and the others move on.
  T_ shift(const T_& in, unsigned address = DEPTH_ - 1, bool enable = true) {
    const T_ out = read(address);
    if (enable) {
      for (unsigned i = DEPTH_ - 1; i > 0; --i) {
        stages_[i] = stages_[i - 1];
      }
      stages_[0] = in;
    }
    return out;
  }

  [[nodiscard]] T_ read(unsigned address = DEPTH_ - 1) const {
    if (address >= DEPTH_) {
      aieloom::refuse("hls-shift", "stage " + std::to_string(address) + " of an ap_shift_reg of " + std::to_string(DEPTH_), "stages are numbered from 0");
    }
    return stages_[address];
  }

 private:
  std::array<T_, DEPTH_> stages_{};
};
