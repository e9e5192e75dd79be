// From wide to narrow: shift, round, saturate (SRS), and the modes that govern it [UG1079 Rounding and Saturation
// Modes].
#pragma once

#include "aie_api/detail/config.h"

namespace aie {

/// Rounding modes with the codes of the architecture's register [UG1078; UG1583].
#if __AIE_ARCH__ == 10
enum class rounding_mode : unsigned {
  floor = 0,
  ceil = 1,
  positive_inf = 2,
  negative_inf = 3,
  symmetric_inf = 4,
  symmetric_zero = 5,
  conv_even = 6,
  conv_odd = 7,
};
#else
enum class rounding_mode : unsigned {
  floor = 0,
  ceil = 1,
  symmetric_floor = 2,
  symmetric_ceil = 3,
  negative_inf = 8,
  positive_inf = 9,
  symmetric_zero = 10,
  symmetric_inf = 11,
  conv_even = 12,
  conv_odd = 13,
};
#endif

enum class saturation_mode : unsigned { none = 0, truncate = 0, saturate = 1, symmetric = 3 };

namespace detail {

using aieloom::Rounding;
using aieloom::Saturation;

struct RoundingCode {
  rounding_mode code;
  Rounding meaning;
};
inline constexpr RoundingCode kRoundingCodes[] = {
    {rounding_mode::floor, Rounding::kFloor},
    {rounding_mode::ceil, Rounding::kCeil},
    {rounding_mode::positive_inf, Rounding::kPositiveInf},
    {rounding_mode::negative_inf, Rounding::kNegativeInf},
    {rounding_mode::symmetric_inf, Rounding::kSymmetricInf},
    {rounding_mode::symmetric_zero, Rounding::kSymmetricZero},
    {rounding_mode::conv_even, Rounding::kConvEven},
    {rounding_mode::conv_odd, Rounding::kConvOdd},
#if __AIE_ARCH__ != 10
    {rounding_mode::symmetric_floor, Rounding::kSymmetricFloor},
    {rounding_mode::symmetric_ceil, Rounding::kSymmetricCeil},
#endif
};

inline Rounding meaning_of(rounding_mode mode) {
  for (const auto& row : kRoundingCodes) {
    if (row.code == mode) {
      return row.meaning;
    }
  }
  aieloom::refuse("aie-rounding", "the rounding register has no such mode on this architecture",
                  "use the names of aie::rounding_mode; the numbers differ between architectures");
}

inline rounding_mode code_of(Rounding meaning) {
  for (const auto& row : kRoundingCodes) {
    if (row.meaning == meaning) {
      return row.code;
    }
  }
  return rounding_mode::floor;
}

/// How a mode turns the remainder of a shift by s into a step: add `base`, `negative` where x < 0, `odd` where the
/// quotient is odd, and carry out of the s low bits.
struct RoundingTerms {
  std::uint64_t base = 0;
  std::int64_t negative = 0;
  std::int64_t odd = 0;
};

constexpr RoundingTerms rounding_terms(Rounding mode, unsigned s) {
  if (s == 0) {
    return {};
  }
  const std::uint64_t h = std::uint64_t{1} << (s - 1);
  const std::uint64_t all = (h << 1) - 1;
  switch (mode) {
    case Rounding::kFloor:
      return {};
    case Rounding::kCeil:
      return {all, 0, 0};
    case Rounding::kPositiveInf:
      return {h, 0, 0};
    case Rounding::kNegativeInf:
      return {h - 1, 0, 0};
    case Rounding::kSymmetricInf:
      return {h, -1, 0};
    case Rounding::kSymmetricZero:
      return {h - 1, 1, 0};
    case Rounding::kConvEven:
      return {h - 1, 0, 1};
    case Rounding::kConvOdd:
      return {h, 0, -1};
    case Rounding::kSymmetricFloor:
      return {0, static_cast<std::int64_t>(all), 0};
    case Rounding::kSymmetricCeil:
      return {all, -static_cast<std::int64_t>(all), 0};
  }
  return {};
}

/// x >> s, spelled so that SIMD units without a 64-bit arithmetic shift can do it.
constexpr std::int64_t shift_down(std::int64_t x, unsigned s) {
  const std::uint64_t sign = std::uint64_t{1} << (63 - s);
  return static_cast<std::int64_t>(((static_cast<std::uint64_t>(x) >> s) ^ sign) - sign);
}

/// Shift right by 0..63 and round; exact for every 64-bit value.
constexpr std::int64_t round_shift(std::int64_t x, unsigned s, const RoundingTerms& terms) {
  const std::int64_t q = shift_down(x, s);
  const std::uint64_t rest = static_cast<std::uint64_t>(x) & ((std::uint64_t{1} << s) - 1);
  const std::uint64_t below_zero = 0 - (static_cast<std::uint64_t>(x) >> 63);
  const std::uint64_t is_odd = 0 - (static_cast<std::uint64_t>(q) & 1);
  const std::uint64_t step = terms.base + (below_zero & static_cast<std::uint64_t>(terms.negative)) +
                             (is_odd & static_cast<std::uint64_t>(terms.odd));
  return q + static_cast<std::int64_t>((rest + step) >> s);
}
constexpr int128 round_shift_wide(int128 x, unsigned s, const RoundingTerms& terms) {
  const int128 q = x >> s;
  const uint128 rest = static_cast<uint128>(x) & ((uint128{1} << s) - 1);
  const std::uint64_t step = terms.base + (x < 0 ? static_cast<std::uint64_t>(terms.negative) : 0) +
                             ((q & 1) != 0 ? static_cast<std::uint64_t>(terms.odd) : 0);
  return q + static_cast<int128>((rest + step) >> s);
}

/// The numbers a saturating conversion to `bits` may give.
struct Range {
  std::int64_t low;
  std::int64_t high;
};
constexpr Range saturation_range(unsigned bits, bool is_signed, Saturation mode) {
  if (!is_signed) {
    return {0, static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1)};
  }
  const std::int64_t high = (std::int64_t{1} << (bits - 1)) - 1;
  return {mode == Saturation::kSymmetric ? -high : -high - 1, high};
}

/// One conversion's constants, taken from the registers once for all lanes.
struct Conversion {
  Conversion(int shift, unsigned bits, bool to_signed)
      : s(shift),
        terms(rounding_terms(aieloom::core_state().rounding, shift > 0 ? static_cast<unsigned>(shift) : 0)),
        saturate(aieloom::core_state().saturation != Saturation::kNone),
        range(saturation_range(bits, to_signed, aieloom::core_state().saturation)) {
    if (shift > 63 || shift < -63) {
      aieloom::refuse("aie-shift", "a conversion from an accumulator shifts by more than 63 bits",
                      "keep the shift below the accumulator's width");
    }
  }

  /// The lane's number after shift, rounding and saturation; the caller cuts it to the element's bits.
  [[nodiscard]] std::int64_t operator()(std::int64_t x) const {
    if (s < 0) {
      return (*this)(static_cast<int128>(x));
    }
    const std::int64_t q = round_shift(x, static_cast<unsigned>(s), terms);
    return !saturate ? q : q < range.low ? range.low : q > range.high ? range.high : q;
  }
  [[nodiscard]] std::int64_t operator()(int128 x) const {
    const int128 q = s < 0 ? static_cast<int128>(static_cast<uint128>(x) << -s)
                           : round_shift_wide(x, static_cast<unsigned>(s), terms);
    return static_cast<std::int64_t>(!saturate ? q : q < range.low ? range.low : q > range.high ? range.high : q);
  }

  int s;
  RoundingTerms terms;
  bool saturate;
  Range range;
};

}  // namespace detail

/// The rounding mode of this core, from now on, for all its kernels.
inline void set_rounding(rounding_mode mode) { aieloom::core_state().rounding = detail::meaning_of(mode); }
[[nodiscard]] inline rounding_mode get_rounding() { return detail::code_of(aieloom::core_state().rounding); }
inline void set_saturation(saturation_mode mode) {
  aieloom::core_state().saturation = static_cast<aieloom::Saturation>(static_cast<unsigned>(mode));
}
[[nodiscard]] inline saturation_mode get_saturation() {
  return static_cast<saturation_mode>(static_cast<unsigned>(aieloom::core_state().saturation));
}

/// Set a mode and return the one before.
inline rounding_mode swap_rounding(rounding_mode mode) {
  const rounding_mode before = get_rounding();
  set_rounding(mode);
  return before;
}
inline saturation_mode swap_saturation(saturation_mode mode) {
  const saturation_mode before = get_saturation();
  set_saturation(mode);
  return before;
}

}  // namespace aie
