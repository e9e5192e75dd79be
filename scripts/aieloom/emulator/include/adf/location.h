// Places on the array [UG1079 Mapping and Location Constraints].
#ifndef ADF_LOCATION_H
#define ADF_LOCATION_H

#include <initializer_list>
#include <vector>

#include "aieloom/design.h"

namespace adf {

/// A core: column and row, both from 0; row 0 is the lowest row with a core.
struct tile : aieloom::Location {
  tile(int col, int row) : Location{Kind::kTile, col, row, 0} {}
};

/// A logical bank of a tile's data memory, ids 0..3.
struct bank : aieloom::Location {
  bank(int col, int row, int id) : Location{Kind::kBank, col, row, id} {}
};

/// A byte of a tile's data memory.
struct address : aieloom::Location {
  address(int col, int row, int byte) : Location{Kind::kAddress, col, row, byte} {}
};

/// A byte of whichever memory the mapper chooses.
struct offset : aieloom::Location {
  explicit offset(int byte) : Location{Kind::kOffset, 0, 0, byte} {}
};

/// An interface tile, and optionally one of its channels.
struct shim : aieloom::Location {
  explicit shim(int col) : Location{Kind::kShim, col, 0, -1} {}
  shim(int col, int channel) : Location{Kind::kShim, col, 0, channel} {}
};

namespace detail {

/// What location<...>(x) returns: assigning a place constrains x.
class location_of {
 public:
  explicit location_of(std::vector<aieloom::Location>& many) : many_(&many) {}
  explicit location_of(aieloom::Location& one) : one_(&one) {}

  location_of& operator=(const aieloom::Location& where) {
    set({where});
    return *this;
  }
  location_of& operator=(std::initializer_list<aieloom::Location> where) {
    set(where);
    return *this;
  }
  /// The same place as another's.
  location_of& operator=(const location_of& other) {
    if (this != &other) {
      const auto places = other.get();
      set({places.data(), places.data() + places.size()});
    }
    return *this;
  }
  location_of(const location_of&) = default;

 private:
  struct Range {
    const aieloom::Location* first;
    const aieloom::Location* last;
  };
  void set(std::initializer_list<aieloom::Location> where) { set(Range{where.begin(), where.end()}); }
  void set(Range where) {
    if (many_ != nullptr) {
      many_->assign(where.first, where.last);
    } else if (where.first != where.last) {
      *one_ = *where.first;
    }
  }
  [[nodiscard]] std::vector<aieloom::Location> get() const {
    return many_ != nullptr ? *many_ : std::vector<aieloom::Location>{*one_};
  }

  std::vector<aieloom::Location>* many_ = nullptr;
  aieloom::Location* one_ = nullptr;
};

}  // namespace detail

}  // namespace adf

#endif  // ADF_LOCATION_H
