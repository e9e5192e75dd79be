// Words of AXI4-Stream with side channels: ap_axiu, ap_axis, qdma_axis, hls::axis [UG1399 AXI4-Stream interfaces].
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "aieloom/refuse.h"
#include "aieloom/traits.h"
#include "ap_int.h"
#include "hls_stream.h"

// Side channels of hls::axis, as bits [UG1399 AXI4-Stream interfaces with side-channels].
#define AXIS_ENABLE_DATA 0x01
#define AXIS_ENABLE_DEST 0x02
#define AXIS_ENABLE_ID 0x04
#define AXIS_ENABLE_KEEP 0x08
#define AXIS_ENABLE_LAST 0x10
#define AXIS_ENABLE_STRB 0x20
#define AXIS_ENABLE_USER 0x40
#define AXIS_ENABLE_ALL 0x7F
#define AXIS_DISABLE_ALL 0x00
#define AXIS_DISABLE_DATA (0xFF ^ (AXIS_ENABLE_DATA | AXIS_ENABLE_KEEP | AXIS_ENABLE_STRB))

namespace hls {

/// A side channel that the word does not have: nothing can be written to it or read from it.
struct axis_disabled_signal {};

namespace detail {

template <bool Present_, std::size_t Bits_>
using Channel = std::conditional_t<Present_, ap_uint<static_cast<int>(Bits_)>, axis_disabled_signal>;

/// Bytes of a word: of numbers by their width in bits, of nothing one.
template <typename T_>
constexpr std::size_t axis_bytes() {
  if constexpr (std::is_void<T_>::value) {
    return 1;
  } else if constexpr (aieloom::kHasWidth<T_>) {
    return (static_cast<std::size_t>(T_::width) + 7) / 8;
  } else {
    return sizeof(T_);
  }
}

inline void check_channel(bool is_there, const char* problem) {
  if (!is_there) {
    aieloom::refuse("hls-axis", problem, "enable the channel in the word's type, or leave it alone");
  }
}

}  // namespace detail

/// A word of T with WUser, WId and WDest bits beside it; `Enable` says which of keep, strb and last there are. A strict one wants
/// the bits of data, user, id and dest to agree with the types and widths.
template <typename T_, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0,
          std::uint8_t Enable = (AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST | AXIS_ENABLE_STRB), bool Strict = false>
struct axis {
  static_assert((Enable & 0x80) == 0, "hls::axis: the enabled signals are the lower 7 bits (AXIS_ENABLE_...)");

  inline static constexpr bool has_data = !std::is_void<T_>::value;
  inline static constexpr bool has_user = WUser > 0;
  inline static constexpr bool has_id = WId > 0;
  inline static constexpr bool has_dest = WDest > 0;
  inline static constexpr bool has_keep = (Enable & AXIS_ENABLE_KEEP) != 0;
  inline static constexpr bool has_strb = (Enable & AXIS_ENABLE_STRB) != 0;
  inline static constexpr bool has_last = (Enable & AXIS_ENABLE_LAST) != 0;

  inline static constexpr std::size_t width_user = has_user ? WUser : 1;
  inline static constexpr std::size_t width_id = has_id ? WId : 1;
  inline static constexpr std::size_t width_dest = has_dest ? WDest : 1;
  inline static constexpr std::size_t width_keep = detail::axis_bytes<T_>();
  inline static constexpr std::size_t width_strb = detail::axis_bytes<T_>();
  inline static constexpr std::size_t width_last = 1;

  static_assert(has_data || has_user || has_id || has_dest || has_keep || has_strb || has_last, "hls::axis: the word has no signal at all");
  static_assert(!Strict || has_data == ((Enable & AXIS_ENABLE_DATA) != 0), "hls::axis: data and AXIS_ENABLE_DATA do not agree");
  static_assert(!Strict || has_user == ((Enable & AXIS_ENABLE_USER) != 0), "hls::axis: bits of user and AXIS_ENABLE_USER do not agree");
  static_assert(!Strict || has_id == ((Enable & AXIS_ENABLE_ID) != 0), "hls::axis: bits of id and AXIS_ENABLE_ID do not agree");
  static_assert(!Strict || has_dest == ((Enable & AXIS_ENABLE_DEST) != 0), "hls::axis: bits of dest and AXIS_ENABLE_DEST do not agree");

  using Type_data = std::conditional_t<has_data, T_, axis_disabled_signal>;
  Type_data data{};
  [[nodiscard]] Type_data get_data() const {
    detail::check_channel(has_data, "get_data() of a word without data");
    return data;
  }
  void set_data(Type_data value) {
    detail::check_channel(has_data, "set_data() of a word without data");
    data = value;
  }

#define AIELOOM_AXIS_CHANNEL(name)                                                             \
  using Type_##name = detail::Channel<has_##name, width_##name>;                               \
  Type_##name name{};                                                                          \
  [[nodiscard]] Type_##name get_##name() const {                                               \
    detail::check_channel(has_##name, "get_" #name "() of a word that has no " #name);         \
    return name;                                                                               \
  }                                                                                            \
  void set_##name(Type_##name value) {                                                         \
    detail::check_channel(has_##name, "set_" #name "() of a word that has no " #name);         \
    name = value;                                                                              \
  }
  AIELOOM_AXIS_CHANNEL(keep)
  AIELOOM_AXIS_CHANNEL(strb)
  AIELOOM_AXIS_CHANNEL(user)
  AIELOOM_AXIS_CHANNEL(last)
  AIELOOM_AXIS_CHANNEL(id)
  AIELOOM_AXIS_CHANNEL(dest)
#undef AIELOOM_AXIS_CHANNEL

  /// All bytes of the word count.
  void keep_all() { keep = -1; }
};

/// A word of the QDMA streaming platforms (qdma_axis), which may be made of its data: so in AMD's headers of up to 2022 and its tutorials
/// of then (Vitis-Tutorials, GeMM, dma_hls.cpp).
template <int Bits_>
struct axis<ap_uint<Bits_>, 0, 0, 0, (AXIS_ENABLE_ALL ^ AXIS_ENABLE_STRB), false>
    : axis<ap_uint<Bits_>, 0, 0, 0, (AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST), false> {
  axis() = default;
  axis(const ap_uint<Bits_>& word, ap_uint<(Bits_ + 7) / 8> bytes = 0, ap_uint<1> ends = 0) {  // NOLINT(google-explicit-constructor): as AMD's
    this->data = word;
    this->keep = bytes;
    this->last = ends;
  }
};

/// A word with data and the channels that `Enable` names, checked.
template <typename T_, std::uint8_t Enable = AXIS_ENABLE_DATA, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0, bool Strict = true>
using axis_data = axis<T_, WUser, WId, WDest, (Enable | AXIS_ENABLE_DATA), Strict>;

/// A word of side channels alone, WUser bits of user among them, checked.
template <std::size_t WUser, std::uint8_t Enable = AXIS_ENABLE_USER, std::size_t WId = 0, std::size_t WDest = 0, bool Strict = true>
using axis_user = axis<void, WUser, WId, WDest, (Enable & AXIS_DISABLE_DATA), Strict>;

}  // namespace hls

template <std::size_t WData, std::size_t WUser, std::size_t WId, std::size_t WDest,
          std::uint8_t Enable = (AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST | AXIS_ENABLE_STRB), bool Strict = false>
using ap_axiu = hls::axis<ap_uint<static_cast<int>(WData)>, WUser, WId, WDest, Enable, Strict>;
template <std::size_t WData, std::size_t WUser, std::size_t WId, std::size_t WDest,
          std::uint8_t Enable = (AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST | AXIS_ENABLE_STRB), bool Strict = false>
using ap_axis = hls::axis<ap_int<static_cast<int>(WData)>, WUser, WId, WDest, Enable, Strict>;
/// A word of the QDMA streaming platforms: all but strb.
template <std::size_t WData, std::size_t WUser, std::size_t WId, std::size_t WDest>
using qdma_axis = hls::axis<ap_uint<static_cast<int>(WData)>, WUser, WId, WDest, (AXIS_ENABLE_ALL ^ AXIS_ENABLE_STRB), false>;
