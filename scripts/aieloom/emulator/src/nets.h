// From connect<> statements to nets: who produces, who consumes, and how large the buffers at both ends are.
#pragma once

#include <cstddef>
#include <vector>

#include "aieloom/design.h"

namespace aieloom {

/// A consumer with the connections on the way from its producer, the producer's end first.
struct Branch {
  Port* consumer = nullptr;
  std::vector<const Connection*> path;
};

struct Net {
  Port* producer = nullptr;
  std::vector<Branch> branches;
};

/// Follow all connections of data, check them, and fix the sizes of windows. Refuses open ports, two drivers, kinds
/// that do not fit. In the order of the program's connect<> statements.
std::vector<Net> collect_nets(Design& design);

/// Bytes of a kernel's buffer that its signature, dimensions() and windows agree on; 0 when nothing says.
std::size_t declared_bytes(const Port& port);

/// Bytes of a buffer, inherited from the other end when the port itself does not say; refuses when none does.
std::size_t buffer_bytes(const Port& port, const Port& other);

/// Bytes of the margin in front of a kernel's buffer.
std::size_t margin_bytes(const Port& port);

/// Whether the kernel of this port takes and gives whole buffers.
bool has_buffer(const Port& port);

/// Give every kernel and shared buffer its number of rounds in an iteration, or refuse: rates do not balance.
void balance(Design& design, const std::vector<Net>& nets);

/// Refuse a placement that only the mapper of a device would refuse; a warning where $AIELOOM_MISPLACED says "warn".
void misplaced(const std::string& rule, const std::string& problem, const std::string& remedy);

/// Check the design's constraints against the array's geometry and each other; places kernels that are constrained
/// relative to others (geometry.cpp).
void check_geometry(Design& design, const std::vector<Net>& nets);

/// Check the places of shared buffers in memory tiles (memory_tile_places.cpp).
void check_memory_tiles(const Design& design);

}  // namespace aieloom
