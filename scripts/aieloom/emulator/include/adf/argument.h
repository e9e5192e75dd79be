// From the C++ type of a kernel's parameter to what the graph connects to it.
#ifndef ADF_ARGUMENT_H
#define ADF_ARGUMENT_H

#include <complex>
#include <concepts>
#include <type_traits>

#include "adf/io_buffer.h"
#include "aieloom/design.h"

namespace adf::detail {

/// A complex sample as the vendor defines it: two equal members, real first.
template <typename T>
concept Complex = requires(T value) {
  value.real;
  value.imag;
};

template <typename T>
aieloom::ElementType element_type() {
  aieloom::ElementType type;
  if constexpr (Complex<T>) {
    type = element_type<std::remove_cvref_t<decltype(T::real)>>();
    type.numbers = 2;
    type.name = "complex " + type.name;
  } else {
    type.bytes = sizeof(T);
    type.is_float = !std::is_integral_v<T>;  // float, bfloat16
    type.is_signed = std::is_signed_v<T> || type.is_float;
    type.name = (type.is_float ? (sizeof(T) == 2 ? "bfloat" : "float") : type.is_signed ? "int" : "uint") +
                std::to_string(8 * sizeof(T));
  }
  return type;
}

/// How a parameter of type P is described and bound. The primary template is for what no kernel may have.
template <typename P>
struct argument_traits {
  static_assert(sizeof(P) == 0,
                "this cannot be a kernel parameter: use input_buffer<T>&, output_buffer<T>&, their async forms, "
                "a number (run-time parameter) or a reference to an array");
};

template <typename T, aieloom::Direction D, bool Async, typename... Config>
struct argument_traits<io_buffer<T, D, Async, Config...>&> {
  using Buffer = io_buffer<T, D, Async, Config...>;

  static aieloom::Argument describe() {
    aieloom::Argument argument;
    argument.kind = aieloom::PortKind::kBuffer;
    argument.direction = D;
    argument.element = element_type<T>();
    argument.extent = Buffer::extent;
    argument.margin = Buffer::margin_elements;
    argument.async = Async;
    return argument;
  }

  /// Lives for one call of the kernel.
  struct Holder {
    explicit Holder(aieloom::CoreArgument& bound) : buffer(*bound.buffer) {}
    Buffer& get() { return buffer; }
    Buffer buffer;
  };
};

}  // namespace adf::detail

#endif  // ADF_ARGUMENT_H
