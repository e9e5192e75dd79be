// Places on the array, and relations between them [UG1079 Mapping and Location Constraints].
#pragma once

#include <initializer_list>
#include <vector>

#include "aieloom/design.h"
#include "aieloom/report.h"
#include "aieloom/tile.h"

namespace adf {

/// A core: column and row.
using tile = aieloom::Tile;

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

/// Kinds of tiles that areas and FIFOs are in.
enum tile_type { aie_tile, shim_tile, memory_tile };

/// A FIFO of the stream switch, or one in data memory.
inline aieloom::Location ss_fifo(tile_type, int col, int row, int number) {
  return {aieloom::Location::Kind::kFifo, col, row, number};
}
inline aieloom::Location dma_fifo(tile_type, int col, int row, int byte, int /*bytes*/) {
  return {aieloom::Location::Kind::kFifo, col, row, byte};
}

/// A channel of a tile's DMA: 2 each way, 6 in memory tiles [AM009, AM020].
struct dma_channel {
  dma_channel(tile_type type, int col, int row, int channel) {
    if (col < 0 || row < 0 || channel < 0 || channel >= (type == memory_tile ? 6 : 2)) {
      aieloom::refuse("location", "there is no DMA channel " + std::to_string(channel) + " of this kind of tile",
                      "tiles of the array and of the interface have channels 0 and 1 each way, memory tiles 0 to 5");
    }
  }
};

/// How far another place is away.
struct relative_offset_t {
  int col_offset = 0;
  int row_offset = 0;
};
inline relative_offset_t relative_offset(relative_offset_t by) { return by; }
using relative_coordinate = relative_offset_t;

/// A rectangle of tiles, corners included.
struct bounding_box {
  bounding_box(int first_col, int first_row, int last_col, int last_row)
      : c0(first_col), r0(first_row), c1(last_col), r1(last_row) {}
  int c0, r0, c1, r1;
};

/// Several rectangles.
struct area_group {
  struct area {
    tile_type type;
    int c0, r0, c1, r1;
  };
  /// Whether routes stay inside, and whether others' routes and kernels stay outside: the mapper's business alone.
  area_group(std::initializer_list<area> all, bool /*contain_routing*/ = false, bool /*exclusive_routing*/ = false,
             bool /*exclusive_placement*/ = false)
      : areas(all) {}
  std::vector<area> areas;
};

namespace detail {

/// What stamp(graph) returns: place a graph like another one, tile by tile.
struct stamp_of {
  const void* graph;
};

/// What location<dma>(port) returns: the channel is the mapper's business alone.
struct dma_of {
  dma_of& operator=(const dma_channel&) { return *this; }
};

/// What location<...>(x) returns: assigning a place constrains x, assigning another's place relates the two.
class location_of {
 public:
  struct shifted {
    const location_of* from;
    relative_offset_t by;
  };

  explicit location_of(std::vector<aieloom::Location>& many, aieloom::Port* port = nullptr) : many_(&many), port_(port) {}
  explicit location_of(aieloom::Location& one, aieloom::Kernel* kernel = nullptr) : one_(&one), kernel_(kernel) {}
  location_of(const void* graph, std::size_t bytes) : graph_(graph), bytes_(bytes) {}

  location_of& operator=(const aieloom::Location& where) {
    set({where});
    return *this;
  }
  location_of& operator=(std::initializer_list<aieloom::Location> where) {
    set(where);
    return *this;
  }
  location_of& operator=(const location_of& other) {
    if (this != &other) {
      relate(other, aieloom::Relation::Kind::kSame, {});
    }
    return *this;
  }
  location_of& operator=(const shifted& other) {
    relate(*other.from, aieloom::Relation::Kind::kOffset, other.by);
    return *this;
  }
  location_of& operator=(const bounding_box& box) {
    add_area(box);
    return *this;
  }
  location_of& operator=(const area_group& group) {
    for (const auto& area : group.areas) {
      if (area.type == aie_tile) {
        add_area({area.c0, area.r0, area.c1, area.r1});
      }
    }
    return *this;
  }
  location_of& operator=(const stamp_of& like) {
    if (graph_ == nullptr || like.graph == graph_) {
      aieloom::refuse("location", "stamp() places a graph like another one", "write location<graph>(a) = stamp(b)");
    }
    return *this;
  }
  location_of(const location_of&) = default;

  friend shifted operator+(const location_of& from, relative_offset_t by) { return {&from, by}; }

  void relate(const location_of& other, aieloom::Relation::Kind kind, relative_offset_t by) const {
    aieloom::design().relations.push_back({kind, kernel_, other.kernel_, port_, other.port_, by.col_offset, by.row_offset});
  }

 private:
  void set(std::initializer_list<aieloom::Location> where) {
    if (many_ != nullptr) {
      many_->assign(where.begin(), where.end());
    } else if (one_ != nullptr && where.size() == 1) {
      *one_ = *where.begin();
    } else {
      aieloom::refuse("location", "one place is expected, " + std::to_string(where.size()) + " are given",
                      "only buffers have several locations");
    }
  }
  void add_area(const bounding_box& box) const {
    if (kernel_ != nullptr) {
      kernel_->area.push_back({aieloom::Location::Kind::kTile, box.c0, box.r0, 0});
      kernel_->area.push_back({aieloom::Location::Kind::kTile, box.c1, box.r1, 0});
      return;
    }
    aieloom::design().areas.push_back({aieloom::design().graphs.size(), graph_, bytes_, box.c0, box.r0, box.c1, box.r1});
  }

  std::vector<aieloom::Location>* many_ = nullptr;
  aieloom::Location* one_ = nullptr;
  aieloom::Kernel* kernel_ = nullptr;
  aieloom::Port* port_ = nullptr;
  const void* graph_ = nullptr;
  std::size_t bytes_ = 0;  // of the graph's object
};

}  // namespace detail

/// A place that graphs hand on: location_constraint c = location<kernel>(k); location<kernel>(other) = c + offset.
using location_constraint = detail::location_of;

/// The two must not be in the same place (bank, for buffers; tile, for kernels).
inline void not_equal(const detail::location_of& a, const detail::location_of& b) {
  a.relate(b, aieloom::Relation::Kind::kDifferent, {});
}

}  // namespace adf
