// aie::accum: a register of wide sums [aie_api reference, Accumulators].
#pragma once

#include "aie_api/detail/lane.h"
#include "aie_api/detail/srs.h"
#include "aie_api/detail/vector.h"

namespace aie {

template <typename Tag, unsigned N>
class accum;

namespace detail {

template <typename A>
inline constexpr bool is_accum = false;
template <typename Tag, unsigned N>
inline constexpr bool is_accum<accum<Tag, N>> = true;

/// An element's bits as a signed number or not (reshape.h).
template <typename T>
constexpr std::int64_t read_as(T x, bool is_signed);

/// Whether an accumulator of `Tag` can be written to elements of T.
template <typename Tag, typename T>
consteval bool converts() {
  constexpr TagInfo info = tag_info<Tag>;
  if (!is_element<T> || info.is_complex != is_complex<T> || info.is_float != is_float<T>) {
    return false;
  }
  return info.is_float || number_bits<T> >= 8 || !kFirst;
}

/// Refuse shifts that AIE-ML leaves undefined (facts: 32-bit accumulators and vectors know shift 0 only; -4..-2 is
/// unsafe).
template <typename Tag, typename T>
inline void check_shift(int shift, const char* what) {
  if constexpr (!kFirst && native_bits<Tag> == 32 && number_bits<T> == 32 && !tag_info<Tag>.is_float) {
    if (shift != 0) [[unlikely]] {
      char text[128];
      __builtin_snprintf(text, sizeof text,
                         "%s: shift %d between a 32-bit accumulator and 32-bit elements, where only 0 is defined", what,
                         shift);
      aieloom::refuse("aie-shift", text, "use acc64, or shift with aie::upshift or aie::downshift");
    }
  }
  if constexpr (!kFirst && !tag_info<Tag>.is_float) {
    if (shift <= -2 && shift >= -4) [[unlikely]] {
      aieloom::refuse("aie-shift", "conversions on AIE-ML must not shift by -4 to -2: the hardware's result is wrong",
                      "shift with aie::upshift");
    }
  }
}

}  // namespace detail

template <typename A>
concept Accum = detail::is_accum<std::remove_cvref_t<A>>;
template <typename Tag>
concept AccumElemBaseType = detail::is_tag<Tag>;

/// N sums of the width that `Tag` asks for, rounded up to what the hardware has. Integers wrap at that width.
template <typename Tag, unsigned N>
class accum {
  static_assert(
      detail::is_legal_tag<Tag>,
      "aie::accum: the architecture has no such accumulator (AIE: acc32 to acc80, AIE-ML: acc32 to acc64; accfloat; "
      "and their complex forms cacc32 ...)");
  static_assert(
      !detail::is_legal_tag<Tag> || detail::legal_accum_size<Tag, N>(),
      "aie::accum: illegal number of lanes (AIE: 48-bit 8..128, 80-bit 4..64, accfloat 4..32; AIE-ML: acc32 8..128, "
      "acc64 4..64, accfloat 4..128; complex: half of it; powers of two)");

 public:
  using value_type = Tag;
  using native_type = accum;
  using lane = detail::lane_type<Tag>;
  static constexpr unsigned kBits = detail::native_bits<Tag>;

  static constexpr unsigned size() { return N; }
  static constexpr unsigned bits() { return N * detail::lane_bits<Tag>; }
  static constexpr bool is_complex() { return detail::tag_info<Tag>.is_complex; }
  static constexpr bool is_real() { return !is_complex(); }
  static constexpr bool is_floating_point() { return detail::tag_info<Tag>.is_float; }
  static constexpr bool is_integral() { return !is_floating_point(); }
  static constexpr unsigned accumulation_bits() { return kBits; }
  static constexpr unsigned value_size() { return detail::lane_bits<Tag>; }

  /// The lanes are undefined.
  accum() { __builtin_memset(&lanes_, detail::kUndefinedByte, sizeof lanes_); }

  /// Lanes v * 2^shift. Floats are taken as they are: `aie::accum<accfloat, 8> sum = *(v8float*)bias;` stands in published kernels.
  template <typename T>
  explicit(!(detail::tag_info<Tag>.is_float && detail::is_float<T>)) accum(const vector<T, N>& v, int shift = 0) : accum() {
    from_vector(v, shift);
  }

  /// The lanes of a vector, not shifted [aie_api reference, aie::accum].
  template <typename T>
  accum& operator=(const vector<T, N>& v) {
    from_vector(v);
    return *this;
  }
  /// Floats go to vectors by assignment too, bfloat16 among them [aie_api, accum: "of the same type", the class of floats].
  template <typename T>
    requires(detail::tag_info<Tag>.is_float && detail::is_float<T> && detail::is_complex<T> == is_complex())
  operator vector<T, N>() const {
    return to_vector<T>();
  }

  /// An accumulator of another tag that the hardware keeps in the same registers.
  template <typename Other>
    requires(!std::is_same_v<Other, Tag> && detail::tag_info<Other>.is_complex == detail::tag_info<Tag>.is_complex &&
             detail::tag_info<Other>.is_float == detail::tag_info<Tag>.is_float &&
             detail::native_bits<Other> == detail::native_bits<Tag>)
  accum(const accum<Other, N>& other) {
    __builtin_memcpy(&lanes_, &other.lanes_, sizeof lanes_);
  }

  /// Lanes v * 2^shift.
  template <typename T>
  void from_vector(const vector<T, N>& v, int shift = 0) {
    static_assert(
        detail::tag_info<Tag>.is_complex == detail::is_complex<T> &&
            detail::tag_info<Tag>.is_float == detail::is_float<T>,
        "aie::accum::from_vector: integers go to accNN, complex integers to caccNN, floating point to accfloat");
    detail::check_shift<Tag, T>(shift, "aie::accum::from_vector");
    for (unsigned i = 0; i < N; ++i) {
      lanes_[i] = detail::scale_up(detail::widen<lane>(v.lanes_.get(i)), shift);
    }
  }

  /// The same for elements that are signed or not by the argument.
  template <typename T>
    requires(detail::kFirst && !detail::is_float<T> && !detail::is_complex<T>)
  void from_vector_sign(const vector<T, N>& v, bool is_signed, int shift = 0) {
    for (unsigned i = 0; i < N; ++i) {
      lanes_[i] = detail::scale_up(static_cast<lane>(detail::read_as(v.lanes_.get(i), is_signed)), shift);
    }
  }

  /// Shift right, round, saturate: by the core's modes.
  template <typename T>
  [[nodiscard]] vector<T, N> to_vector(int shift = 0) const {
    return convert<T>(shift, detail::is_signed_element<T>);
  }
  /// The floats of an accumulator of floats, where no type is named [aie_api, accum].
  [[nodiscard]] auto to_vector() const
    requires(detail::tag_info<Tag>.is_float)
  {
    return to_vector<std::conditional_t<is_complex(), cfloat, float>>();
  }
  /// The same with the range of signed or unsigned numbers.
  template <typename T>
  [[nodiscard]] vector<T, N> to_vector_sign(bool is_signed, int shift = 0) const {
    static_assert(!detail::tag_info<Tag>.is_float, "aie::accum::to_vector_sign: integer accumulators only");
    return convert<T>(shift, is_signed);
  }

  template <unsigned M>
  [[nodiscard]] accum<Tag, M> extract(unsigned i) const {
    static_assert(M <= N, "aie::accum::extract: the part is larger than the accumulator");
    detail::check_index(i, N / M, "aie::accum::extract");
    accum<Tag, M> part;
    __builtin_memcpy(&part.lanes_, &lanes_[i * M], sizeof part.lanes_);
    return part;
  }
  template <typename Other, unsigned M>
  accum& insert(unsigned i, const accum<Other, M>& part) {
    static_assert(M <= N, "aie::accum::insert: the part is larger than the accumulator");
    static_assert(detail::native_bits<Other> == kBits && std::is_same_v<detail::lane_type<Other>, lane>,
                  "aie::accum::insert: the part's lanes have another width");
    detail::check_index(i, N / M, "aie::accum::insert");
    __builtin_memcpy(&lanes_[i * M], &part.lanes_, sizeof part.lanes_);
    return *this;
  }
  template <unsigned M>
  [[nodiscard]] accum<Tag, M> grow(unsigned i = 0) const {
    static_assert(M >= N, "aie::accum::grow: the result must not be smaller");
    accum<Tag, M> out;
    out.insert(i, *this);
    return out;
  }
  /// A larger accumulator with this one in every part.
  template <unsigned M>
  [[nodiscard]] accum<Tag, M> grow_replicate() const {
    static_assert(M >= N, "aie::accum::grow_replicate: the result must not be smaller");
    accum<Tag, M> out;
    for (unsigned i = 0; i < M / N; ++i) {
      out.insert(i, *this);
    }
    return out;
  }
  template <unsigned M>
  [[nodiscard]] accum<Tag, M> grow_extract(unsigned i) const {
    if constexpr (M >= N) {
      return grow<M>();
    } else {
      return extract<M>(i);
    }
  }
  /// The same registers under another tag: AIE-ML pairs 32-bit lanes to 64-bit ones.
  template <typename Other>
  [[nodiscard]] auto cast_to() const {
    constexpr unsigned count = N * detail::lane_bits<Tag> / detail::lane_bits<Other>;
    accum<Other, count> out;
    static_assert(sizeof out.lanes_ == sizeof lanes_, "aie::accum::cast_to: 48- and 80-bit lanes do not pair");
    __builtin_memcpy(&out.lanes_, &lanes_, sizeof lanes_);
    return out;
  }

  [[nodiscard]] const accum& to_native() const { return *this; }

  /// Lane i as the hardware has it.
  [[nodiscard]] lane at(unsigned i) const { return detail::wrap_to<kBits>(lanes_[i]); }

  alignas(sizeof(lane) * N >= 32 ? 32 : 16) lane lanes_[N];  // the emulator's own

 private:
  template <typename T>
  [[nodiscard]] vector<T, N> convert(int shift, bool is_signed) const {
    static_assert(
        detail::converts<Tag, T>(),
        "aie::accum::to_vector: an integer accumulator goes to integers, a complex one to complex numbers, accfloat to "
        "float or bfloat16 (integers: aie::to_fixed)");
    vector<T, N> out;
    if constexpr (detail::tag_info<Tag>.is_float) {
      for (unsigned i = 0; i < N; ++i) {
        if constexpr (detail::is_complex<T>) {
          out.lanes_.set(i, T{lanes_[i].real, lanes_[i].imag});
        } else {
          out.lanes_.set(i, static_cast<T>(lanes_[i]));
        }
      }
    } else {
      detail::check_shift<Tag, T>(shift, "aie::accum::to_vector");
      const detail::Conversion narrow(shift, detail::number_bits<T>, is_signed);
      if constexpr (!detail::tag_info<Tag>.is_complex && !detail::is_nibble<T> && sizeof(lane) <= 8) {
        narrow_lanes(narrow, out.lanes_.at);
      } else {
        for (unsigned i = 0; i < N; ++i) {
          out.lanes_.set(i, narrow_lane<T>(narrow, at(i)));
        }
      }
    }
    return out;
  }

  /// The common case in steps that the compiler can do in parallel.
  template <typename T>
  void narrow_lanes(const detail::Conversion& narrow, T (&out)[N]) const {
    std::int64_t q[N];
    if (narrow.s < 0) {
      for (unsigned i = 0; i < N; ++i) {
        q[i] = narrow(static_cast<std::int64_t>(at(i)));
      }
    } else {
      const auto s = static_cast<unsigned>(narrow.s);
      const detail::RoundingTerms terms = narrow.terms;
      for (unsigned i = 0; i < N; ++i) {
        q[i] = detail::round_shift(static_cast<std::int64_t>(at(i)), s, terms);
      }
      if (narrow.saturate) {
        const std::int64_t low = narrow.range.low;
        const std::int64_t high = narrow.range.high;
        for (unsigned i = 0; i < N; ++i) {
          q[i] = q[i] < low ? low : q[i] > high ? high : q[i];
        }
      }
    }
    for (unsigned i = 0; i < N; ++i) {
      out[i] = static_cast<T>(q[i]);
    }
  }
  template <typename T>
  static T narrow_lane(const detail::Conversion& narrow, lane x) {
    if constexpr (detail::is_complex<T>) {
      using R = decltype(T::real);
      return T{static_cast<R>(narrow(wide(x.real))), static_cast<R>(narrow(wide(x.imag)))};
    } else if constexpr (detail::is_nibble<T>) {
      return T(static_cast<int>(narrow(wide(x)) & 15));
    } else {
      return static_cast<T>(narrow(wide(x)));
    }
  }
  /// 80-bit lanes stay wide, the others are converted in 64 bits.
  template <typename S>
  static auto wide(S x) {
    if constexpr (sizeof(S) > 8) {
      return x;
    } else {
      return static_cast<std::int64_t>(x);
    }
  }
};

namespace detail {

/// Under --sanitize: refuse to add to an accumulator that nothing was written to.
template <typename Tag, unsigned N>
inline void check_defined([[maybe_unused]] const accum<Tag, N>& acc, [[maybe_unused]] const char* what) {
  if constexpr (kSanitize) {
    for (const unsigned char byte : reinterpret_cast<const unsigned char(&)[sizeof acc.lanes_]>(acc.lanes_)) {
      if (byte != kUndefinedByte) {
        return;
      }
    }
    char text[96];
    __builtin_snprintf(text, sizeof text, "%s adds to an accumulator whose lanes are undefined", what);
    aieloom::refuse("aie-undefined", text, "start with mul(), aie::zeros<Tag, N>() or from_vector()");
  }
}

}  // namespace detail

/// The lanes v * 2^shift as an accumulator; the lanes of one shifted, rounded and saturated.
template <typename Tag, typename T, unsigned N>
[[nodiscard]] inline accum<Tag, N> from_vector(const vector<T, N>& v, int shift = 0) {
  return accum<Tag, N>(v, shift);
}
template <typename T, typename Tag, unsigned N>
[[nodiscard]] inline vector<T, N> to_vector(const accum<Tag, N>& acc, int shift = 0) {
  return acc.template to_vector<T>(shift);
}

}  // namespace aie
