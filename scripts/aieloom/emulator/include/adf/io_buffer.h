// Buffer arguments of kernels [UG1079 Input and Output Buffers].
#pragma once

#include <cstddef>
#include <cstdint>

#include "aieloom/buffer.h"
#include "aieloom/direction.h"

namespace adf {

inline constexpr unsigned inherited_extent = 0;

/// Size of a buffer in elements, dimension 0 first; inherited_extent leaves it to dimensions() in the graph.
template <unsigned... N>
struct extents {
  static constexpr std::size_t elements = (std::size_t{1} * ... * N);
};

/// Elements of the previous block that are kept in front of a new one.
template <unsigned N>
struct margin {
  static constexpr std::size_t elements = N;
};

/// How a buffer's elements follow each other, as template parameters of buffer_config name it.
namespace addressing {
struct linear {};
struct circular {};
}  // namespace addressing

/// Who waits for the buffer's lock: the call of the kernel, or the kernel itself.
namespace locking {
struct sync {};
struct async {};
struct user {};
}  // namespace locking

/// All properties of a buffer in one argument.
template <typename... Config>
struct buffer_config {};

namespace detail {

inline constexpr unsigned kAsync = 1, kCircular = 2;

/// What one configuration argument says.
template <typename T>
struct config_of {
  static_assert(sizeof(T) == 0, "a buffer's configuration is adf::extents<...>, adf::margin<...>, an addressing or a locking");
};
template <unsigned... N>
struct config_of<extents<N...>> {
  static constexpr std::size_t extent = extents<N...>::elements, margin = 0;
  static constexpr unsigned flags = 0;
};
template <unsigned N>
struct config_of<::adf::margin<N>> {
  static constexpr std::size_t extent = 0, margin = N;
  static constexpr unsigned flags = 0;
};
template <unsigned Flags>
struct config_flags {
  static constexpr std::size_t extent = 0, margin = 0;
  static constexpr unsigned flags = Flags;
};
template <>
struct config_of<addressing::linear> : config_flags<0> {};
template <>
struct config_of<addressing::circular> : config_flags<kCircular> {};
template <>
struct config_of<locking::sync> : config_flags<0> {};
template <>
struct config_of<locking::async> : config_flags<kAsync> {};
template <>
struct config_of<locking::user> : config_flags<kAsync> {};
template <typename... C>
struct config_of<buffer_config<C...>> {
  static constexpr std::size_t extent = (std::size_t{0} + ... + config_of<C>::extent);
  static constexpr std::size_t margin = (std::size_t{0} + ... + config_of<C>::margin);
  static constexpr unsigned flags = (0U | ... | config_of<C>::flags);
};

}  // namespace detail

/// A kernel's view of a buffer. `Config` may be extents<...>, margin<N> and the like, one by one or in a buffer_config.
template <typename T, aieloom::Direction D, unsigned Flags, typename... Config>
class io_buffer {
 public:
  using value_type = T;
  static constexpr std::size_t extent = detail::config_of<buffer_config<Config...>>::extent;
  static constexpr std::size_t margin_elements = detail::config_of<buffer_config<Config...>>::margin;
  static constexpr unsigned flags = Flags | detail::config_of<buffer_config<Config...>>::flags;
  static constexpr bool is_async = (flags & detail::kAsync) != 0;
  static constexpr bool is_circular = (flags & detail::kCircular) != 0;
  static constexpr bool is_input = D == aieloom::Direction::kIn;
  static_assert(is_input || margin_elements == 0, "only inputs have a margin");

  explicit io_buffer(aieloom::BufferPort& port) : port_(&port) {}
  io_buffer(const io_buffer&) = delete;
  io_buffer& operator=(const io_buffer&) = delete;

  /// First element (of the margin, where there is one).
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(port_->data()); }

  /// Elements without the margin.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(port_->bytes() / sizeof(T)); }

  /// Elements of the margin.
  [[nodiscard]] unsigned margin_size() const { return static_cast<unsigned>(port_->margin() / sizeof(T)); }

  /// Take the buffer: waits until it is full (input) or empty (output).
  void acquire()
    requires is_async
  {
    port_->acquire();
  }

  /// Give the buffer back.
  void release()
    requires is_async
  {
    port_->release();
  }

 private:
  aieloom::BufferPort* port_;
};

template <typename T, typename... Config>
using input_buffer = io_buffer<T, aieloom::Direction::kIn, 0, Config...>;
template <typename T, typename... Config>
using output_buffer = io_buffer<T, aieloom::Direction::kOut, 0, Config...>;
template <typename T, typename... Config>
using input_async_buffer = io_buffer<T, aieloom::Direction::kIn, detail::kAsync, Config...>;
template <typename T, typename... Config>
using output_async_buffer = io_buffer<T, aieloom::Direction::kOut, detail::kAsync, Config...>;
template <typename T, typename... Config>
using input_circular_buffer = io_buffer<T, aieloom::Direction::kIn, detail::kCircular, Config...>;
template <typename T, typename... Config>
using output_circular_buffer = io_buffer<T, aieloom::Direction::kOut, detail::kCircular, Config...>;
template <typename T, typename... Config>
using input_async_circular_buffer = io_buffer<T, aieloom::Direction::kIn, detail::kAsync | detail::kCircular, Config...>;
template <typename T, typename... Config>
using output_async_circular_buffer = io_buffer<T, aieloom::Direction::kOut, detail::kAsync | detail::kCircular, Config...>;

// Elements, then margin, as numbers: no guide lists these names, AMD's own sources use them (github.com/ruilin-wu/FAM_VCK5000, kernels
// of AMD's, MIT: `input_buffer_1d<cfloat, 1024, 0>& __restrict`, `output_buffer_1d<cfloat, 2048>& __restrict`).
template <typename T, unsigned Elements = inherited_extent, unsigned Margin = 0>
using input_buffer_1d = input_buffer<T, extents<Elements>, margin<Margin>>;
template <typename T, unsigned Elements = inherited_extent>
using output_buffer_1d = output_buffer<T, extents<Elements>>;

}  // namespace adf
