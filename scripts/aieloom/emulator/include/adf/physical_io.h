// A core's own stream and cascade ports by their numbers, as kernels of AIE use them beside their parameters [UG1078
// Stream Access; Cascade Access]: four words of a stream at once, and 384 bits of the cascade.
//
// No letter means int16 (streams) or acc48 (cascades), c complex, f float, l the wide type. The AIE API's types are only
// declared here: kernels that use these functions include aie_api.
#pragma once

#include <type_traits>

#include "adf/vector_io.h"
#include "aieloom/types.h"

#define AIELOOM_PAIR(A, B) A, B
#define AIELOOM_GET_CASCADE(NAME, TYPE)    \
  template <typename V = ::aie::TYPE>        \
  V get_scd_##NAME() {                     \
    return ::adf::detail::take_cascade<V>(); \
  }

#if !defined(__AIE_ARCH__) || __AIE_ARCH__ == 10

namespace adf::detail {

/// Lanes of a tag in one beat of the cascade.
template <typename Tag>
constexpr unsigned cascade_lanes() {
  return std::is_same_v<Tag, acc48> ? 8 : std::is_same_v<Tag, cacc80> ? 2 : 4;
}

/// The running core's cascade port.
aieloom::StreamEnd& core_cascade(bool is_input);

template <typename V>
V take_wide(int port) {
  static_assert(sizeof(V) == 16, "a wide stream access moves 128 bits");
  aieloom::count_stream(sizeof(V));
  V value;
  const aieloom::StreamEnd& end = core_stream(port, true);
  end.stream->read(end.reader, static_cast<void*>(&value), sizeof value);
  return value;
}
template <typename A>
A take_cascade() {
  A value;
  const aieloom::StreamEnd& end = core_cascade(true);
  end.stream->read(end.reader, static_cast<void*>(&value), sizeof value);
  return value;
}

}  // namespace adf::detail

#define AIELOOM_GET_WIDE(NAME, TYPE, LANES)           \
  template <typename V = ::aie::vector<TYPE, LANES>>    \
  V NAME(int port) {                                  \
    return ::adf::detail::take_wide<V>(port);           \
  }
AIELOOM_GET_WIDE(get_wss, int16, 8)
AIELOOM_GET_WIDE(getb_wss, int8, 16)
AIELOOM_GET_WIDE(getub_wss, uint8, 16)
AIELOOM_GET_WIDE(getl_wss, int32, 4)
AIELOOM_GET_WIDE(getc_wss, cint16, 4)
AIELOOM_GET_WIDE(getlc_wss, cint32, 2)
AIELOOM_GET_WIDE(getf_wss, float, 4)
AIELOOM_GET_WIDE(getfc_wss, cfloat, 2)
#undef AIELOOM_GET_WIDE
/// 128 bits to an output stream.
template <typename T, unsigned N>
void put_wms(int port, const ::aie::vector<T, N>& value) {
  static_assert(sizeof value == 16, "put_wms: 128 bits");
  aieloom::count_stream(sizeof value);
  ::adf::detail::core_stream(port, false).stream->write(&value, sizeof value);
}

template <typename A = ::aie::accum<acc48, 8>>
A get_scd() {
  return ::adf::detail::take_cascade<A>();
}
template <typename A = ::aie::accum<cacc48, 4>>
A getc_scd() {
  return ::adf::detail::take_cascade<A>();
}
template <typename A = ::aie::accum<acc80, 4>>
A getl_scd() {
  return ::adf::detail::take_cascade<A>();
}
template <typename A = ::aie::accum<cacc80, 2>>
A getlc_scd() {
  return ::adf::detail::take_cascade<A>();
}
/// One beat to the cascade.
template <typename Tag, unsigned N>
void put_mcd(const ::aie::accum<Tag, N>& value) {
  static_assert(::adf::detail::cascade_lanes<Tag>() == N, "put_mcd: 384 bits, that is v8acc48, v4cacc48, v4acc80 or v2cacc80");
  ::adf::detail::core_cascade(false).stream->write(&value, sizeof value);
}
/// 256 bits of numbers, one beat too [UG1078: put_mcd "supports all the datatypes that can be stored in an accumulator",
/// get_scd_T() takes them out again].
template <typename T, unsigned N>
void put_mcd(const ::aie::vector<T, N>& value) {
  static_assert(sizeof value == 32, "put_mcd: vectors of 256 bits");
  ::adf::detail::core_cascade(false).stream->write(&value, sizeof value);
}
AIELOOM_GET_CASCADE(v32int8, vector<AIELOOM_PAIR(int8, 32)>)
AIELOOM_GET_CASCADE(v32uint8, vector<AIELOOM_PAIR(uint8, 32)>)
AIELOOM_GET_CASCADE(v16int16, vector<AIELOOM_PAIR(int16, 16)>)
AIELOOM_GET_CASCADE(v8int32, vector<AIELOOM_PAIR(int32, 8)>)
AIELOOM_GET_CASCADE(v8cint16, vector<AIELOOM_PAIR(cint16, 8)>)
AIELOOM_GET_CASCADE(v4cint32, vector<AIELOOM_PAIR(cint32, 4)>)
AIELOOM_GET_CASCADE(v8float, vector<AIELOOM_PAIR(float, 8)>)
AIELOOM_GET_CASCADE(v4cfloat, vector<AIELOOM_PAIR(cfloat, 4)>)
AIELOOM_GET_CASCADE(v8acc48, accum<AIELOOM_PAIR(acc48, 8)>)
AIELOOM_GET_CASCADE(v4cacc48, accum<AIELOOM_PAIR(cacc48, 4)>)
AIELOOM_GET_CASCADE(v4acc80, accum<AIELOOM_PAIR(acc80, 4)>)
AIELOOM_GET_CASCADE(v2cacc80, accum<AIELOOM_PAIR(cacc80, 2)>)

#else

// AIE-ML: one stream each way, so that ports have no numbers, and a cascade of 512 bits, two beats of it for 1024
// [UG1583 Stream read, Stream write, Cascade read, Cascade write].

namespace adf::detail {

/// The running core's cascade port.
aieloom::StreamEnd& core_cascade(bool is_input);

template <typename V>
V take_cascade() {
  static_assert(sizeof(V) == 64 || sizeof(V) == 128, "a cascade carries 512 or 1024 bits");
  V value;
  const aieloom::StreamEnd& end = core_cascade(true);
  end.stream->read(end.reader, static_cast<void*>(&value), sizeof value);
  return value;
}
template <typename V>
void give_cascade(const V& value) {
  static_assert(sizeof(V) == 64 || sizeof(V) == 128, "put_mcd: 512 or 1024 bits");
  core_cascade(false).stream->write(&value, sizeof value);
}

}  // namespace adf::detail

inline std::int32_t get_ss() { return ::adf::get_ss(0); }
inline std::int32_t get_ss(bool& tlast) { return ::adf::get_ss(0, tlast); }
inline std::int32_t get_ss_int() { return ::adf::get_ss(0); }
inline std::uint32_t get_ss_uint() { return static_cast<std::uint32_t>(::adf::get_ss(0)); }
inline float getf_ss() { return ::adf::getf_ss(0); }

AIELOOM_GET_CASCADE(v64int8, vector<AIELOOM_PAIR(int8, 64)>)
AIELOOM_GET_CASCADE(v64uint8, vector<AIELOOM_PAIR(uint8, 64)>)
AIELOOM_GET_CASCADE(v32int16, vector<AIELOOM_PAIR(int16, 32)>)
AIELOOM_GET_CASCADE(v32uint16, vector<AIELOOM_PAIR(uint16, 32)>)
AIELOOM_GET_CASCADE(v16int32, vector<AIELOOM_PAIR(int32, 16)>)
AIELOOM_GET_CASCADE(v16uint32, vector<AIELOOM_PAIR(uint32, 16)>)
AIELOOM_GET_CASCADE(v16acc32, accum<AIELOOM_PAIR(acc32, 16)>)
AIELOOM_GET_CASCADE(v32acc32, accum<AIELOOM_PAIR(acc32, 32)>)
AIELOOM_GET_CASCADE(v8acc64, accum<AIELOOM_PAIR(acc64, 8)>)
AIELOOM_GET_CASCADE(v16acc64, accum<AIELOOM_PAIR(acc64, 16)>)
AIELOOM_GET_CASCADE(v16accfloat, accum<AIELOOM_PAIR(accfloat, 16)>)
template <typename T, unsigned N>
void put_mcd(const ::aie::vector<T, N>& value) {
  ::adf::detail::give_cascade(value);
}
template <typename Tag, unsigned N>
void put_mcd(const ::aie::accum<Tag, N>& value) {
  ::adf::detail::give_cascade(value);
}

#endif

#undef AIELOOM_PAIR
#undef AIELOOM_GET_CASCADE
