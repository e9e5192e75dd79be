// Ports of graphs and kernels [UG1079 Graph Objects: port].
#pragma once

#include <initializer_list>
#include <type_traits>
#include <cstddef>
#include <vector>

#include "aieloom/design.h"
#include "aieloom/sequence.h"

// The kinds of ports, and what runtime<> sets, are names of the global scope: published graphs write port<input> and
// runtime<ratio> with adf:: on port and runtime alone.
struct input {};
struct output {};
struct inout {};
struct ratio {};

namespace adf {

using ::inout;
using ::input;
using ::output;
using ::ratio;

/// The same as port<direction::in> and so on.
namespace direction {
using in = input;
using out = output;
using inout = ::adf::inout;
}  // namespace direction

namespace detail {

/// Refers to a node of the design; copies refer to the same node.
class port_base {
 public:
  explicit port_base(aieloom::Port& node) : node_(&node) {}
  [[nodiscard]] aieloom::Port& node() const { return *node_; }

 private:
  aieloom::Port* node_;
};

inline constexpr aieloom::Direction direction_of(input) { return aieloom::Direction::kIn; }
inline constexpr aieloom::Direction direction_of(output) { return aieloom::Direction::kOut; }
inline constexpr aieloom::Direction direction_of(inout) { return aieloom::Direction::kInOut; }

}  // namespace detail

/// A port of a graph; as a member it is created with the graph.
template <typename D>
class port : public detail::port_base {
 public:
  port() : port_base(aieloom::add_graph_port(detail::direction_of(D{}), this)) {}
  explicit port(aieloom::Port& node) : port_base(node) {}
};

using input_port = port<input>;
using output_port = port<output>;
using inout_port = port<inout>;

namespace detail {

/// A port that stays: functions of libraries take a kernel's port by reference.
template <typename Port>
Port& lasting(aieloom::Port& node) {
  static aieloom::Sequence<Port> ports;
  return ports.emplace_back(node);
}

/// What dimensions(port) returns.
class dimensions_of {
 public:
  explicit dimensions_of(aieloom::Port& node) : node_(&node) {}
  dimensions_of& operator=(std::initializer_list<unsigned> sizes) {
    node_->dimensions.assign(sizes.begin(), sizes.end());
    return *this;
  }
  template <typename T>
    requires std::is_integral_v<T>
  dimensions_of& operator=(const std::vector<T>& sizes) {
    node_->dimensions.assign(sizes.begin(), sizes.end());
    return *this;
  }

 private:
  aieloom::Port* node_;
};

}  // namespace detail

/// Size of a buffer in elements, dimension 0 first.
inline detail::dimensions_of dimensions(const detail::port_base& port) { return detail::dimensions_of(port.node()); }

/// Words that a stream port moves in one iteration: what tools before 2023 estimated rates by; functional simulation
/// follows the data.
inline std::size_t& samples_per_iteration(const detail::port_base& port) { return port.node().samples; }

/// How often an asynchronous buffer changes hands in one iteration [UG1079 2023.2, UG1603 2024.1]: what the tools estimate rates by; the kernel acquires
/// and releases as its code says.
inline std::size_t& async_repetition(const detail::port_base& port) { return port.node().async_repetition; }

/// One buffer instead of the two that take turns.
inline void single_buffer(const detail::port_base& port) { port.node().buffers = 1; }

/// How many buffers take turns at a kernel's port.
inline int& num_buffers(const detail::port_base& port) { return port.node().buffers; }

/// An asynchronous run-time parameter keeps its value until updated; a kernel acquires an asynchronous buffer itself.
inline const detail::port_base& async(const detail::port_base& port) {
  port.node().async = true;
  return port;
}
template <typename D>
const port<D>& async(const port<D>& p) {
  p.node().async = true;
  return p;
}

/// A synchronous run-time parameter is new for every call of the kernel.
inline const detail::port_base& sync(const detail::port_base& port) {
  port.node().sync = true;
  return port;
}

}  // namespace adf
