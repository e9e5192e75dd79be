// hls::ap_hs, ap_vld, ap_ack and ap_none: ports that are wires [UG1399 Using Direct I/O Streams].
//
// In C simulation each is a queue, as AMD's own test benches take it (they write all values before the design reads the
// first). Wires are for IP that Vivado connects: system.cfg cannot name them, so a kernel that v++ links is refused for
// one (aieloom/pl_kernel.h).
#pragma once

#include <string>

#include "hls_stream.h"

namespace hls {

namespace detail {

/// A port of wires, of whatever handshake.
template <typename T_>
class direct_io : protected stream<T_> {
  using Queue = stream<T_>;

 public:
  using aieloom_wire = T_;
  using Queue::Queue;
  using Queue::read;
  using Queue::read_nb;
  using Queue::write;
  using Queue::write_nb;

  void operator<<(const T_& value) { write(value); }
  void operator>>(T_& value) { read(value); }
};

}  // namespace detail

/// A value with both handshakes: valid() when there is one to read, ready() when the last one has been read.
template <typename T_>
class ap_hs : public detail::direct_io<T_> {
 public:
  using detail::direct_io<T_>::direct_io;
  [[nodiscard]] bool valid() const { return !this->empty(); }
  [[nodiscard]] bool ready() const { return this->size() == 0; }
};

template <typename T_>
class ap_vld : public detail::direct_io<T_> {
 public:
  using detail::direct_io<T_>::direct_io;
  [[nodiscard]] bool valid() const { return !this->empty(); }
};

template <typename T_>
class ap_ack : public detail::direct_io<T_> {
 public:
  using detail::direct_io<T_>::direct_io;
  [[nodiscard]] bool ready() const { return this->size() == 0; }
};

template <typename T_>
class ap_none : public detail::direct_io<T_> {
 public:
  using detail::direct_io<T_>::direct_io;
};

}  // namespace hls
