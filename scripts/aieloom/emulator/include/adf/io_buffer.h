// Buffer arguments of kernels [UG1079 Input and Output Buffers].
#ifndef ADF_IO_BUFFER_H
#define ADF_IO_BUFFER_H

#include <cstddef>
#include <cstdint>

#include "aieloom/buffer.h"
#include "aieloom/design.h"

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

namespace detail {

template <typename T>
struct extent_value {
  static constexpr std::size_t value = 0;
};
template <unsigned... N>
struct extent_value<extents<N...>> {
  static constexpr std::size_t value = extents<N...>::elements;
};
template <typename T>
struct margin_value {
  static constexpr std::size_t value = 0;
};
template <unsigned N>
struct margin_value<margin<N>> {
  static constexpr std::size_t value = N;
};

}  // namespace detail

/// A kernel's view of a buffer. `Config` may be extents<...> and margin<N>.
template <typename T, aieloom::Direction D, bool Async, typename... Config>
class io_buffer {
 public:
  using value_type = T;
  static constexpr std::size_t extent = (std::size_t{0} + ... + detail::extent_value<Config>::value);
  static constexpr std::size_t margin_elements = (std::size_t{0} + ... + detail::margin_value<Config>::value);

  explicit io_buffer(aieloom::BufferPort& port) : port_(&port) {}
  io_buffer(const io_buffer&) = delete;
  io_buffer& operator=(const io_buffer&) = delete;

  /// First element (of the margin, where there is one).
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(port_->data()); }

  /// Elements without the margin.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(port_->bytes() / sizeof(T) - margin_elements); }

  /// Take the buffer: waits until it is full (input) or empty (output).
  void acquire()
    requires Async
  {
    port_->acquire();
  }

  /// Give the buffer back.
  void release()
    requires Async
  {
    port_->release();
  }

 private:
  aieloom::BufferPort* port_;
};

template <typename T, typename... Config>
using input_buffer = io_buffer<T, aieloom::Direction::kIn, false, Config...>;
template <typename T, typename... Config>
using output_buffer = io_buffer<T, aieloom::Direction::kOut, false, Config...>;
template <typename T, typename... Config>
using input_async_buffer = io_buffer<T, aieloom::Direction::kIn, true, Config...>;
template <typename T, typename... Config>
using output_async_buffer = io_buffer<T, aieloom::Direction::kOut, true, Config...>;

}  // namespace adf

#endif  // ADF_IO_BUFFER_H
