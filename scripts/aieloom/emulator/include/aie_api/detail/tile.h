// The tile a kernel runs on: its cycle counter and its place [aie_api reference, aie::tile].
#pragma once

#include "aie_api/detail/srs.h"

#if defined(AIELOOM_OPERATIONS)
extern "C" unsigned long long aieloom_clock;  // of the library that the kernel stands in (aieloom/emulator/timed/kernels.py)
#endif

namespace aie {

struct tile_id {
  unsigned col;
  unsigned row;
};

class tile {
 public:
  /// The tile of the running kernel.
  [[nodiscard]] static tile current() { return {}; }

  /// A counter that grows: the core's cycles in a timed build; without a clock, the calls.
  [[nodiscard]] unsigned long long cycles() const {
#if defined(AIELOOM_OPERATIONS)
    return aieloom_clock;
#else
    auto& state = aieloom::core_state();
    const auto& n = state.counts;
    const std::uint64_t counted = n.macs > n.loads ? n.macs : n.loads;
    state.cycles = state.cycles + 1 > counted ? state.cycles + 1 : counted;
    return state.cycles;
#endif
  }
  [[nodiscard]] tile_id global_id() const { return {aieloom::core_state().column, aieloom::core_state().row}; }
  [[nodiscard]] tile_id id() const { return global_id(); }
  void set_rounding(rounding_mode mode) { aie::set_rounding(mode); }
  [[nodiscard]] rounding_mode get_rounding() const { return aie::get_rounding(); }
  void set_saturation(saturation_mode mode) { aie::set_saturation(mode); }
  [[nodiscard]] saturation_mode get_saturation() const { return aie::get_saturation(); }
};

}  // namespace aie

/// The older names of the same registers [UG1078].
[[nodiscard]] inline unsigned long long get_cycles() { return aie::tile::current().cycles(); }
[[nodiscard]] inline int get_coreid() {
  const auto at = aie::tile::current().global_id();
  return static_cast<int>(at.col << 16 | at.row);
}
