// From the C++ type of a kernel's parameter to what the graph connects to it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "adf/io_buffer.h"
#include "adf/stream.h"
#include "adf/window.h"
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

/// Scalars that a run-time parameter may be, alone or as elements of an array [UG1079 Specifying Runtime Data Parameters].
template <typename T>
inline constexpr bool kIsParameter =
    (std::is_arithmetic_v<T> && !std::is_same_v<T, double> && !std::is_same_v<T, long double>) || std::is_enum_v<T> ||
    Complex<T> || (std::is_class_v<T> && sizeof(T) <= 4 && requires(T value) { static_cast<float>(value); });

/// Describes a run-time parameter.
template <typename T>
aieloom::Argument value_argument(aieloom::Direction direction, std::size_t count) {
  static_assert(kIsParameter<T>,
                "a run-time parameter is an integer, float or complex number, or an array of them; structs and pointers "
                "cannot be passed [UG1079 Specifying Runtime Data Parameters]");
  aieloom::Argument argument;
  argument.kind = aieloom::PortKind::kValue;
  argument.direction = direction;
  if constexpr (!std::is_enum_v<T>) {
    argument.element = element_type<T>();
  }
  argument.extent = count;
  return argument;
}

/// How a parameter of type P is described and bound. The primary template is for numbers: run-time parameters.
template <typename P>
struct argument_traits {
  static_assert(kIsParameter<std::remove_cv_t<P>>,
                "this cannot be a kernel parameter: use input_buffer<T>&, output_buffer<T>&, their circular and async forms, "
                "streams, cascades or windows by pointer, a number (run-time parameter) or a reference to an array");
  static aieloom::Argument describe() { return value_argument<std::remove_cv_t<P>>(aieloom::Direction::kIn, 1); }
  struct Holder {
    explicit Holder(aieloom::CoreArgument& bound) { std::memcpy(&value, bound.value, sizeof value); }
    std::remove_cv_t<P>& get() { return value; }
    std::remove_cv_t<P> value;
  };
};

/// `T& x`: a number that the kernel may change; `const T& x`: one that it may not.
template <typename T>
struct argument_traits<T&> {
  static aieloom::Argument describe() {
    return value_argument<std::remove_cv_t<T>>(std::is_const_v<T> ? aieloom::Direction::kIn : aieloom::Direction::kInOut, 1);
  }
  struct Holder {
    explicit Holder(aieloom::CoreArgument& bound) : value(static_cast<T*>(bound.value)) {}
    T& get() { return *value; }
    T* value;
  };
};

/// Arrays of numbers.
template <typename T, std::size_t N>
struct argument_traits<T (&)[N]> {
  static aieloom::Argument describe() {
    return value_argument<std::remove_cv_t<T>>(std::is_const_v<T> ? aieloom::Direction::kIn : aieloom::Direction::kInOut, N);
  }
  struct Holder {
    explicit Holder(aieloom::CoreArgument& bound) : value(static_cast<T (*)[N]>(bound.value)) {}
    T (&get())[N] { return *value; }
    T (*value)[N];
  };
};

template <typename T, aieloom::Direction D, unsigned Flags, typename... Config>
struct argument_traits<io_buffer<T, D, Flags, Config...>&> {
  using Buffer = io_buffer<T, D, Flags, Config...>;

  static aieloom::Argument describe() {
    aieloom::Argument argument;
    argument.kind = aieloom::PortKind::kBuffer;
    argument.direction = D;
    argument.element = element_type<T>();
    argument.extent = Buffer::extent;
    argument.margin = Buffer::margin_elements;
    argument.async = Buffer::is_async;
    argument.circular = Buffer::is_circular;
    return argument;
  }

  /// Lives for one call of the kernel.
  struct Holder {
    explicit Holder(aieloom::CoreArgument& bound) : buffer(*bound.buffer) {}
    Buffer& get() { return buffer; }
    Buffer buffer;
  };
};

template <typename T, aieloom::Direction D>
struct argument_traits<io_window<T, D>*> {
  static aieloom::Argument describe() {
    aieloom::Argument argument;
    argument.kind = aieloom::PortKind::kBuffer;
    argument.direction = D;
    argument.element = element_type<T>();
    argument.window = true;
    return argument;
  }
  struct Holder {
    explicit Holder(aieloom::CoreArgument& bound) : window(*bound.buffer) {}
    io_window<T, D>* get() { return &window; }
    io_window<T, D> window;
  };
};

/// The name of an accumulator tag or vector type, for messages and to compare the two ends of a cascade.
template <typename T>
std::string type_name() {
  const std::string text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("T = ") + 4;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

/// A stream, cascade or packet stream: the object that the kernel gets is a thin view of its end.
template <typename S, aieloom::Direction D, aieloom::PortKind K, typename T>
struct stream_traits {
  static aieloom::Argument describe() {
    aieloom::Argument argument;
    argument.kind = K;
    argument.direction = D;
    if constexpr (std::is_empty_v<T>) {  // input_stream<acc48>: how cascades were written before input_cascade
      argument.kind = aieloom::PortKind::kCascade;
    }
    if (argument.kind == aieloom::PortKind::kCascade) {
      argument.type = type_name<T>();
    } else if constexpr (K != aieloom::PortKind::kCascade && !std::is_empty_v<T>) {
      argument.element = element_type<T>();
    }
    return argument;
  }
  struct Holder {
    explicit Holder(aieloom::CoreArgument& bound) : stream(*bound.stream) {}
    S* get() { return &stream; }
    S stream;
  };
};

template <typename T>
struct argument_traits<input_stream<T>*>
    : stream_traits<input_stream<T>, aieloom::Direction::kIn, aieloom::PortKind::kStream, T> {};
template <typename T>
struct argument_traits<output_stream<T>*>
    : stream_traits<output_stream<T>, aieloom::Direction::kOut, aieloom::PortKind::kStream, T> {};
template <>
struct argument_traits<input_pktstream*>
    : stream_traits<input_pktstream, aieloom::Direction::kIn, aieloom::PortKind::kPacket, std::int32_t> {};
template <>
struct argument_traits<output_pktstream*>
    : stream_traits<output_pktstream, aieloom::Direction::kOut, aieloom::PortKind::kPacket, std::int32_t> {};

template <typename T>
struct argument_traits<input_cascade<T>*>
    : stream_traits<input_cascade<T>, aieloom::Direction::kIn, aieloom::PortKind::kCascade, T> {};
template <typename T>
struct argument_traits<output_cascade<T>*>
    : stream_traits<output_cascade<T>, aieloom::Direction::kOut, aieloom::PortKind::kCascade, T> {};

}  // namespace adf::detail
