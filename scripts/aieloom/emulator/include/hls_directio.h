// hls::ap_hs, ap_vld, ap_ack and ap_none: ports that are wires [UG1399 Using Direct I/O Streams].
//
// In C simulation each is a queue, as AMD's own test benches take it (they write all values before the design reads the
// first). Wires are for IP that Vivado connects: system.cfg cannot name them, so a kernel that v++ links is refused for
// one (aieloom/pl_kernel.h).
#pragma once

#include "aieloom/traits.h"
#include "hls_stream.h"

namespace hls {

/// The handshake of a port: with valid and ready, with one of them, without.
enum class mode : int { hs = 0, vld = 1, ack = 2, none = 3 };

template <typename T_, int Mode_ = static_cast<int>(mode::hs)>
class directio : protected stream<T_> {
  using Queue = stream<T_>;
  static constexpr bool valid_wire(int m) { return m == static_cast<int>(mode::hs) || m == static_cast<int>(mode::vld); }
  static constexpr bool ready_wire(int m) { return m == static_cast<int>(mode::hs) || m == static_cast<int>(mode::ack); }

 public:
  using aieloom_wire = T_;
  using value_type = T_;
  using Queue::Queue;
  using Queue::read;
  using Queue::set_name;
  using Queue::size;
  using Queue::write;

  void operator<<(const T_& value) { write(value); }
  void operator>>(T_& value) { read(value); }

  /// There is a value to read.
  template <int M_ = Mode_, aieloom::If<valid_wire(M_)> = 0>
  [[nodiscard]] bool valid() {
    return !this->empty();
  }
  /// The last value has been read.
  template <int M_ = Mode_, aieloom::If<ready_wire(M_)> = 0>
  [[nodiscard]] bool ready() const {
    return this->aieloom_waiting() == 0;
  }
  template <int M_ = Mode_, aieloom::If<valid_wire(M_)> = 0>
  bool read_nb(T_& value) {
    return Queue::read_nb(value);
  }
  template <int M_ = Mode_, aieloom::If<ready_wire(M_)> = 0>
  bool write_nb(const T_& value) {
    return Queue::write_nb(value);
  }
};

template <typename T_>
using ap_hs = directio<T_, static_cast<int>(mode::hs)>;
template <typename T_>
using ap_vld = directio<T_, static_cast<int>(mode::vld)>;
template <typename T_>
using ap_ack = directio<T_, static_cast<int>(mode::ack)>;
template <typename T_>
using ap_none = directio<T_, static_cast<int>(mode::none)>;

}  // namespace hls
