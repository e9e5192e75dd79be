// Vectors and accumulators through windows, streams and cascades [UG1079 Streaming Data API; AIE API User Guide].
//
// The AIE API's types are only declared here: kernels that use these functions include aie_api.
#pragma once

#include "adf/stream.h"
#include "adf/window.h"

namespace aie {
template <typename T, unsigned N>
class vector;
template <typename Tag, unsigned N>
class accum;
}  // namespace aie

namespace aie {

/// A value on a stream together with the end of its packet; both may be references.
template <typename T, typename Bool>
struct tlast {
  T value;
  Bool t_last;
};
template <typename T, typename Bool>
tlast(T&&, Bool&&) -> tlast<T, Bool>;

}  // namespace aie

namespace adf {

namespace detail {

/// What a cascade of type T carries, N lanes of it: accumulators of a tag, vectors of numbers.
template <typename T, unsigned N>
struct cascade_value {
  using type = ::aie::vector<T, N>;
};
template <typename T, unsigned N>
  requires std::is_empty_v<T>
struct cascade_value<T, N> {
  using type = ::aie::accum<T, N>;
};

// A cascade moves 384 bits a cycle on AIE, 512 on AIE-ML; longer values take whole beats [UG1079, AM020].
/// Beats of a value: on AIE 8 lanes of 48 bits, 4 of 80, 256 bits of numbers or floats each [UG1079, put_mcd].
template <typename V>
constexpr unsigned cascade_beats() {
#if __AIE_ARCH__ == 10
  constexpr bool lanes = requires { V::accumulation_bits(); };
  if constexpr (!lanes) {
    return (V::bits() + 255) / 256;
  } else {
    constexpr unsigned beat = V::is_floating_point() ? 256 : V::accumulation_bits() > 48 ? 320 : 384;
    return (V::bits() + beat - 1) / beat;
  }
#else
  return (V::bits() + 511) / 512;
#endif
}

template <typename V>
V take_cascade(const stream_view* s) {
  aieloom::count_cascade(cascade_beats<V>());
  V value;
  s->end->stream->read(s->end->reader, static_cast<void*>(&value), sizeof value);
  return value;
}
template <typename V>
void give_cascade(const stream_view* s, const V& value) {
  aieloom::count_cascade(cascade_beats<V>());
  s->end->stream->write(&value, sizeof value);
}

}  // namespace detail

/// N elements of a stream at once.
template <unsigned N, typename T>
auto readincr_v(input_stream<T>* s) {
  if constexpr (std::is_empty_v<T>) {
    return detail::take_cascade<typename detail::cascade_value<T, N>::type>(s);
  } else {
    return detail::take<::aie::vector<T, N>>(s);
  }
}
template <unsigned N, typename T>
::aie::vector<T, N> readincr_v(input_stream<T>* s, bool& tlast) {
  const auto value = detail::take<::aie::vector<T, N>>(s);
  tlast = detail::took_last(*s->end);
  return value;
}
// Libraries name both arguments, for accumulators too. No requires: clang would look for conversions to a vector of them first.
template <typename T, unsigned N, typename = std::enable_if_t<!std::is_empty_v<T>>>
void writeincr(output_stream<T>* s, const ::aie::vector<T, N>& value, bool tlast = false) {
  detail::give(s, value, tlast);
}
template <unsigned N, typename T>
void writeincr_v(output_stream<T>* s, const ::aie::vector<T, N>& value, bool tlast = false) {
  detail::give(s, value, tlast);
}
// The same with the port that the compiler is to take: nothing here.
template <unsigned N, aie_stream_resource_in, typename T>
auto readincr_v(input_stream<T>* s) {
  return readincr_v<N>(s);
}
template <unsigned N, aie_stream_resource_in, typename T>
::aie::vector<T, N> readincr_v(input_stream<T>* s, bool& tlast) {
  return readincr_v<N>(s, tlast);
}
template <aie_stream_resource_out, typename T, unsigned N>
void writeincr(output_stream<T>* s, const ::aie::vector<T, N>& value, bool tlast = false) {
  detail::give(s, value, tlast);
}
template <unsigned N, aie_stream_resource_out, typename T>
void writeincr_v(output_stream<T>* s, const ::aie::vector<T, N>& value, bool tlast = false) {
  detail::give(s, value, tlast);
}
/// A vector of floats is what an accumulator of floats is on AIE.
template <unsigned N>
void writeincr(output_stream<accfloat>* s, const ::aie::vector<float, N>& value) {
  writeincr(s, ::aie::accum<accfloat, N>(value));
}
template <unsigned N>
void writeincr(output_cascade<accfloat>* s, const ::aie::vector<float, N>& value) {
  detail::give_cascade(s, ::aie::accum<accfloat, N>(value));
}
template <typename Tag, unsigned N>
void writeincr(output_stream<Tag>* s, const ::aie::accum<Tag, N>& value) {
  detail::give_cascade(s, value);
}

/// N lanes of a cascade.
template <unsigned N, typename T>
auto readincr_v(input_cascade<T>* s) {
  return detail::take_cascade<typename detail::cascade_value<T, N>::type>(s);
}
template <typename T, unsigned N>
  requires(!std::is_empty_v<T>)
void writeincr(output_cascade<T>* s, const ::aie::vector<T, N>& value) {
  detail::give_cascade(s, value);
}
template <typename Tag, unsigned N>
void writeincr(output_cascade<Tag>* s, const ::aie::accum<Tag, N>& value) {
  detail::give_cascade(s, value);
}

/// The same, as UG1079 has it for streams: the lanes are the value's.
template <unsigned N, typename T>
  requires(!std::is_empty_v<T>)
void writeincr_v(output_cascade<T>* s, const ::aie::vector<T, N>& value) {
  detail::give_cascade(s, value);
}
template <unsigned N, typename Tag>
void writeincr_v(output_cascade<Tag>* s, const ::aie::accum<Tag, N>& value) {
  detail::give_cascade(s, value);
}

// -- s >> x, s << x: scalars, vectors, accumulators; with aie::tlast also the end of a packet [aie_api, ADF streams] --

template <typename T>
input_stream<T>& operator>>(input_stream<T>& s, std::type_identity_t<T>& value) {
  value = readincr(&s);
  return s;
}
template <typename T>
output_stream<T>& operator<<(output_stream<T>& s, const std::type_identity_t<T>& value) {
  writeincr(&s, value);
  return s;
}
#define AIELOOM_STREAM_OPERATORS(STREAM_IN, STREAM_OUT, VALUE)            \
  template <typename T, unsigned N>                                       \
  STREAM_IN<T>& operator>>(STREAM_IN<T>& s, VALUE<T, N>& value) {         \
    value = readincr_v<N>(&s);                                            \
    return s;                                                             \
  }                                                                       \
  template <typename T, unsigned N>                                       \
  STREAM_IN<T>* operator>>(STREAM_IN<T>* s, VALUE<T, N>& value) {         \
    value = readincr_v<N>(s);                                             \
    return s;                                                             \
  }                                                                       \
  template <typename T, unsigned N>                                       \
  STREAM_OUT<T>& operator<<(STREAM_OUT<T>& s, const VALUE<T, N>& value) { \
    writeincr(&s, value);                                                 \
    return s;                                                             \
  }                                                                       \
  template <typename T, unsigned N>                                       \
  STREAM_OUT<T>* operator<<(STREAM_OUT<T>* s, const VALUE<T, N>& value) { \
    writeincr(s, value);                                                  \
    return s;                                                             \
  }
AIELOOM_STREAM_OPERATORS(input_stream, output_stream, ::aie::vector)
AIELOOM_STREAM_OPERATORS(input_stream, output_stream, ::aie::accum)
AIELOOM_STREAM_OPERATORS(input_cascade, output_cascade, ::aie::vector)
AIELOOM_STREAM_OPERATORS(input_cascade, output_cascade, ::aie::accum)
#undef AIELOOM_STREAM_OPERATORS

template <typename T, typename V, typename Bool>
input_stream<T>& operator>>(input_stream<T>& s, ::aie::tlast<V, Bool>& x) {
  bool last = false;
  if constexpr (requires { std::remove_cvref_t<V>::size(); }) {
    x.value = readincr_v<std::remove_cvref_t<V>::size()>(&s, last);
  } else {
    x.value = readincr(&s, last);
  }
  x.t_last = last;
  return s;
}
template <typename T, typename V, typename Bool>
input_stream<T>& operator>>(input_stream<T>& s, ::aie::tlast<V, Bool>&& x) {
  return s >> x;
}
template <typename T, typename V, typename Bool>
output_stream<T>& operator<<(output_stream<T>& s, const ::aie::tlast<V, Bool>& x) {
  writeincr(&s, x.value, static_cast<bool>(x.t_last));
  return s;
}
template <typename T, typename V, typename Bool>
input_stream<T>* operator>>(input_stream<T>* s, ::aie::tlast<V, Bool>& x) {
  return &(*s >> x);
}
template <typename T, typename V, typename Bool>
input_stream<T>* operator>>(input_stream<T>* s, ::aie::tlast<V, Bool>&& x) {
  return &(*s >> x);
}
template <typename T, typename V, typename Bool>
output_stream<T>* operator<<(output_stream<T>* s, const ::aie::tlast<V, Bool>& x) {
  return &(*s << x);
}

template <unsigned N, typename T>
::aie::vector<T, N> window_read_v(input_window<T>* w) {
  ::aie::vector<T, N> value;
  w->read(static_cast<void*>(&value), sizeof value);
  return value;
}
template <unsigned N, typename T>
::aie::vector<T, N> window_readincr_v(input_window<T>* w) {
  const auto value = window_read_v<N>(w);
  w->move(sizeof value);
  return value;
}
template <unsigned N, typename T>
::aie::vector<T, N> window_readdecr_v(input_window<T>* w) {
  const auto value = window_read_v<N>(w);
  w->move(-static_cast<long long>(sizeof value));
  return value;
}
template <unsigned N, typename T>
void window_readincr_v(input_window<T>* w, ::aie::vector<T, N>& value) {
  value = window_readincr_v<N>(w);
}
template <unsigned N, typename T>
void window_writeincr_v(output_window<T>* w, const ::aie::vector<T, N>& value) {
  window_writeincr(w, value);
}

namespace detail {

/// The number in a function's name is the number of lanes that it writes.
template <unsigned N, typename S, typename V, typename... Last>
void write_lanes(S* s, const V& value, Last... tlast) {
  static_assert(V::size() == N, "writeincr_v<N>: the number in the name is the number of lanes");
  writeincr(s, value, tlast...);
}

}  // namespace detail

// The number of elements in the name: window_readincr_v8(w), readincr_v4(s).
#define AIELOOM_VECTOR_IO(N)                                     \
  template <typename T>                                          \
  auto window_read_v##N(input_window<T>* w) {                    \
    return window_read_v<N>(w);                                  \
  }                                                              \
  template <typename T>                                          \
  auto window_readincr_v##N(input_window<T>* w) {                \
    return window_readincr_v<N>(w);                              \
  }                                                              \
  template <typename T>                                          \
  auto window_readdecr_v##N(input_window<T>* w) {                \
    return window_readdecr_v<N>(w);                              \
  }                                                              \
  template <typename S>                                          \
  auto readincr_v##N(S* s) {                                     \
    return readincr_v<N>(s);                                     \
  }                                                              \
  template <aie_stream_resource_in, typename S>                  \
  auto readincr_v##N(S* s) {                                     \
    return readincr_v<N>(s);                                     \
  }                                                              \
  template <typename S>                                          \
  auto readincr_v##N(S* s, bool& tlast) {                        \
    return readincr_v<N>(s, tlast);                              \
  }                                                              \
  template <typename S, typename V>                              \
  void writeincr_v##N(S* s, const V& value) {                    \
    detail::write_lanes<N>(s, value);                            \
  }                                                              \
  template <typename S, typename V>                              \
  void writeincr_v##N(S* s, const V& value, bool tlast) {        \
    detail::write_lanes<N>(s, value, tlast);                     \
  }                                                              \
  template <aie_stream_resource_out, typename S, typename V>     \
  void writeincr_v##N(S* s, const V& value) {                    \
    detail::write_lanes<N>(s, value);                            \
  }
AIELOOM_VECTOR_IO(2)
AIELOOM_VECTOR_IO(4)
AIELOOM_VECTOR_IO(8)
AIELOOM_VECTOR_IO(16)
AIELOOM_VECTOR_IO(32)
#undef AIELOOM_VECTOR_IO

}  // namespace adf

using ::adf::readincr_v;
using ::adf::window_read_v;
using ::adf::window_readdecr_v;
using ::adf::window_readincr_v;
using ::adf::writeincr_v;
