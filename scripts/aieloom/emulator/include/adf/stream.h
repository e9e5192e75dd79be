// Streams, packet streams and cascades as kernels see them [UG1079 Streaming Data API; XD100 packet switching].
//
// A word on a stream has 32 bits; wider values are several words, narrower ones travel as vectors only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "aieloom/buffer.h"
#include "aieloom/byte_stream.h"
#include "aieloom/core_state.h"
#include "aieloom/types.h"

/// Which of the two stream ports an access uses; only schedules change.
enum class aie_stream_resource_in { a, b, none };
enum class aie_stream_resource_out { a, b, none };

namespace adf {

namespace detail {

/// A kernel's view of one end; the runtime owns the end itself.
class stream_view {
 public:
  explicit stream_view(aieloom::StreamEnd& bound) : end(&bound) {}
  stream_view(const stream_view&) = delete;
  stream_view& operator=(const stream_view&) = delete;
  aieloom::StreamEnd* end;
};

/// Bytes that may travel in one call: a word, or a vector of whole 128-bit groups.
template <std::size_t Bytes>
inline constexpr bool kStreamSize = Bytes == 4 || Bytes == 8 || (Bytes % 16 == 0 && Bytes <= 128);

/// A number that has a word of its own, in its low half: AMD's kernels for AIE-ML pass single bfloat16 numbers on so
/// [Vitis-Tutorials, AIE-ML performance analysis, normalization_v3], though UG1603 does not list them.
template <typename V>
inline constexpr bool kHalfWord = false;
#if !defined(__AIE_ARCH__) || __AIE_ARCH__ >= 20
template <>
inline constexpr bool kHalfWord<bfloat16> = true;
#endif

template <typename V>
void check_stream_value() {
  static_assert(sizeof(V) >= 4 || kHalfWord<V>,
                "a stream word has 32 bits: int8 and int16 travel as vectors of 32 or 128 bits, e.g. readincr_v<16>() "
                "[UG1079 Reading and Advancing an Input Stream]");
  static_assert(kStreamSize<sizeof(V)> || kHalfWord<V>, "a stream moves 32 or 64 bits as a number, 32, 128, 256, 512 or 1024 as a vector");
}

/// Whether the last word read from `end` carried TLAST.
bool took_last(aieloom::StreamEnd& end);

template <typename V>
V take(const stream_view* s) {
  check_stream_value<V>();
  if constexpr (kHalfWord<V>) {
    return std::bit_cast<V>(static_cast<std::uint16_t>(take<std::uint32_t>(s)));
  } else {
    aieloom::count_stream(sizeof(V));
    V value;
    s->end->stream->read(s->end->reader, &value, sizeof value);
    return value;
  }
}

template <typename V, typename Last>
V take_ended(const stream_view* s, Last& last) {
  const V value = take<V>(s);
  last = took_last(*s->end);
  return value;
}

template <typename V>
void give(const stream_view* s, const V& value, bool last = false) {
  check_stream_value<V>();
  if constexpr (kHalfWord<V>) {
    give<std::uint32_t>(s, std::bit_cast<std::uint16_t>(value), last);
  } else {
    aieloom::count_stream(sizeof(V));
    s->end->stream->write(&value, sizeof value, last);
  }
}

/// The running core's physical stream port `number` [UG1079: get_ss, put_ms].
aieloom::StreamEnd& core_stream(int number, bool is_input);

}  // namespace detail

template <typename T>
class input_stream : public detail::stream_view {
 public:
  using value_type = T;
  using stream_view::stream_view;
};
template <typename T>
class output_stream : public detail::stream_view {
 public:
  using value_type = T;
  using stream_view::stream_view;
};
template <typename T>
class input_cascade : public detail::stream_view {
 public:
  using value_type = T;
  using stream_view::stream_view;
};
template <typename T>
class output_cascade : public detail::stream_view {
 public:
  using value_type = T;
  using stream_view::stream_view;
};
class input_pktstream : public detail::stream_view {
 public:
  using stream_view::stream_view;
};
class output_pktstream : public detail::stream_view {
 public:
  using stream_view::stream_view;
};

template <typename T>
T readincr(input_stream<T>* s) {
  return detail::take<T>(s);
}
template <typename T>
T readincr(input_stream<T>* s, bool& tlast) {
  const T value = detail::take<T>(s);
  tlast = detail::took_last(*s->end);
  return value;
}
template <typename T>
void writeincr(output_stream<T>* s, std::type_identity_t<T> value) {
  detail::give(s, value);
}
template <typename T>
void writeincr(output_stream<T>* s, std::type_identity_t<T> value, bool tlast) {
  detail::give(s, value, tlast);
}

// The same with the port that the compiler is to take: nothing here.
template <aie_stream_resource_in, typename T>
T readincr(input_stream<T>* s) {
  return readincr(s);
}
template <aie_stream_resource_in, typename T>
T readincr(input_stream<T>* s, bool& tlast) {
  return readincr(s, tlast);
}
template <aie_stream_resource_out, typename T>
void writeincr(output_stream<T>* s, std::type_identity_t<T> value) {
  writeincr(s, value);
}
template <aie_stream_resource_out, typename T>
void writeincr(output_stream<T>* s, std::type_identity_t<T> value, bool tlast) {
  writeincr(s, value, tlast);
}

inline std::int32_t readincr(input_pktstream* s) { return detail::take<std::int32_t>(s); }
inline std::int32_t readincr(input_pktstream* s, bool& tlast) {
  const auto value = detail::take<std::int32_t>(s);
  tlast = detail::took_last(*s->end);
  return value;
}
void writeincr(output_pktstream* s, std::int32_t value, bool tlast = false);

inline void writeincr(output_pktstream* s, std::uint32_t value, bool tlast = false) {
  writeincr(s, static_cast<std::int32_t>(value), tlast);
}

/// The bits of a float on a packet stream [XD100].
inline void writeincr(output_pktstream* s, float value, bool tlast = false) {
  writeincr(s, __builtin_bit_cast(std::int32_t, value), tlast);
}

/// First word of a packet: the id, a type of 3 bits, this core's place, odd parity [UG1079 Packet Processing].
void writeHeader(output_pktstream* s, unsigned type, unsigned id);
void writeHeader(output_pktstream* s, unsigned type, unsigned id, bool tlast);

/// The id that the splitter or merger on the other side knows port `index` of this kernel's stream by.
std::uint32_t getPacketid(output_pktstream* s, int index);
std::uint32_t getPacketid(input_pktstream* s, int index);

/// One word of a physical stream port.
inline std::int32_t get_ss(int port) {
  std::int32_t value = 0;
  aieloom::count_stream(sizeof value);
  auto& end = detail::core_stream(port, true);
  end.stream->read(end.reader, &value, sizeof value);
  return value;
}
inline std::int32_t get_ss(int port, bool& tlast) {
  const std::int32_t value = get_ss(port);
  tlast = detail::took_last(detail::core_stream(port, true));
  return value;
}
inline float getf_ss(int port) { return __builtin_bit_cast(float, get_ss(port)); }
inline void put_ms(int port, std::int32_t value, bool tlast = false) {
  aieloom::count_stream(sizeof value);
  detail::core_stream(port, false).stream->write(&value, sizeof value, tlast);
}
inline void put_ms(int port, float value, bool tlast = false) { put_ms(port, __builtin_bit_cast(std::int32_t, value), tlast); }

}  // namespace adf
