// Buffers in memory tiles and in DDR, and how they are walked through [UG1603 Memory Tile Access, Tiling Parameters].
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "adf/argument.h"
#include "adf/port.h"
#include "aieloom/design.h"
#include "aieloom/report.h"

namespace adf {

/// One loop of a tile traversal.
struct traversing_parameters {
  std::uint32_t dimension = 0;
  std::int32_t stride = 0;
  std::uint32_t wrap = 1;
};

/// An access pattern; sizes in elements, dimension 0 is contiguous, traversal entry 0 is innermost.
struct tiling_parameters {
  std::vector<std::uint32_t> buffer_dimension;
  std::vector<std::uint32_t> tiling_dimension;
  std::vector<std::int32_t> offset;
  std::vector<traversing_parameters> tile_traversal;
  std::int32_t packet_port_id = -1;
  std::uint32_t repetition = 1;
  std::uint32_t phase = 0;
  std::vector<std::uint32_t> boundary_dimension;
};

/// A descriptor as the DMA has it, in 32-bit words: dimensions by the distance of their steps and how many there are, the
/// last as far as `length` goes. Zeros before and after a dimension are for reads of memory tiles.
struct buffer_descriptor_parameters {
  std::uint32_t length = 0;
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> stepsize;
  std::vector<std::uint32_t> wrap;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> padding;
  std::int32_t packet_port_id = -1;
};
struct buffer_descriptor : buffer_descriptor_parameters {
  buffer_descriptor(const buffer_descriptor_parameters& all) : buffer_descriptor_parameters(all) {}
  buffer_descriptor(std::uint32_t length, std::uint32_t offset, const std::vector<std::uint32_t>& stepsize,
                    const std::vector<std::uint32_t>& wrap)
      : buffer_descriptor_parameters{length, offset, stepsize, wrap, {}, -1} {}
};

/// Patterns that follow each other.
class tiling {
 public:
  tiling(const tiling_parameters& one) : phases_{one} {}
  tiling(const std::vector<tiling_parameters>& many) : phases_(many) {}
  [[nodiscard]] const std::vector<tiling_parameters>& phases() const { return phases_; }

 private:
  std::vector<tiling_parameters> phases_;
};

namespace detail {

/// What read_access(port) and write_access(port) return.
class access_of {
 public:
  explicit access_of(aieloom::Port& node) : node_(&node) {}
  access_of& operator=(const tiling& pattern) {
    node_->access.clear();
    node_->tiled = true;
    for (const tiling_parameters& p : pattern.phases()) {
      aieloom::Tiling& made = node_->access.emplace_back();
      made.buffer.assign(p.buffer_dimension.begin(), p.buffer_dimension.end());
      made.tile.assign(p.tiling_dimension.begin(), p.tiling_dimension.end());
      made.offset.assign(p.offset.begin(), p.offset.end());
      made.boundary.assign(p.boundary_dimension.begin(), p.boundary_dimension.end());
      for (const traversing_parameters& t : p.tile_traversal) {
        made.traversal.push_back({t.dimension, t.stride, t.wrap});
      }
      made.repetition = p.repetition;
      made.phase = p.phase;
      made.packet_port = p.packet_port_id;
    }
    return *this;
  }
  access_of& operator=(const buffer_descriptor& one) { return *this = std::vector<buffer_descriptor>{one}; }
  access_of& operator=(const std::vector<buffer_descriptor>& chain) {
    node_->access.clear();
    node_->tiled = true;
    for (const buffer_descriptor& d : chain) {
      aieloom::Tiling& made = node_->access.emplace_back();
      made.described = true;
      made.packet_port = d.packet_port_id;
      made.words.length = d.length;
      made.words.offset = d.offset;
      made.words.steps.assign(d.stepsize.begin(), d.stepsize.end());
      made.words.wraps.assign(d.wrap.begin(), d.wrap.end());
      made.words.padding.assign(d.padding.begin(), d.padding.end());
    }
    return *this;
  }
  access_of& operator=(const tiling_parameters& pattern) { return *this = tiling(pattern); }
  access_of& operator=(std::initializer_list<tiling_parameters> phases) {
    return *this = tiling(std::vector<tiling_parameters>(phases));
  }

 private:
  aieloom::Port* node_;
};

/// Ports of a shared or external buffer.
template <typename Owner, typename D>
struct buffer_ports {
  const Owner* owner;
  port<D>& operator[](std::size_t number) const {
    auto& node = owner->node();
    constexpr bool is_input = std::is_same_v<D, input>;
    return lasting<port<D>>(aieloom::port_at(is_input ? node.in : node.out, node.name, is_input ? "in" : "out", number));
  }
};

template <typename T, bool External>
class placed_buffer {
 public:
  using value_type = T;

  placed_buffer() = default;
  placed_buffer(const placed_buffer& other) : node_(other.node_) {}
  placed_buffer& operator=(const placed_buffer& other) {
    node_ = other.node_;
    return *this;
  }
  ~placed_buffer() = default;

  /// A buffer of `dimensions` elements with so many ports that write to it and that read from it.
  static placed_buffer create(const std::vector<std::uint32_t>& dimensions, std::uint32_t inputs, std::uint32_t outputs) {
    placed_buffer made;
    made.node_ = &aieloom::add_shared_buffer(element_type<T>(), {dimensions.begin(), dimensions.end()}, inputs, outputs, External);
    return made;
  }

  /// Where in DDR it is.
  void setAddress(void* memory)
    requires External
  {
    node().address = static_cast<std::byte*>(memory);
  }

  /// Start one transfer of a port's whole pattern: out[i] reads DDR for the array, in[i] writes what comes from it.
  /// wait() waits for all that were started; the forms without _nb wait themselves.
  void gm2aie_nb(const port<input>& from) = delete;  // in[i] takes data from the array: aie2gm_nb
  void aie2gm_nb(const port<output>& to) = delete;   // out[i] gives data to the array: gm2aie_nb
  void gm2aie_nb(const port<output>& from) const
    requires External
  {
    aieloom::start_external(from.node());
  }
  void aie2gm_nb(const port<input>& to) const
    requires External
  {
    aieloom::start_external(to.node());
  }
  void wait(const port_base& which) const
    requires External
  {
    aieloom::wait_external(which.node());
  }
  void gm2aie(const port<output>& from) const
    requires External
  {
    gm2aie_nb(from);
    wait(from);
  }
  void aie2gm(const port<input>& to) const
    requires External
  {
    aie2gm_nb(to);
    wait(to);
  }

  [[nodiscard]] aieloom::SharedBuffer& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("buffer-unset", "a shared or external buffer is used before it was created",
                      "assign shared_buffer<T>::create(...) or external_buffer<T>::create(...) first");
    }
    return *node_;
  }

  buffer_ports<placed_buffer, input> in{this};
  buffer_ports<placed_buffer, output> out{this};

 private:
  aieloom::SharedBuffer* node_ = nullptr;
};

}  // namespace detail

/// In a memory tile.
template <typename T>
using shared_buffer = detail::placed_buffer<T, false>;

/// In DDR.
template <typename T>
using external_buffer = detail::placed_buffer<T, true>;

inline detail::access_of read_access(const detail::port_base& port) { return detail::access_of(port.node()); }
inline detail::access_of write_access(const detail::port_base& port) { return detail::access_of(port.node()); }

/// Rounds of all its ports in one iteration of the graph.
template <typename T, bool E>
std::size_t& repetition_count(const detail::placed_buffer<T, E>& buffer) {
  return buffer.node().repetition_count;
}

/// How many copies take turns.
template <typename T, bool E>
std::size_t& num_buffers(const detail::placed_buffer<T, E>& buffer) {
  return buffer.node().buffers;
}

}  // namespace adf
