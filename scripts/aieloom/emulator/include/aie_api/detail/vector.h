// aie::vector: a register of equal elements [aie_api reference, Vectors].
#pragma once

#include <tuple>
#include <utility>

#include "aie_api/detail/config.h"

namespace aie {

template <typename T, unsigned N = detail::kNativeLanes<T>>
class vector;
template <typename T, unsigned N>
class vector_elem_ref;

namespace detail {

template <typename V>
inline constexpr bool is_vector = false;
template <typename T, unsigned N>
inline constexpr bool is_vector<vector<T, N>> = true;

/// Refuse an index outside a vector: the vendor's behaviour is undefined, the x86 simulator stops.
inline void check_index(unsigned index, unsigned size, const char* what) {
  if (index >= size) [[unlikely]] {
    char text[96];
    __builtin_snprintf(text, sizeof text, "%s: index %u, but there are %u", what, index, size);
    aieloom::refuse("aie-index", text, "count from 0 to one less");
  }
}

/// For functions that write every lane themselves.
struct Uninitialised {};

/// Lanes in memory order. Elements of 4 bits are packed, the first in the low half of its byte.
template <typename T, unsigned N>
struct alignas(access_alignment(N* element_bits<T>)) Lanes {
  T at[N];
  constexpr T get(unsigned i) const { return at[i]; }
  constexpr void set(unsigned i, T v) { at[i] = v; }
};
template <typename T, unsigned N>
  requires is_nibble<T>
struct alignas(access_alignment(N * 4)) Lanes<T, N> {
  std::uint8_t at[N / 2];
  constexpr T get(unsigned i) const { return T((at[i / 2] >> (i % 2 * 4)) & 15); }
  constexpr void set(unsigned i, T v) {
    const unsigned shift = i % 2 * 4;
    at[i / 2] =
        static_cast<std::uint8_t>((at[i / 2] & ~(15U << shift)) | ((static_cast<unsigned>(int(v)) & 15U) << shift));
  }
};

}  // namespace detail

template <typename V>
concept Vector = detail::is_vector<std::remove_cvref_t<V>>;
template <typename T>
concept ElemBaseType = detail::is_element<T>;

/// A register of N elements of type T.
template <typename T, unsigned N>
class vector {
  static_assert(
      detail::is_element<T>,
      "aie::vector: the architecture has no vectors of this type (AIE: int8 uint8 int16 int32 float cint16 cint32 "
      "cfloat; AIE-ML also int4 uint4 uint16 uint32 bfloat16 cbfloat16)");
  static_assert(
      detail::is_vector_size<T, N>,
      "aie::vector: a vector has 128, 256, 512 or 1024 bits, on AIE-ML also a larger power of two; check the number of elements");

 public:
  using value_type = T;
  using native_type = vector;

  static constexpr unsigned size() { return N; }
  static constexpr unsigned type_bits() { return detail::element_bits<T>; }
  static constexpr unsigned bits() { return N * detail::element_bits<T>; }
  static constexpr bool is_complex() { return detail::is_complex<T>; }
  static constexpr bool is_real() { return !detail::is_complex<T>; }
  static constexpr bool is_signed() { return detail::is_signed_element<T>; }
  static constexpr bool is_integral() { return !detail::is_float<T>; }
  static constexpr bool is_floating_point() { return detail::is_float<T>; }

  /// The lanes are undefined.
  vector() { __builtin_memset(&lanes_, detail::kUndefinedByte, sizeof lanes_); }

  explicit vector(detail::Uninitialised) {}

  /// The first lanes; those that are not given are undefined.
  template <typename... Values>
    requires(sizeof...(Values) < N && (std::convertible_to<Values, T> && ...) && !(Vector<Values> || ...))
  explicit vector(T first, Values... others) : vector() {
    unsigned i = 0;
    lanes_.set(i++, first);
    (lanes_.set(i++, static_cast<T>(others)), ...);
  }

  /// The same bits, as AIE-ML's native types convert: v16bfloat16(a vector of 16 int16) [XD100 Softmax Function on AIE-ML].
  template <typename U, unsigned M>
    requires(!detail::kFirst && !std::same_as<U, T> && M * detail::element_bits<U> == N * detail::element_bits<T>)
  explicit vector(const vector<U, M>& v) : vector(v.template cast_to<T>()) {}

  [[nodiscard]] T get(unsigned i) const {
    detail::check_index(i, N, "aie::vector::get");
    return lanes_.get(i);
  }
  void set(T v, unsigned i) {
    detail::check_index(i, N, "aie::vector::set");
    lanes_.set(i, v);
  }
  [[nodiscard]] T operator[](unsigned i) const { return get(i); }
  vector_elem_ref<T, N> operator[](unsigned i) { return elem_ref(i); }
  vector_elem_ref<T, N> elem_ref(unsigned i) {
    detail::check_index(i, N, "aie::vector::elem_ref");
    return {*this, i};
  }
  [[nodiscard]] T elem_ref(unsigned i) const { return get(i); }
  [[nodiscard]] T elem_const_ref(unsigned i) const { return get(i); }

  /// Shift every lane up one place and write v to lane 0; the last lane is lost.
  vector& push(T v) {
    aieloom::count_shuffle();
    for (unsigned i = N - 1; i > 0; --i) {
      lanes_.set(i, lanes_.get(i - 1));
    }
    lanes_.set(0, v);
    return *this;
  }

  /// Part number `i` of M lanes.
  template <unsigned M>
  [[nodiscard]] vector<T, M> extract(unsigned i) const {
    static_assert(M <= N, "aie::vector::extract: the part is larger than the vector");
    detail::check_index(i, N / M, "aie::vector::extract");
    vector<T, M> part;
    __builtin_memcpy(&part.lanes_, reinterpret_cast<const char*>(&lanes_) + i * sizeof part.lanes_, sizeof part.lanes_);
    return part;
  }

  /// Write part number `i`.
  template <unsigned M>
  vector& insert(unsigned i, const vector<T, M>& part) {
    static_assert(M <= N, "aie::vector::insert: the part is larger than the vector");
    detail::check_index(i, N / M, "aie::vector::insert");
    __builtin_memcpy(reinterpret_cast<char*>(&lanes_) + i * sizeof part.lanes_, &part.lanes_, sizeof part.lanes_);
    return *this;
  }

  /// A larger vector with this one as part number `i`; the other lanes are undefined.
  template <unsigned M>
  [[nodiscard]] vector<T, M> grow(unsigned i = 0) const {
    static_assert(M >= N, "aie::vector::grow: the result must not be smaller");
    vector<T, M> out;
    out.template insert<N>(i, *this);
    return out;
  }

  /// A larger vector with this one in every part.
  template <unsigned M>
  [[nodiscard]] vector<T, M> grow_replicate() const {
    static_assert(M >= N, "aie::vector::grow_replicate: the result must not be smaller");
    vector<T, M> out;
    for (unsigned i = 0; i < M / N; ++i) {
      out.template insert<N>(i, *this);
    }
    return out;
  }

  /// Part number `i` of M lanes where M may be larger than the vector: then part 0 grown.
  template <unsigned M>
  [[nodiscard]] vector<T, M> grow_extract(unsigned i) const {
    if constexpr (M >= N) {
      detail::check_index(i, 1, "aie::vector::grow_extract");
      return grow<M>();
    } else {
      return extract<M>(i);
    }
  }

  /// Write all lanes.
  template <typename... Values>
    requires(sizeof...(Values) == N && (std::convertible_to<Values, T> && ...))
  vector& upd_all(Values... values) {
    unsigned i = 0;
    (lanes_.set(i++, static_cast<T>(values)), ...);
    return *this;
  }

  /// The same bits as elements of type U.
  template <typename U>
  [[nodiscard]] auto cast_to() const {
    static_assert(detail::is_element<U>, "aie::vector::cast_to: the architecture has no vectors of this type");
    constexpr unsigned count = N * detail::element_bits<T> / detail::element_bits<U>;
    vector<U, count> out;
    static_assert(sizeof out.lanes_ == sizeof lanes_);
    __builtin_memcpy(&out.lanes_, &lanes_, sizeof lanes_);
    return out;
  }

  /// The next smaller integer type, by the saturation mode; or U.
  template <typename U = void>
  [[nodiscard]] auto pack() const;
  /// pack() to a signed type or not, by the argument.
  template <typename U = void>
  [[nodiscard]] auto pack_sign(bool is_signed) const;
  /// The next larger integer type; or U.
  template <typename U = void>
  [[nodiscard]] auto unpack() const;
  /// unpack() as if the elements were signed or not, by the argument.
  template <typename U = void>
  [[nodiscard]] auto unpack_sign(bool is_signed) const;

  /// The parts in a tuple.
  template <unsigned M>
  [[nodiscard]] auto split() const {
    static_assert(M < N, "aie::vector::split: the parts must be smaller than the vector");
    return [this]<unsigned... I>(std::integer_sequence<unsigned, I...>) {
      return std::tuple(extract<M>(I)...);
    }(std::make_integer_sequence<unsigned, N / M>());
  }

  /// Read from memory.
  template <typename P>
  void load(const P* p);
  template <typename P>
  void load_unaligned(const P* p, unsigned aligned_elems);
  template <typename P>
  void store(P* p) const;
  template <typename P>
  void store_unaligned(P* p, unsigned aligned_elems) const;

  [[nodiscard]] const vector& to_native() const { return *this; }

  detail::Lanes<T, N> lanes_;  // the emulator's own; the vendor's headers have no such member
};

/// An element of a vector that can be read, written, and passed where a scalar operand is.
template <typename T, unsigned N>
class vector_elem_ref {
 public:
  using value_type = T;
  using parent_type = vector<T, N>;

  vector_elem_ref(vector<T, N>& v, unsigned i) : parent(v), offset(i) {}
  vector_elem_ref(const vector_elem_ref&) = default;

  [[nodiscard]] T get() const { return parent.lanes_.get(offset); }
  operator T() const { return get(); }
  vector_elem_ref& operator=(T v) {
    parent.lanes_.set(offset, v);
    return *this;
  }
  vector_elem_ref& operator=(const vector_elem_ref& other) { return *this = other.get(); }

  parent_type& parent;
  unsigned offset;
};

namespace detail {
template <typename V>
inline constexpr bool is_elem_ref = false;
template <typename T, unsigned N>
inline constexpr bool is_elem_ref<vector_elem_ref<T, N>> = true;

template <typename X>
struct scalar_of {
  using type = X;
};
template <typename T, unsigned N>
struct scalar_of<vector_elem_ref<T, N>> {
  using type = T;
};
}  // namespace detail

/// A scalar operand: a number, or an element of a vector.
template <typename X>
concept Elem = detail::is_element<typename detail::scalar_of<std::remove_cvref_t<X>>::type>;

}  // namespace aie
