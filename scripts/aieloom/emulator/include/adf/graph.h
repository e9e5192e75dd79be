// Graphs: connections, PLIO, constraints, and control from main() [UG1079 Graph Objects; Run-time Graph Control].
#ifndef ADF_GRAPH_H
#define ADF_GRAPH_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "adf/kernel.h"
#include "adf/location.h"
#include "adf/port.h"
#include "aieloom/design.h"

namespace adf {

enum plio_type { plio_32_bits = 32, plio_64_bits = 64, plio_128_bits = 128 };

namespace detail {

/// input_plio has out[0], because data comes out of it into the graph; output_plio has in[0].
template <bool IsInput>
class plio {
 public:
  plio() = default;

  /// `name`: unique, and the name in stream_connect. `file`: data of simulations. `mhz`: the PL's clock.
  static plio create(const std::string& name, plio_type width, const std::string& file = "", double mhz = 0) {
    plio made;
    made.node_ = &aieloom::add_plio(name, width, file, mhz, IsInput);
    return made;
  }

  [[nodiscard]] aieloom::Plio& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("plio-unset", "a PLIO is used before it was created",
                      "assign input_plio::create(...) or output_plio::create(...) first");
    }
    return *node_;
  }

 protected:
  struct only_port {
    const plio* owner;
    port_base operator[](std::size_t number) const {
      if (number != 0) {
        aieloom::refuse("port-number", "PLIO '" + owner->node().name + "' has one port, not a [" + std::to_string(number) + "]",
                        "use [0]");
      }
      return port_base(owner->node().port);
    }
  };

 private:
  aieloom::Plio* node_ = nullptr;
};

}  // namespace detail

class input_plio : public detail::plio<true> {
 public:
  input_plio() = default;
  input_plio(const detail::plio<true>& made) : plio(made) {}
  input_plio(const input_plio& other) : plio(other) {}
  input_plio& operator=(const input_plio& other) {
    plio::operator=(other);
    return *this;
  }
  only_port out{this};
};

class output_plio : public detail::plio<false> {
 public:
  output_plio() = default;
  output_plio(const detail::plio<false>& made) : plio(made) {}
  output_plio(const output_plio& other) : plio(other) {}
  output_plio& operator=(const output_plio& other) {
    plio::operator=(other);
    return *this;
  }
  only_port in{this};
};

struct stream {};
struct cascade {};
struct buffer {};
struct stack {};
struct PLIO {};

/// Data flows from one port to another.
template <typename Kind = void, typename Other = Kind>
class connect {
 public:
  connect(const detail::port_base& from, const detail::port_base& to)
      : node_(&aieloom::design().connections.emplace_back(aieloom::Connection{&from.node(), &to.node()})) {}
  [[nodiscard]] aieloom::Connection& node() const { return *node_; }

 private:
  aieloom::Connection* node_;
};
connect(const detail::port_base&, const detail::port_base&) -> connect<void, void>;

/// Depth of the FIFO on a connection, in 32-bit words.
template <typename K, typename O>
std::size_t& fifo_depth(const connect<K, O>& net) {
  return net.node().fifo_depth;
}

/// location<kernel>(k) = tile(c, r), and so on for buffer, stack, parameter and PLIO.
template <typename What>
detail::location_of location(const kernel& k)
  requires std::same_as<What, kernel> || std::same_as<What, stack>
{
  return detail::location_of(std::same_as<What, kernel> ? k.node().tile : k.node().stack);
}
template <typename What>
detail::location_of location(const detail::port_base& port)
  requires std::same_as<What, buffer>
{
  return detail::location_of(port.node().locations);
}
template <typename What>
detail::location_of location(const parameter& p)
  requires std::same_as<What, parameter>
{
  return detail::location_of(p.node().location);
}
template <typename What, bool IsInput>
detail::location_of location(const detail::plio<IsInput>& p)
  requires std::same_as<What, PLIO>
{
  return detail::location_of(p.node().shim);
}

enum class return_code { ok, user_error, aie_driver_error, xrt_error, internal_error, unsupported };

/// Base of user-defined graphs.
class graph {
 public:
  graph();
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  /// Load the graph. Elaborates the whole program's design at the first call.
  return_code init();

  /// Start `iterations` iterations (for ever when negative) and return at once.
  return_code run(int iterations = -1);

  /// Wait until all iterations asked for are done.
  return_code wait();

  /// Wait for iterations, then stop; no run() after it [UG1079].
  return_code end();

 protected:
  ~graph() = default;
};

}  // namespace adf

#endif  // ADF_GRAPH_H
