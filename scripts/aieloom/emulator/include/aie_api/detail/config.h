// What an architecture has: element types, accumulators, legal sizes, alignment [aie_api reference; facts (b)].
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "aie_api/detail/traits.h"
#include "aieloom/core_state.h"
#include "aieloom/refuse.h"
#include "aieloom/types.h"

#define __aie_inline __attribute__((always_inline))
#define __aie_noinline __attribute__((noinline))

namespace aie {

/// What the kernel is compiled for.
struct arch {
  enum ArchVersion : unsigned { AIE = 10, AIE_ML = 20, XDNA_1 = 20, XDNA_2 = 21 };
  enum ArchGeneration : unsigned { Gen1 = 1, Gen2 = 2 };
  static constexpr ArchVersion version = ArchVersion(__AIE_ARCH__);
  static constexpr ArchGeneration generation = ArchGeneration(__AIE_ARCH__ / 10);
  template <typename... T>
    requires((std::is_same_v<T, ArchVersion> && ...) || (std::is_same_v<T, ArchGeneration> && ...))
  static constexpr bool is(T... any_of) {
    return ((static_cast<unsigned>(any_of) == __AIE_ARCH__ || static_cast<unsigned>(any_of) == __AIE_ARCH__ / 10) ||
            ...);
  }
};

using ::aie_dm_resource;

namespace detail {

inline constexpr bool kFirst = __AIE_ARCH__ == 10;  // AIE, the first architecture
/// kFirst for static_asserts in templates, which must depend on a parameter to fail only where they are used.
template <typename...>
inline constexpr bool kFirstFor = kFirst;

#if defined(AIELOOM_SANITIZE)
inline constexpr bool kSanitize = true;
#else
inline constexpr bool kSanitize = false;
#endif
/// Lanes that nothing was written to: zero, or a pattern that stands out under --sanitize.
inline constexpr unsigned char kUndefinedByte = kSanitize ? 0xa5 : 0;

template <typename T, typename... Us>
inline constexpr bool is_one_of = (std::is_same_v<T, Us> || ...);

#if __AIE_ARCH__ == 10
template <typename T>
inline constexpr bool is_element = is_one_of<T, int8, uint8, int16, int32, float, cint16, cint32, cfloat>;
template <typename T>
inline constexpr bool is_bfloat16 = false;
template <typename T>
inline constexpr bool is_cbfloat16 = false;
template <typename T>
inline constexpr bool is_nibble = false;
#else
template <typename T>
inline constexpr bool is_element =
    is_one_of<T, int4, uint4, int8, uint8, int16, uint16, int32, uint32, float, bfloat16, cint16, cint32, cfloat,
              cbfloat16>;
template <typename T>
inline constexpr bool is_bfloat16 = std::is_same_v<T, bfloat16>;
template <typename T>
inline constexpr bool is_cbfloat16 = std::is_same_v<T, cbfloat16>;
template <typename T>
inline constexpr bool is_nibble = is_one_of<T, int4, uint4>;
#endif

template <typename T>
inline constexpr bool is_complex = is_one_of<T, cint16, cint32, cfloat> || is_cbfloat16<T>;
template <typename T>
inline constexpr bool is_float = is_one_of<T, float, cfloat> || is_bfloat16<T> || is_cbfloat16<T>;
/// Made of bfloat16.
template <typename T>
inline constexpr bool is_brain = is_bfloat16<T> || is_cbfloat16<T>;
template <typename T>
inline constexpr bool is_integer = is_element<T> && !is_float<T> && !is_complex<T>;
template <typename T>
inline constexpr bool is_signed_element =
    is_one_of<T, int8, int16, int32, cint16, cint32, float, cfloat> || is_brain<T>
#if __AIE_ARCH__ != 10
    || is_one_of<T, int4>
#endif
    ;
/// Bits of one element in memory.
template <typename T>
inline constexpr unsigned element_bits = is_nibble<T> ? 4 : 8 * sizeof(T);
/// Bits of one real number of an element.
template <typename T>
inline constexpr unsigned number_bits = is_complex<T> ? element_bits<T> / 2 : element_bits<T>;

constexpr bool is_power_of_two(unsigned n) { return n != 0 && (n & (n - 1)) == 0; }

/// AIE's vectors end at 1024 bits; on AIE-ML larger ones are kept in several registers.
template <typename T, unsigned N>
inline constexpr bool is_vector_size =
    is_power_of_two(N) && N * element_bits<T> >= 128 && (!kFirst || N * element_bits<T> <= 1024);

/// Alignment that a vector access of `bits` needs, in bytes.
constexpr std::size_t access_alignment(unsigned bits) { return bits <= 128 ? 16 : kAlignment; }

// -- accumulators ----------------------------------------------------------------------------------------------

/// A tag's least width in bits and kind; width 0 is no accumulator tag.
struct TagInfo {
  unsigned bits = 0;
  bool is_float = false;
  bool is_complex = false;
};
template <typename Tag>
inline constexpr TagInfo tag_info{};
template <>
inline constexpr TagInfo tag_info<acc32>{32, false, false};
template <>
inline constexpr TagInfo tag_info<acc40>{40, false, false};
template <>
inline constexpr TagInfo tag_info<acc48>{48, false, false};
template <>
inline constexpr TagInfo tag_info<acc56>{56, false, false};
template <>
inline constexpr TagInfo tag_info<acc64>{64, false, false};
template <>
inline constexpr TagInfo tag_info<acc72>{72, false, false};
template <>
inline constexpr TagInfo tag_info<acc80>{80, false, false};
template <>
inline constexpr TagInfo tag_info<accfloat>{32, true, false};
template <>
inline constexpr TagInfo tag_info<cacc32>{32, false, true};
template <>
inline constexpr TagInfo tag_info<cacc40>{40, false, true};
template <>
inline constexpr TagInfo tag_info<cacc48>{48, false, true};
template <>
inline constexpr TagInfo tag_info<cacc56>{56, false, true};
template <>
inline constexpr TagInfo tag_info<cacc64>{64, false, true};
template <>
inline constexpr TagInfo tag_info<cacc72>{72, false, true};
template <>
inline constexpr TagInfo tag_info<cacc80>{80, false, true};
template <>
inline constexpr TagInfo tag_info<caccfloat>{32, true, true};

template <typename Tag>
inline constexpr bool is_tag = tag_info<Tag>.bits != 0;
/// No accumulator is wider than those of wide sums: 80 bits on AIE, 64 on AIE-ML.
template <typename Tag>
inline constexpr bool is_legal_tag = is_tag<Tag> && tag_info<Tag>.bits <= kWideBits;

/// Bits of the hardware's least accumulator of integers that holds `bits`.
consteval unsigned accumulator_bits(unsigned bits, bool complex) {
  return bits <= kNarrowBits && (kNarrowComplex || !complex) ? kNarrowBits : kWideBits;
}

/// Bits that the hardware's accumulator has for a tag.
template <typename Tag>
inline constexpr unsigned native_bits =
    tag_info<Tag>.is_float ? 32 : accumulator_bits(tag_info<Tag>.bits, tag_info<Tag>.is_complex);

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/// A complex lane of an accumulator.
template <typename S>
struct ComplexLane {
  S real;
  S imag;
};

/// What an accumulator lane is kept in: the next wider number; the excess bits are dropped when it is read.
template <typename Tag>
using real_lane =
    std::conditional_t<tag_info<Tag>.is_float, float,
                       std::conditional_t<native_bits<Tag> == 32, std::int32_t,
                                          std::conditional_t<native_bits<Tag> == 80, int128, std::int64_t>>>;
template <typename Tag>
using lane_type = std::conditional_t<tag_info<Tag>.is_complex, ComplexLane<real_lane<Tag>>, real_lane<Tag>>;

/// Bits of one accumulator lane in the hardware's registers.
template <typename Tag>
inline constexpr unsigned lane_bits = native_bits<Tag> * (tag_info<Tag>.is_complex ? 2 : 1);

template <typename Tag, unsigned N>
consteval bool legal_accum_size() {
  constexpr unsigned width = native_bits<Tag>;
  unsigned least = tag_info<Tag>.is_float ? 4 : width <= 48 ? 8 : 4;
  unsigned most = tag_info<Tag>.is_float ? kFloatSumLanes : width <= 48 ? 128 : 64;
  if (tag_info<Tag>.is_complex) {
    least /= 2;
    most /= 2;
  }
  return is_power_of_two(N) && N >= least && N <= most;
}

/// Lanes where a type alone is named.
template <typename T>
inline constexpr unsigned kNativeLanes = [] {
  if constexpr (is_tag<T>) {
    return 8U;
  } else {
    return 512U / element_bits<T>;  // on both architectures: AMD's perf_profile tutorial broadcasts 16 lanes of int32
  }
}();

template <unsigned Bits, bool Complex, bool Float>
struct tag_of_bits;
#define AIELOOM_TAG(BITS)                  \
  template <>                              \
  struct tag_of_bits<BITS, false, false> { \
    using type = acc##BITS;                \
  };                                       \
  template <>                              \
  struct tag_of_bits<BITS, true, false> {  \
    using type = cacc##BITS;               \
  };
AIELOOM_TAG(32)
AIELOOM_TAG(48)
AIELOOM_TAG(64)
AIELOOM_TAG(80)
#undef AIELOOM_TAG
template <unsigned Bits>
struct tag_of_bits<Bits, false, true> {
  using type = accfloat;
};
template <unsigned Bits>
struct tag_of_bits<Bits, true, true> {
  using type = caccfloat;
};

/// Whether elements of A and B can be multiplied: both integers, both float, or both of bfloat16.
template <typename A, typename B>
inline constexpr bool can_multiply =
    is_element<A> && is_element<B> && is_float<A> == is_float<B> && is_brain<A> == is_brain<B>;

/// AMD's tags say what a product needs, also where AIE's registers are wider: acc32 of 16x16 bits lies in 48.
template <typename A, typename B>
consteval unsigned default_bits() {
  constexpr unsigned bits = number_bits<A> + number_bits<B>;
  constexpr bool both = is_complex<A> && is_complex<B>;  // two products in each part
  return kFirst ? (bits <= 32 && !both ? 32 : bits <= 48 ? 48 : 64) : accumulator_bits(bits, is_complex<A> || is_complex<B>);
}

/// The accumulator of a product when AccumTag is left at accauto.
template <typename A, typename B>
using default_tag =
    typename tag_of_bits<default_bits<A, B>(), is_complex<A> || is_complex<B>, is_float<A> || is_float<B>>::type;

}  // namespace detail

/// Let the operands' types choose the accumulator.
using ::accauto;

namespace detail {
template <typename Tag, typename A, typename B>
struct resolve_tag {
  static_assert(is_tag<Tag>, "this is no accumulator tag: use acc32 ... acc80, accfloat, or cacc32 ... caccfloat");
  static constexpr TagInfo want = tag_info<Tag>;
  static constexpr bool complex = is_complex<A> || is_complex<B>;
  static_assert(want.is_float == is_float<A>,
                "the accumulator's tag must be of the operands' kind: accfloat for floating point");
  // acc48 asked of a complex product means its complex sibling, as the vendor's resolution does; else the tag is kept,
  // so that what mul<acc48> gives is added to an accum<acc48>, also where the hardware has wider registers
  using type = std::conditional_t<want.is_complex == complex, Tag,
                                  typename tag_of_bits<native_bits<Tag>, complex, want.is_float>::type>;
};
template <typename A, typename B>
struct resolve_tag<accauto, A, B> {
  using type = default_tag<A, B>;
};
template <typename Tag, typename A, typename B>
using resolved_tag = typename resolve_tag<Tag, A, B>::type;
}  // namespace detail

/// Alignment that suits every vector access: alignas(aie::vector_decl_align) for arrays.
inline constexpr unsigned vector_decl_align = detail::kAlignment;
inline constexpr unsigned vector_ldst_align = vector_decl_align;
/// Alignment that an access of N elements needs, in bytes.
template <typename T, unsigned N>
inline constexpr unsigned vector_ldst_align_v = detail::access_alignment(N * detail::element_bits<T>);

}  // namespace aie
