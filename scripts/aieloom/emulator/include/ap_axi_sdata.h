// Words of AXI4-Stream with side channels: ap_axiu, ap_axis, qdma_axis, hls::axis [UG1399 AXI4-Stream interfaces].
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ap_int.h"

/// Side channels of hls::axis, as bits [UG1399 AXI4-Stream interfaces with side-channels].
enum AxisEnable : unsigned {
  AXIS_ENABLE_DATA = 1U << 0,
  AXIS_ENABLE_DEST = 1U << 1,
  AXIS_ENABLE_ID = 1U << 2,
  AXIS_ENABLE_KEEP = 1U << 3,
  AXIS_ENABLE_LAST = 1U << 4,
  AXIS_ENABLE_STRB = 1U << 5,
  AXIS_ENABLE_USER = 1U << 6,
};
inline constexpr unsigned AXIS_DISABLE_ALL = 0;
inline constexpr unsigned AXIS_ENABLE_ALL = 0x7F;

namespace hls {

namespace detail {

/// A side channel that the word does not have: it takes what is written and gives zero.
struct NoChannel {
  constexpr NoChannel() = default;
  template <typename T_>
  constexpr NoChannel(const T_&) {}
  template <typename T_>
  constexpr operator T_() const {
    return T_(0);
  }
};

template <bool Present, std::size_t Bits>
using Channel = std::conditional_t<Present, ap_uint<(Bits == 0 ? 1 : static_cast<int>(Bits))>, NoChannel>;

template <typename T_>
consteval std::size_t axis_bits() {
  if constexpr (std::is_void_v<T_>) {
    return 8;
  } else if constexpr (requires { T_::width; }) {
    return static_cast<std::size_t>(T_::width);
  } else {
    return sizeof(T_) * 8;
  }
}

/// The data of a word; `void` has none.
template <typename T_>
struct AxisData {
  T_ data{};
  [[nodiscard]] T_ get_data() const { return data; }
  void set_data(const T_& value) { data = value; }
};
template <>
struct AxisData<void> {};

}  // namespace detail

/// A word of T with WUser, WId and WDest bits beside it; `Enable` says which of the other channels there are.
template <typename T_, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0, unsigned Enable = AXIS_ENABLE_ALL, bool StrictEnablement = false>
struct axis : detail::AxisData<T_> {
  static constexpr std::size_t kBytes = (detail::axis_bits<T_>() + 7) / 8;

  [[no_unique_address]] detail::Channel<(Enable & AXIS_ENABLE_KEEP) != 0, kBytes> keep{};
  [[no_unique_address]] detail::Channel<(Enable & AXIS_ENABLE_STRB) != 0, kBytes> strb{};
  [[no_unique_address]] detail::Channel<(WUser > 0), WUser> user{};
  [[no_unique_address]] detail::Channel<(Enable & AXIS_ENABLE_LAST) != 0, 1> last{};
  [[no_unique_address]] detail::Channel<(WId > 0), WId> id{};
  [[no_unique_address]] detail::Channel<(WDest > 0), WDest> dest{};

  [[nodiscard]] auto get_keep() const { return keep; }
  template <typename V_>
  void set_keep(const V_& value) {
    keep = value;
  }
  [[nodiscard]] auto get_strb() const { return strb; }
  template <typename V_>
  void set_strb(const V_& value) {
    strb = value;
  }
  [[nodiscard]] auto get_user() const { return user; }
  template <typename V_>
  void set_user(const V_& value) {
    user = value;
  }
  [[nodiscard]] auto get_last() const { return last; }
  template <typename V_>
  void set_last(const V_& value) {
    last = value;
  }
  [[nodiscard]] auto get_id() const { return id; }
  template <typename V_>
  void set_id(const V_& value) {
    id = value;
  }
  [[nodiscard]] auto get_dest() const { return dest; }
  template <typename V_>
  void set_dest(const V_& value) {
    dest = value;
  }
  /// All bytes of the word count.
  void keep_all() {
    keep = -1;
  }
};

/// A word with the channels that `Enable` names and no others.
template <typename T_, unsigned Enable = AXIS_ENABLE_ALL, bool Strict = false>
using axis_data = axis<T_, 0, 0, 0, Enable, Strict>;

/// A word of side channels alone, WUser bits of user among them.
template <std::size_t WUser, unsigned Enable = AXIS_ENABLE_ALL, bool Strict = false>
using axis_user = axis<void, WUser, 0, 0, Enable, Strict>;

template <int WData, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0, unsigned Enable = AXIS_ENABLE_ALL, bool Strict = false>
using axis_word = axis<ap_uint<WData>, WUser, WId, WDest, Enable, Strict>;

}  // namespace hls

template <std::size_t WData, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0, unsigned Enable = AXIS_ENABLE_ALL, bool Strict = false>
using ap_axiu = hls::axis<ap_uint<static_cast<int>(WData)>, WUser, WId, WDest, Enable, Strict>;
template <std::size_t WData, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0, unsigned Enable = AXIS_ENABLE_ALL, bool Strict = false>
using ap_axis = hls::axis<ap_int<static_cast<int>(WData)>, WUser, WId, WDest, Enable, Strict>;
/// A word of the QDMA streaming platforms, with keep and last; made of its data, implicitly, and of data, keep and last.
template <std::size_t WData, std::size_t WUser = 0, std::size_t WId = 0, std::size_t WDest = 0>
struct qdma_axis : hls::axis<ap_uint<static_cast<int>(WData)>, WUser, WId, WDest, AXIS_ENABLE_KEEP | AXIS_ENABLE_LAST> {
  using Data = ap_uint<static_cast<int>(WData)>;
  qdma_axis() = default;
  qdma_axis(const Data& d, ap_uint<static_cast<int>((WData + 7) / 8)> k = 0, ap_uint<1> l = 0) {
    this->data = d;
    this->keep = k;
    this->last = l;
  }
};
