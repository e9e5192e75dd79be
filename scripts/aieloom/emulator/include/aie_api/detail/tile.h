// The tile a kernel runs on: its cycle counter and its place [aie_api reference, aie::tile].
#pragma once

#include "aie_api/detail/srs.h"
#include "aieloom/tile.h"

#if defined(AIELOOM_OPERATIONS)
extern "C" unsigned long long aieloom_clock;  // of the library that the kernel stands in (aieloom/emulator/timed/kernels.py)
#endif

namespace aie {

struct tile_id {
  unsigned col;
  unsigned row;
};

using tile = aieloom::Tile;

}  // namespace aie

namespace aieloom {

inline Tile Tile::current() {
  return {static_cast<int>(core_state().column), static_cast<int>(core_state().row)};
}
inline unsigned long long Tile::cycles() const {
#if defined(AIELOOM_OPERATIONS)
  return aieloom_clock;
#else
  auto& state = core_state();
  const auto& n = state.counts;
  const std::uint64_t counted = n.macs > n.loads ? n.macs : n.loads;
  state.cycles = state.cycles + 1 > counted ? state.cycles + 1 : counted;
  return state.cycles;
#endif
}
inline ::aie::tile_id Tile::global_id() const { return {core_state().column, core_state().row}; }
inline ::aie::tile_id Tile::id() const { return global_id(); }
inline void Tile::set_rounding(::aie::rounding_mode mode) const { ::aie::set_rounding(mode); }
inline ::aie::rounding_mode Tile::get_rounding() const { return ::aie::get_rounding(); }
inline void Tile::set_saturation(::aie::saturation_mode mode) const { ::aie::set_saturation(mode); }
inline ::aie::saturation_mode Tile::get_saturation() const { return ::aie::get_saturation(); }

}  // namespace aieloom

/// The older names of the same registers [UG1078].
[[nodiscard]] inline unsigned long long get_cycles() { return ::aie::tile::current().cycles(); }
[[nodiscard]] inline int get_coreid() {
  const auto at = ::aie::tile::current().global_id();
  return static_cast<int>(at.col << 16 | at.row);
}
