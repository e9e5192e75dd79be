// Vector intrinsics of AIE-ML besides the MACs: parts, broadcasts, conversions, shifts by bytes and shuffles
// [AI Engine-ML Intrinsics User Guide UG1583; the shuffle modes by aie_api's transpose(), which is made of them].
#ifndef AIE_API_DETAIL_NATIVE_ML_H
#define AIE_API_DETAIL_NATIVE_ML_H

#include <array>
#include <cstring>

#include "aie_api/detail/native_types.h"

// v16int16 extract_v16int16(v32int16, int i), v32int16 set_v32int16(int i, v16int16), broadcast_to_v32int16(int16).
#define AIELOOM_NATIVE(T, N)                                                                                 \
  template <unsigned M>                                                                                      \
  [[nodiscard]] inline v##N##T extract_v##N##T(const aie::vector<T, M>& v, int i) {                          \
    return v.template extract<N>(static_cast<unsigned>(i) % (M / N));                                        \
  }                                                                                                          \
  template <unsigned M>                                                                                      \
  [[nodiscard]] inline v##N##T set_v##N##T(int i, const aie::vector<T, M>& part) {                           \
    v##N##T whole{};                                                                                         \
    whole.insert(static_cast<unsigned>(i) % (N / M), part);                                                  \
    return whole;                                                                                            \
  }                                                                                                          \
  [[nodiscard]] inline v##N##T broadcast_to_v##N##T(std::type_identity_t<T> x) {                             \
    return aie::broadcast<T, N>(x);                                                                          \
  }                                                                                                          \
  [[nodiscard]] inline v##N##T broadcast_zero_to_v##N##T() { return aie::zeros<T, N>(); }
#define AIELOOM_SIZES(T, A, B, C) \
  AIELOOM_NATIVE(T, A)            \
  AIELOOM_NATIVE(T, B)            \
  AIELOOM_NATIVE(T, C)
AIELOOM_SIZES(int8, 32, 64, 128)
AIELOOM_SIZES(uint8, 32, 64, 128)
AIELOOM_SIZES(int16, 16, 32, 64)
AIELOOM_SIZES(uint16, 16, 32, 64)
AIELOOM_SIZES(bfloat16, 16, 32, 64)
AIELOOM_SIZES(int32, 8, 16, 32)
AIELOOM_SIZES(uint32, 8, 16, 32)
AIELOOM_SIZES(float, 8, 16, 32)
AIELOOM_SIZES(cint16, 8, 16, 32)
AIELOOM_SIZES(cint32, 4, 8, 16)
#undef AIELOOM_SIZES
#undef AIELOOM_NATIVE

/// A vector with its i-th part replaced.
template <typename T, unsigned N, unsigned M>
[[nodiscard]] inline aie::vector<T, N> insert(aie::vector<T, N> v, int i, const aie::vector<T, M>& part) {
  v.insert(static_cast<unsigned>(i) % (N / M), part);
  return v;
}
template <typename Tag, unsigned N, unsigned M>
[[nodiscard]] inline aie::accum<Tag, N> insert(aie::accum<Tag, N> a, int i, const aie::accum<Tag, M>& part) {
  a.insert(static_cast<unsigned>(i) % (N / M), part);
  return a;
}
template <typename T, unsigned N>
[[nodiscard]] inline T extract_elem(const aie::vector<T, N>& v, int i) {
  return v.get(static_cast<unsigned>(i) % N);
}
/// Every lane the i-th.
template <typename T, unsigned N>
[[nodiscard]] inline aie::vector<T, N> broadcast_elem(const aie::vector<T, N>& v, int i) {
  return aie::broadcast<T, N>(extract_elem(v, i));
}

// v32int16 srs_to_v32int16(v32acc32, int shift), v32acc32 ups_to_v32acc32(v32int16, int shift).
#define AIELOOM_NARROW(T, N)                                                                 \
  template <typename Tag>                                                                    \
  [[nodiscard]] inline v##N##T srs_to_v##N##T(const aie::accum<Tag, N>& a, int shift) {      \
    return a.template to_vector<T>(shift);                                                   \
  }
#define AIELOOM_WIDEN(TAG, N)                                                                \
  template <typename T>                                                                      \
  [[nodiscard]] inline v##N##TAG ups_to_v##N##TAG(const aie::vector<T, N>& v, int shift) {   \
    return v##N##TAG(v, shift);                                                              \
  }
AIELOOM_NARROW(int8, 16)
AIELOOM_NARROW(int8, 32)
AIELOOM_NARROW(uint8, 16)
AIELOOM_NARROW(uint8, 32)
AIELOOM_NARROW(int16, 8)
AIELOOM_NARROW(int16, 16)
AIELOOM_NARROW(int16, 32)
AIELOOM_NARROW(uint16, 16)
AIELOOM_NARROW(uint16, 32)
AIELOOM_NARROW(int32, 8)
AIELOOM_NARROW(int32, 16)
AIELOOM_NARROW(int32, 32)
AIELOOM_WIDEN(acc32, 16)
AIELOOM_WIDEN(acc32, 32)
AIELOOM_WIDEN(acc64, 8)
AIELOOM_WIDEN(acc64, 16)
#undef AIELOOM_NARROW
#undef AIELOOM_WIDEN

/// The bytes of two vectors from byte `count` of the first on.
template <typename T, unsigned N>
[[nodiscard]] inline aie::vector<T, N> shift_bytes(const aie::vector<T, N>& low, const aie::vector<T, N>& high, int count) {
  constexpr std::size_t kBytes = sizeof(T) * N;
  std::array<std::byte, 2 * kBytes> both;
  std::memcpy(both.data(), &low, kBytes);
  std::memcpy(both.data() + kBytes, &high, kBytes);
  aie::vector<T, N> result;
  std::memcpy(static_cast<void*>(&result), both.data() + static_cast<std::size_t>(count) % (kBytes + 1), kBytes);
  return result;
}

// -- shuffles: T<bits>_<rows>x<columns> transposes a matrix that lies row by row, of elements of so many bits ----------

namespace aie::detail {

constexpr int shuffle_mode(int bits, int rows, int columns, int half) { return ((bits * 64 + rows) * 64 + columns) * 2 + half; }

/// `half` of the transpose of `bytes`, as many as the modes' elements take.
template <std::size_t Bytes>
inline void transpose_bytes(const std::byte* bytes, std::byte* result, int mode) {
  const auto half = static_cast<std::size_t>(mode) % 2, columns = static_cast<std::size_t>(mode) / 2 % 64;
  const auto rows = static_cast<std::size_t>(mode) / 128 % 64, size = static_cast<std::size_t>(mode) / 8192 / 8;
  const std::size_t count = Bytes / 2 / size;
  const std::size_t all_rows = rows == 0 ? 64 : rows, all_columns = columns == 0 ? 64 : columns;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t to = half * count + i;
    std::memcpy(result + i * size, bytes + (to % all_rows * all_columns + to / all_rows) * size, size);
  }
}

}  // namespace aie::detail

// Of one register of 512 bits.
#define AIELOOM_MODE(BITS, ROWS, COLUMNS) T##BITS##_##ROWS##x##COLUMNS = aie::detail::shuffle_mode(BITS, ROWS % 64, COLUMNS % 64, 0)
// Of two; the mode says which half of the result.
#define AIELOOM_MODES(BITS, ROWS, COLUMNS)                                                             \
  T##BITS##_##ROWS##x##COLUMNS##_lo = aie::detail::shuffle_mode(BITS, ROWS % 64, COLUMNS % 64, 0),     \
                       T##BITS##_##ROWS##x##COLUMNS##_hi = aie::detail::shuffle_mode(BITS, ROWS % 64, COLUMNS % 64, 1)
enum : int {
  AIELOOM_MODE(8, 4, 16), AIELOOM_MODE(8, 8, 8), AIELOOM_MODE(8, 16, 4),
  AIELOOM_MODE(16, 2, 16), AIELOOM_MODE(16, 4, 8), AIELOOM_MODE(16, 8, 4), AIELOOM_MODE(16, 16, 2),
  AIELOOM_MODE(32, 2, 8), AIELOOM_MODE(32, 4, 4), AIELOOM_MODE(32, 8, 2),
  AIELOOM_MODE(64, 2, 4), AIELOOM_MODE(64, 4, 2),
  AIELOOM_MODES(8, 64, 2), AIELOOM_MODES(8, 2, 64),
  AIELOOM_MODES(16, 32, 2), AIELOOM_MODES(16, 2, 32), AIELOOM_MODES(16, 4, 16), AIELOOM_MODES(16, 16, 4), AIELOOM_MODES(16, 8, 8),
  AIELOOM_MODES(32, 16, 2), AIELOOM_MODES(32, 2, 16), AIELOOM_MODES(32, 4, 8), AIELOOM_MODES(32, 8, 4),
  AIELOOM_MODES(64, 8, 2), AIELOOM_MODES(64, 2, 8),
  AIELOOM_MODES(128, 4, 2), AIELOOM_MODES(128, 2, 4), AIELOOM_MODES(256, 2, 2), AIELOOM_MODES(512, 1, 2)
};
#undef AIELOOM_MODE
#undef AIELOOM_MODES

template <typename T, unsigned N>
[[nodiscard]] inline aie::vector<T, N> shuffle(const aie::vector<T, N>& low, const aie::vector<T, N>& high, int mode) {
  static_assert(aie::vector<T, N>::bits() == 512, "shuffle takes registers of 512 bits [UG1583]");
  static_assert(sizeof(aie::vector<T, N>) == 64);
  std::array<std::byte, 128> both, result{};
  std::memcpy(both.data(), &low, 64);
  std::memcpy(both.data() + 64, &high, 64);
  aie::detail::transpose_bytes<128>(both.data(), result.data(), mode);
  aie::vector<T, N> shuffled;
  std::memcpy(static_cast<void*>(&shuffled), result.data(), 64);
  return shuffled;
}
template <typename T, unsigned N>
[[nodiscard]] inline aie::vector<T, N> shuffle(const aie::vector<T, N>& v, int mode) {
  return shuffle(v, v, mode);
}

#endif  // AIE_API_DETAIL_NATIVE_ML_H
