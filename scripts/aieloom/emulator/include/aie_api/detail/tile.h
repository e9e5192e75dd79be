// The tile a kernel runs on: its cycle counter and its place [aie_api reference, aie::tile].
#pragma once

#include <cstdint>

#include "aie_api/detail/srs.h"
#include "aieloom/tile.h"

#if defined(AIELOOM_OPERATIONS)
extern "C" unsigned long long aieloom_clock;  // of the library that the kernel stands in (aieloom/emulator/timed/kernels.py)
#endif

namespace aie {

struct tile_id {
  std::uint16_t row;
  std::uint16_t col;
};

using tile = aieloom::Tile;

}  // namespace aie

namespace aieloom {

/// Tell that a kernel without a location asks where it is (core.cpp); programs without a graph do without.
__attribute__((weak)) void tell_unplaced();

/// The registers of the core that asks where it is.
[[nodiscard]] inline const CoreState& asked_place() {
  const CoreState& state = core_state();
  if (!state.placed && tell_unplaced != nullptr) {
    tell_unplaced();
  }
  return state;
}

inline Tile Tile::current() {
  return {static_cast<int>(core_state().column), static_cast<int>(core_state().row)};
}
inline std::uint64_t Tile::cycles() const {
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
/// Rows from the interface on.
inline ::aie::tile_id Tile::global_id() const {
  const CoreState& at = asked_place();
  return {static_cast<std::uint16_t>(at.row + at.rows_below), at.column};
}
/// Rows from the lowest with cores on, as adf::tile counts them.
inline ::aie::tile_id Tile::id() const { return {asked_place().row, core_state().column}; }
inline void Tile::set_rounding(::aie::rounding_mode mode) const { ::aie::set_rounding(mode); }
inline ::aie::rounding_mode Tile::get_rounding() const { return ::aie::get_rounding(); }
inline void Tile::set_saturation(::aie::saturation_mode mode) const { ::aie::set_saturation(mode); }
inline ::aie::saturation_mode Tile::get_saturation() const { return ::aie::get_saturation(); }

}  // namespace aieloom

/// The older names of the same registers [UG1078].
[[nodiscard]] inline unsigned long long get_cycles() { return ::aie::tile::current().cycles(); }
/// The tile's column in bits 16 to 22, its row in bits 0 to 4.
[[nodiscard]] inline int get_coreid() {
  const auto at = ::aie::tile::current().id();
  return at.col << 16 | at.row;
}
