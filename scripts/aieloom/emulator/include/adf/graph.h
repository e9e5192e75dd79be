// Graphs: connections, constraints, and control from main() [UG1079 Graph Objects; Run-time Graph Control].
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "adf/kernel.h"
#include "adf/location.h"
#include "adf/plio.h"
#include "adf/port.h"
#include "adf/shared_buffer.h"
#include "aieloom/design.h"

#ifdef __AIE_ARCH__
namespace aieloom {
/// The runtime serves every architecture: the graph's source tells it which, before its graphs are made.
[[maybe_unused]] static const int kTold = design().architecture = __AIE_ARCH__;
#ifdef AIELOOM_PART  // the members of Part: what generated designs are compiled with
[[maybe_unused]] static const Part kPart = design().part = Part{AIELOOM_PART};
#else
[[maybe_unused]] static const Part kPart = design().part = __AIE_ARCH__ == kAie ? kVc1902 : kVe2802;
#endif
}  // namespace aieloom
#endif

namespace adf {

struct stream {};
struct cascade {};
struct buffer {};
struct stack {};
struct fifo {};
struct dma {};
struct pktstream {};
struct pktcontrol {};  // named where it is used: no public document describes it
/// Bytes of a window, and of its margin.
template <std::size_t Bytes, std::size_t Margin = 0>
struct window {};

namespace detail {

/// What one argument of connect<...> says about an end.
template <typename K>
struct net_end {
  static_assert(!std::is_same_v<K, pktcontrol>,
                "connect<pktcontrol>: control packets are not emulated, no public document says what they do; leave them out, or run the design in AMD's tools");
  static_assert(sizeof(K) == 0 || std::is_same_v<K, pktcontrol>, "connect<> takes stream, cascade, window<bytes, margin>, parameter or pktstream");
};
template <aieloom::NetKind Kind, std::size_t Bytes = 0, std::size_t Margin = 0>
struct net_end_is {
  static constexpr aieloom::NetKind kind = Kind;
  static constexpr std::size_t bytes = Bytes, margin = Margin;
};
template <>
struct net_end<void> : net_end_is<aieloom::NetKind::kAny> {};
template <>
struct net_end<buffer> : net_end_is<aieloom::NetKind::kWindow> {};
template <>
struct net_end<stream> : net_end_is<aieloom::NetKind::kStream> {};
template <>
struct net_end<cascade> : net_end_is<aieloom::NetKind::kCascade> {};
template <>
struct net_end<parameter> : net_end_is<aieloom::NetKind::kParameter> {};
template <>
struct net_end<pktstream> : net_end_is<aieloom::NetKind::kPacket> {};
template <std::size_t Bytes, std::size_t Margin>
struct net_end<window<Bytes, Margin>> : net_end_is<aieloom::NetKind::kWindow, Bytes, Margin> {
  static_assert(Bytes > 0 && Bytes % 4 == 0, "a window has a positive number of bytes, in 32-bit words");
};

}  // namespace detail

/// Data flows from one port to another.
template <typename Kind = void, typename Other = Kind>
class connect {
 public:
  connect(const detail::port_base& from, const detail::port_base& to) : node_(&add(from, to)) {}
  /// A file-scope array belongs to a kernel.
  connect(const parameter& array, const kernel& owner) { owner.node().arrays.push_back(&array.node()); }

  [[nodiscard]] aieloom::Connection& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("net", "the connection of an array to a kernel has no attributes", "set them on data connections only");
    }
    return *node_;
  }

 private:
  static aieloom::Connection& add(const detail::port_base& from, const detail::port_base& to) {
    aieloom::Connection& made = aieloom::design().connections.emplace_back();
    using From = detail::net_end<Kind>;
    using To = detail::net_end<Other>;
    made.from = &from.node();
    made.to = &to.node();
    made.from_kind = From::kind;
    made.to_kind = To::kind;
    made.from_bytes = From::bytes;
    made.to_bytes = To::bytes;
    made.margin_bytes = To::margin;
    return made;
  }

  aieloom::Connection* node_ = nullptr;
};
connect(const detail::port_base&, const detail::port_base&) -> connect<void, void>;
connect(const parameter&, const kernel&) -> connect<void, void>;

/// Depth of the FIFO on a connection, in 32-bit words.
template <typename K, typename O>
std::size_t& fifo_depth(const connect<K, O>& net) {
  return net.node().fifo_depth;
}

namespace detail {

/// Splitters and mergers of packet streams.
template <std::size_t N, aieloom::PacketSwitch::Kind K>
class packet_switch {
 public:
  packet_switch() = default;
  packet_switch(const packet_switch& other) : node_(other.node_) {}
  packet_switch& operator=(const packet_switch& other) {
    node_ = other.node_;
    return *this;
  }
  ~packet_switch() = default;

  static packet_switch create() {
    static_assert(N >= 1 && N <= 32, "a packet's id has 5 bits: at most 32 ways [UG1079 Packet Processing]");
#if defined(__AIE_ARCH__) && __AIE_ARCH__ == 10
    static_assert(K != aieloom::PacketSwitch::Kind::kOrderedMerge,
                  "pktorderedmerge needs AIE-ML [UG1603]; use pktmerge, whose packets carry the id of their sender");
#endif
    packet_switch made;
    made.node_ = &aieloom::add_switch(K, N);
    return made;
  }
  [[nodiscard]] aieloom::PacketSwitch& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("packet", "a packet splitter or merger is used before it was created", "assign its create() first");
    }
    return *node_;
  }
  buffer_ports<packet_switch, input> in{this};
  buffer_ports<packet_switch, output> out{this};

 private:
  aieloom::PacketSwitch* node_ = nullptr;
};

}  // namespace detail

/// One packet stream to N, by the id in each packet's header.
template <std::size_t N>
using pktsplit = detail::packet_switch<N, aieloom::PacketSwitch::Kind::kSplit>;
/// N packet streams to one; in order of arrival, or in turn.
template <std::size_t N>
using pktmerge = detail::packet_switch<N, aieloom::PacketSwitch::Kind::kMerge>;
template <std::size_t N>
using pktorderedmerge = detail::packet_switch<N, aieloom::PacketSwitch::Kind::kOrderedMerge>;

/// Base of user-defined graphs.
class graph {
 public:
  graph() { aieloom::add_graph(this); }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  /// Load the graph. Elaborates the whole program's design at the first call.
  return_code init();

  /// Start `iterations` iterations (for ever when negative or absent) and return at once.
  return_code run();
  return_code run(int iterations);

  /// Wait until all iterations asked for are done; with a number of cycles, then pause.
  return_code wait();
  return_code wait(std::uint64_t cycles);

  /// Go on after wait(cycles).
  return_code resume();

  /// Wait for iterations, then stop; no run() after it [UG1079].
  return_code end();
  return_code end(std::uint64_t cycles);

  /// Set a run-time parameter.
  template <typename T>
    requires(!std::is_pointer_v<T> && !std::is_array_v<T>)
  return_code update(const detail::port_base& p, const T& value) {
    const std::remove_cv_t<T> plain = value;  // programs give volatile variables too
    return update_bytes(p.node(), &plain, sizeof plain, 1);
  }
  template <typename T>
  return_code update(const detail::port_base& p, const T* values, std::size_t count) {
    return update_bytes(p.node(), values, sizeof(T) * count, count);
  }

  /// Get a run-time parameter that the kernel writes.
  template <typename T>
    requires(!std::is_pointer_v<T> && !std::is_array_v<T>)
  return_code read(const detail::port_base& p, T& value) {
    return read_bytes(p.node(), &value, sizeof value, 1);
  }
  template <typename T>
  return_code read(const detail::port_base& p, T* values, std::size_t count) {
    return read_bytes(p.node(), values, sizeof(T) * count, count);
  }

 protected:
  ~graph() = default;

 private:
  return_code update_bytes(aieloom::Port& port, const void* values, std::size_t bytes, std::size_t count);
  return_code read_bytes(aieloom::Port& port, void* values, std::size_t bytes, std::size_t count);
};

/// location<graph>(b) = stamp(a): b's kernels lie to each other as a's do; the mapper's business alone.
inline detail::stamp_of stamp(const graph& like) { return {&like}; }

/// location<kernel>(k) = tile(c, r), and so on for buffer, dma, stack, parameter, fifo, PLIO, GMIO and graph.
template <typename What>
  requires std::same_as<What, kernel> || std::same_as<What, stack>
detail::location_of location(const kernel& k) {
  if constexpr (std::same_as<What, kernel>) {
    return detail::location_of(k.node().tile, &k.node());
  } else {
    return detail::location_of(k.node().stack);
  }
}
template <typename What>
  requires std::same_as<What, buffer>
detail::location_of location(const detail::port_base& port) {
  return detail::location_of(port.node().locations, &port.node());
}
template <typename What, typename T, bool E>
  requires std::same_as<What, buffer>
detail::location_of location(const detail::placed_buffer<T, E>& shared) {
  return detail::location_of(shared.node().locations);
}
template <typename What>
  requires std::same_as<What, dma>
detail::dma_of location(const detail::port_base&) {
  return {};
}
template <typename What>
  requires std::same_as<What, parameter>
detail::location_of location(const parameter& p) {
  return detail::location_of(p.node().location);
}
/// A run-time parameter's place in data memory.
template <typename What>
  requires std::same_as<What, parameter>
detail::location_of location(const detail::port_base& port) {
  return detail::location_of(port.node().locations, &port.node());
}
template <typename What, typename K, typename O>
  requires std::same_as<What, fifo>
detail::location_of location(const connect<K, O>& net) {
  return detail::location_of(net.node().fifo);
}
template <typename What, bool IsInput>
  requires std::same_as<What, PLIO>
detail::location_of location(const detail::plio<IsInput>& p) {
  return detail::location_of(p.node().shim);
}
template <typename What>
  requires std::same_as<What, GMIO>
detail::location_of location(const detail::gmio_base& g) {
  return detail::location_of(g.node().shim);
}
template <typename What, typename G>
  requires std::same_as<What, graph> && std::is_base_of_v<graph, G>
detail::location_of location(const G& g) {
  const auto* base = (const graph*)&g;  // this cast alone reaches a private base, as in `class Mine : graph`
  const auto before = reinterpret_cast<const char*>(base) - reinterpret_cast<const char*>(&g);
  return detail::location_of(static_cast<const void*>(base), sizeof g - static_cast<std::size_t>(before));
}

}  // namespace adf
