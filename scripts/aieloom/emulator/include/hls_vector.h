// hls::vector: N elements that are computed side by side [UG1399 vector data types].
#ifndef HLS_VECTOR_H
#define HLS_VECTOR_H

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "aieloom/report.h"

namespace hls {

namespace detail {

/// The largest power of two that divides a vector's size, at most 128 bytes, is its alignment.
consteval std::size_t vector_alignment(std::size_t bytes, std::size_t least) {
  std::size_t alignment = bytes & (~bytes + 1);
  alignment = alignment > 128 ? 128 : alignment;
  return alignment < least ? least : alignment;
}

}  // namespace detail

template <typename T, std::size_t N>
class alignas(detail::vector_alignment(sizeof(T) * N, alignof(T))) vector {
  static_assert(N >= 1, "hls::vector: it has at least one element");

 public:
  using value_type = T;

  constexpr vector() = default;
  constexpr vector(const T& all) { data_.fill(all); }
  constexpr explicit vector(const T (&values)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      data_[i] = values[i];
    }
  }
  constexpr vector(std::initializer_list<T> values) {
    if (values.size() != N) {
      aieloom::refuse("hls-vector", "an hls::vector of " + std::to_string(N) + " elements from " + std::to_string(values.size()),
                      "give as many values as it has elements");
    }
    std::size_t i = 0;
    for (const T& value : values) {
      data_[i++] = value;
    }
  }
  constexpr vector(const std::array<T, N>& values) : data_(values) {}

  constexpr T& operator[](std::size_t i) { return data_[checked(i)]; }
  constexpr const T& operator[](std::size_t i) const { return data_[checked(i)]; }
  [[nodiscard]] static constexpr std::size_t size() { return N; }
  constexpr auto begin() { return data_.begin(); }
  constexpr auto end() { return data_.end(); }
  constexpr auto begin() const { return data_.begin(); }
  constexpr auto end() const { return data_.end(); }

#define AIELOOM_VECTOR_OPERATOR(op)                                     \
  constexpr vector& operator op##=(const vector& other) {               \
    for (std::size_t i = 0; i < N; ++i) {                               \
      data_[i] = static_cast<T>(data_[i] op other.data_[i]);            \
    }                                                                   \
    return *this;                                                       \
  }                                                                     \
  friend constexpr vector operator op(vector a, const vector& b) {      \
    return a op##= b;                                                   \
  }
  AIELOOM_VECTOR_OPERATOR(+)
  AIELOOM_VECTOR_OPERATOR(-)
  AIELOOM_VECTOR_OPERATOR(*)
  AIELOOM_VECTOR_OPERATOR(/)
  AIELOOM_VECTOR_OPERATOR(%)
  AIELOOM_VECTOR_OPERATOR(&)
  AIELOOM_VECTOR_OPERATOR(|)
  AIELOOM_VECTOR_OPERATOR(^)
  AIELOOM_VECTOR_OPERATOR(<<)
  AIELOOM_VECTOR_OPERATOR(>>)
#undef AIELOOM_VECTOR_OPERATOR

  constexpr vector operator-() const { return vector(static_cast<T>(0)) - *this; }
  constexpr vector operator~() const {
    vector turned;
    for (std::size_t i = 0; i < N; ++i) {
      turned.data_[i] = static_cast<T>(~data_[i]);
    }
    return turned;
  }
  constexpr vector& operator++() { return *this += vector(static_cast<T>(1)); }
  constexpr vector& operator--() { return *this -= vector(static_cast<T>(1)); }

  // Comparisons are of the whole, in the order of the elements, as those of std::array.
  friend constexpr bool operator==(const vector& a, const vector& b) { return a.data_ == b.data_; }
  friend constexpr bool operator!=(const vector& a, const vector& b) { return !(a == b); }
  friend constexpr bool operator<(const vector& a, const vector& b) {
    for (std::size_t i = 0; i < N; ++i) {
      if (a.data_[i] < b.data_[i]) {
        return true;
      }
      if (b.data_[i] < a.data_[i]) {
        return false;
      }
    }
    return false;
  }
  friend constexpr bool operator>(const vector& a, const vector& b) { return b < a; }
  friend constexpr bool operator<=(const vector& a, const vector& b) { return !(b < a); }
  friend constexpr bool operator>=(const vector& a, const vector& b) { return !(a < b); }

  // Reductions, by a tree as in hardware: halves first, so that floating point sums agree with it.
  [[nodiscard]] constexpr T reduce_add() const {
    return reduce(0, N, [](const T& a, const T& b) { return static_cast<T>(a + b); });
  }
  [[nodiscard]] constexpr T reduce_mult() const {
    return reduce(0, N, [](const T& a, const T& b) { return static_cast<T>(a * b); });
  }
  [[nodiscard]] constexpr T reduce_and() const {
    return reduce(0, N, [](const T& a, const T& b) { return static_cast<T>(a & b); });
  }
  [[nodiscard]] constexpr T reduce_or() const {
    return reduce(0, N, [](const T& a, const T& b) { return static_cast<T>(a | b); });
  }
  [[nodiscard]] constexpr T reduce_xor() const {
    return reduce(0, N, [](const T& a, const T& b) { return static_cast<T>(a ^ b); });
  }

 private:
  static constexpr std::size_t checked(std::size_t i) {
    if (i >= N) {
      aieloom::refuse("hls-vector", "element " + std::to_string(i) + " of an hls::vector of " + std::to_string(N), "elements are numbered from 0");
    }
    return i;
  }

  template <typename Op>
  constexpr T reduce(std::size_t first, std::size_t count, Op op) const {
    return count == 1 ? data_[first] : op(reduce(first, count / 2, op), reduce(first + count / 2, count - count / 2, op));
  }

  std::array<T, N> data_{};
};

}  // namespace hls

#endif  // HLS_VECTOR_H
