// hls::vector: N elements that are computed side by side [UG1399 vector data types].
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "aieloom/report.h"
#include "aieloom/usual.h"

namespace hls {

namespace detail {

/// The largest power of two that divides a vector's size, at most 128 bytes, is its alignment.
consteval std::size_t vector_alignment(std::size_t bytes, std::size_t least) {
  std::size_t alignment = bytes & (~bytes + 1);
  alignment = alignment > 128 ? 128 : alignment;
  return alignment < least ? least : alignment;
}

}  // namespace detail

template <typename T_, std::size_t N_>
class alignas(detail::vector_alignment(sizeof(T_) * N_, alignof(T_))) vector {
  static_assert(N_ >= 1, "hls::vector: it has at least one element");

 public:
  using value_type = T_;

  constexpr vector() = default;
  constexpr vector(const T_& all) { data_.fill(all); }
  constexpr explicit vector(const T_ (&values)[N_]) {
    for (std::size_t i = 0; i < N_; ++i) {
      data_[i] = values[i];
    }
  }
  constexpr vector(std::initializer_list<T_> values) {
    if (values.size() != N_) {
      aieloom::refuse("hls-vector", "an hls::vector of " + std::to_string(N_) + " elements from " + std::to_string(values.size()),
                      "give as many values as it has elements");
    }
    std::size_t i = 0;
    for (const T_& value : values) {
      data_[i++] = value;
    }
  }
  constexpr vector(const std::array<T_, N_>& values) : data_(values) {}

  constexpr T_& operator[](std::size_t i) { return data_[checked(i)]; }
  constexpr const T_& operator[](std::size_t i) const { return data_[checked(i)]; }
  [[nodiscard]] static constexpr std::size_t size() { return N_; }
  constexpr auto begin() { return data_.begin(); }
  constexpr auto end() { return data_.end(); }
  constexpr auto begin() const { return data_.begin(); }
  constexpr auto end() const { return data_.end(); }

#define AIELOOM_VECTOR_OPERATOR(op)                                     \
  constexpr vector& operator op##=(const vector& other) {               \
    for (std::size_t i = 0; i < N_; ++i) {                               \
      data_[i] = static_cast<T_>(data_[i] op other.data_[i]);            \
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

  constexpr vector operator-() const { return vector(static_cast<T_>(0)) - *this; }
  constexpr vector operator~() const {
    vector turned;
    for (std::size_t i = 0; i < N_; ++i) {
      turned.data_[i] = static_cast<T_>(~data_[i]);
    }
    return turned;
  }
  constexpr vector& operator++() { return *this += vector(static_cast<T_>(1)); }
  constexpr vector& operator--() { return *this -= vector(static_cast<T_>(1)); }

  // Comparisons are of the whole, in the order of the elements, as those of std::array.
  friend constexpr bool operator==(const vector& a, const vector& b) { return a.data_ == b.data_; }
  friend constexpr bool operator!=(const vector& a, const vector& b) { return !(a == b); }
  friend constexpr bool operator<(const vector& a, const vector& b) {
    for (std::size_t i = 0; i < N_; ++i) {
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
  [[nodiscard]] constexpr T_ reduce_add() const {
    return reduce(0, N_, [](const T_& a, const T_& b) { return static_cast<T_>(a + b); });
  }
  [[nodiscard]] constexpr T_ reduce_mult() const {
    return reduce(0, N_, [](const T_& a, const T_& b) { return static_cast<T_>(a * b); });
  }
  [[nodiscard]] constexpr T_ reduce_and() const {
    return reduce(0, N_, [](const T_& a, const T_& b) { return static_cast<T_>(a & b); });
  }
  [[nodiscard]] constexpr T_ reduce_or() const {
    return reduce(0, N_, [](const T_& a, const T_& b) { return static_cast<T_>(a | b); });
  }
  [[nodiscard]] constexpr T_ reduce_xor() const {
    return reduce(0, N_, [](const T_& a, const T_& b) { return static_cast<T_>(a ^ b); });
  }

 private:
  static constexpr std::size_t checked(std::size_t i) {
    if (i >= N_) {
      aieloom::refuse("hls-vector", "element " + std::to_string(i) + " of an hls::vector of " + std::to_string(N_), "elements are numbered from 0");
    }
    return i;
  }

  template <typename Op>
  constexpr T_ reduce(std::size_t first, std::size_t count, Op op) const {
    return count == 1 ? data_[first] : op(reduce(first, count / 2, op), reduce(first + count / 2, count - count / 2, op));
  }

  std::array<T_, N_> data_{};
};

}  // namespace hls
