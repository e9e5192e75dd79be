// What lies at the array's edge: PLIO and GMIO [UG1079 Graph Objects; Using GMIO].
#pragma once

#include <cstddef>
#include <string>

#include "adf/port.h"
#include "aieloom/design.h"
#include "aieloom/report.h"

namespace adf {

enum plio_type { plio_32_bits = 32, plio_64_bits = 64, plio_128_bits = 128 };

/// Programs also write adf::ok, and return one from main().
enum return_code { ok = 0, user_error, aie_driver_error, xrt_error, internal_error, unsupported };

/// Any PLIO or GMIO, for functions that take either.
class IoAttr {
 public:
  virtual ~IoAttr() = default;
  [[nodiscard]] virtual aieloom::Port& io_port() const = 0;

 protected:
  IoAttr() = default;
  IoAttr(const IoAttr&) = default;
  IoAttr& operator=(const IoAttr&) = default;
};

namespace detail {

/// The one port of an I/O object: `out[0]` of an input, `in[0]` of an output.
template <typename Owner>
struct only_port {
  const Owner* owner;
  port_base& operator[](std::size_t number) const {
    if (number != 0) {
      aieloom::refuse("port-number", owner->label() + " has one port, not a [" + std::to_string(number) + "]", "use [0]");
    }
    return lasting<port_base>(owner->node().port);
  }
};

template <bool IsInput>
class plio : public IoAttr {
 public:
  plio() = default;

  /// `name`: unique, and the name in stream_connect. `file`: data of simulations. `mhz`: the PL's clock. `hex`: an
  /// input file has hexadecimal numbers [UG1079 input_plio/output_plio].
  static plio create(const std::string& name, plio_type width = plio_32_bits, const std::string& file = "", double mhz = 0, bool hex = false) {
    plio made;
    made.node_ = &aieloom::add_plio(name, width, file, mhz, IsInput);
    made.node_->hex = hex;
    return made;
  }
  static plio create(const std::string& name, const std::string& file, double mhz = 0, bool hex = false) {
    return create(name, plio_32_bits, file, mhz, hex);
  }
  /// A port without a name of its own: its file names it; several may read one file.
  static plio create(plio_type width, const std::string& file, double mhz = 0, bool hex = false) {
    return create(aieloom::unnamed_plio(file), width, file, mhz, hex);
  }

  [[nodiscard]] aieloom::Plio& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("plio-unset", "a PLIO is used before it was created",
                      "assign input_plio::create(...) or output_plio::create(...) first");
    }
    return *node_;
  }
  [[nodiscard]] std::string label() const { return "PLIO '" + node().name + "'"; }
  [[nodiscard]] aieloom::Port& io_port() const override { return node().port; }

 private:
  aieloom::Plio* node_ = nullptr;
};

/// Memory and transfers that PS programs start.
class gmio_base : public IoAttr {
 public:
  /// Memory that the array's DMA can reach.
  static void* malloc(std::size_t bytes);
  static void free(void* memory);

  [[nodiscard]] aieloom::Gmio& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("gmio-unset", "a GMIO is used before it was created",
                      "assign input_gmio::create(...) or output_gmio::create(...) first");
    }
    return *node_;
  }
  [[nodiscard]] std::string label() const { return "GMIO '" + node().name + "'"; }
  [[nodiscard]] aieloom::Port& io_port() const override { return node().port; }

  /// Start a transfer from DDR into the array, or back; wait() waits for all that were started.
  return_code gm2aie_nb(const void* memory, std::size_t bytes) const;
  return_code aie2gm_nb(void* memory, std::size_t bytes) const;
  return_code wait() const;

  /// The same, finished on return.
  return_code gm2aie(const void* memory, std::size_t bytes) const;
  return_code aie2gm(void* memory, std::size_t bytes) const;

 protected:
  aieloom::Gmio* node_ = nullptr;
};

template <bool IsInput>
class gmio : public gmio_base {
 public:
  gmio() = default;

  /// `burst`: bytes of an AXI burst (64, 128, 256). `bandwidth`: MB/s that the mapper reserves.
  static gmio create(const std::string& name, std::size_t burst, std::size_t bandwidth) {
    gmio made;
    made.node_ = &aieloom::add_gmio(name, burst, static_cast<double>(bandwidth), IsInput);
    return made;
  }
  /// One without a name of its own.
  static gmio create(std::size_t burst, std::size_t bandwidth) { return create(aieloom::unnamed_gmio(), burst, bandwidth); }
};

}  // namespace detail

/// Inputs have out[0], because data come out of them into the graph; outputs have in[0].
#define AIELOOM_IO_OBJECT(NAME, BASE, PORT)                 \
  class NAME : public BASE {                                \
   public:                                                  \
    NAME() = default;                                       \
    NAME(const BASE& made) : BASE(made) {}                  \
    NAME(const NAME& other) : BASE(other) {}                \
    NAME& operator=(const NAME& other) {                    \
      BASE::operator=(other);                               \
      return *this;                                         \
    }                                                       \
    detail::only_port<BASE> PORT{this};                     \
  };
AIELOOM_IO_OBJECT(input_plio, detail::plio<true>, out)
AIELOOM_IO_OBJECT(output_plio, detail::plio<false>, in)
AIELOOM_IO_OBJECT(input_gmio, detail::gmio<true>, out)
AIELOOM_IO_OBJECT(output_gmio, detail::gmio<false>, in)
#undef AIELOOM_IO_OBJECT

/// An object that a simulation::platform attaches to a graph; also what location<PLIO> names.
class PLIO : public IoAttr {
 public:
  explicit PLIO(const std::string& name, plio_type width = plio_32_bits, const std::string& file = "", double mhz = 0)
      : name_(name), file_(file), width_(width), mhz_(mhz) {}
  PLIO(const std::string& name, const std::string& file, double mhz = 0) : PLIO(name, plio_32_bits, file, mhz) {}
  /// Make the design's node, once its direction is known.
  aieloom::Port& attach(bool is_input) {
    node_ = &aieloom::add_plio(name_, width_, file_, mhz_, is_input);
    return node_->port;
  }
  [[nodiscard]] aieloom::Plio& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("plio-unset", "PLIO '" + name_ + "' is in no simulation::platform", "give it to a platform");
    }
    return *node_;
  }
  [[nodiscard]] aieloom::Port& io_port() const override { return node().port; }

 private:
  std::string name_, file_;
  plio_type width_;
  double mhz_;
  aieloom::Plio* node_ = nullptr;
};

/// The same for DDR; GMIO::malloc and GMIO::free serve all programs.
class GMIO : public detail::gmio_base {
 public:
  GMIO(const std::string& name, std::size_t burst, std::size_t bandwidth)
      : name_(name), burst_(burst), bandwidth_(static_cast<double>(bandwidth)) {}
  aieloom::Port& attach(bool is_input) {
    node_ = &aieloom::add_gmio(name_, burst_, bandwidth_, is_input);
    return node_->port;
  }

 private:
  std::string name_;
  std::size_t burst_;
  double bandwidth_;
};

}  // namespace adf
