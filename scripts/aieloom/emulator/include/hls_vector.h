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

/// The largest power of two that divides a vector's size is its alignment.
constexpr std::size_t vector_alignment(std::size_t bytes, std::size_t least) {
  std::size_t alignment = bytes & (~bytes + 1);
  return alignment < least ? least : alignment;
}

}  // namespace detail

template <typename T_, std::size_t N_>
class alignas(detail::vector_alignment(sizeof(T_) * N_, alignof(T_))) vector {
  static_assert(N_ >= 1, "hls::vector: it has at least one element");

 public:
  using Elements = std::array<T_, N_>;
  using value_type = T_;
  using size_type = typename Elements::size_type;
  using difference_type = typename Elements::difference_type;
  using reference = T_&;
  using const_reference = const T_&;
  using pointer = T_*;
  using const_pointer = const T_*;
  using iterator = typename Elements::iterator;
  using const_iterator = typename Elements::const_iterator;
  using reverse_iterator = typename Elements::reverse_iterator;
  using const_reverse_iterator = typename Elements::const_reverse_iterator;

  constexpr vector() = default;
  constexpr vector(const T_& all) {
    for (std::size_t i = 0; i < N_; ++i) {
      data_[i] = all;
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
  [[nodiscard]] static constexpr std::size_t max_size() { return N_; }
  [[nodiscard]] static constexpr bool empty() { return N_ == 0; }
#define AIELOOM_VECTOR_END(name)                         \
  constexpr auto name() { return data_.name(); }         \
  constexpr auto name() const { return data_.name(); }
  AIELOOM_VECTOR_END(begin)
  AIELOOM_VECTOR_END(end)
  AIELOOM_VECTOR_END(rbegin)
  AIELOOM_VECTOR_END(rend)
  AIELOOM_VECTOR_END(cbegin)
  AIELOOM_VECTOR_END(cend)
  AIELOOM_VECTOR_END(crbegin)
  AIELOOM_VECTOR_END(crend)
#undef AIELOOM_VECTOR_END

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

  constexpr vector& operator++() { return *this += vector(static_cast<T_>(1)); }
  constexpr vector& operator--() { return *this -= vector(static_cast<T_>(1)); }
  constexpr vector operator++(int) {
    const vector old = *this;
    ++*this;
    return old;
  }
  constexpr vector operator--(int) {
    const vector old = *this;
    --*this;
    return old;
  }

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
