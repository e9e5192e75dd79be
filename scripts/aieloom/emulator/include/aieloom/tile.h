// Where things lie on the array, and the tile, which both halves of a program name.
#pragma once

#include <cstdint>

namespace aie {

enum class rounding_mode : unsigned;
enum class saturation_mode : unsigned;
struct tile_id;

}  // namespace aie

namespace aieloom {

/// A constraint on where something lies.
struct Location {
  enum class Kind { kNone, kTile, kBank, kAddress, kOffset, kShim, kFifo };
  Kind kind = Kind::kNone;
  int col = 0;
  int row = 0;
  std::int64_t value = 0;  // bank id, byte address or offset, shim channel (-1: any)
};

/// A tile: the place that a graph gives a kernel (adf::tile: column and row, both from 0; row 0 is the lowest row with a
/// core), and the one that a kernel runs on (aie::tile). One class, so that `tile` is not ambiguous in a program that says
/// both `using namespace adf` and `using namespace aie`. What a kernel asks for is in aie_api/detail/tile.h.
class Tile : public Location {
 public:
  Tile(int column, int row_) : Location{Kind::kTile, column, row_, 0} {}

  /// The tile of the running kernel.
  [[nodiscard]] static Tile current();
  /// A counter that grows: the core's cycles in a timed build; without a clock, the calls.
  [[nodiscard]] std::uint64_t cycles() const;
  [[nodiscard]] ::aie::tile_id global_id() const;
  [[nodiscard]] ::aie::tile_id id() const;
  void set_rounding(::aie::rounding_mode mode) const;
  [[nodiscard]] ::aie::rounding_mode get_rounding() const;
  void set_saturation(::aie::saturation_mode mode) const;
  [[nodiscard]] ::aie::saturation_mode get_saturation() const;
};

}  // namespace aieloom
