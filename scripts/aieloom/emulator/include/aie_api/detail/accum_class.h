// aie::detail::accum<Class, Bits, Lanes>: accumulators by their kind and width, as libraries on the AIE API spell them.
//
// AMD's DSP library (Vitis_Libraries, dsp/L1) names these of aie::detail, which AMD publishes in Xilinx/aie_api.
// Included last: inside aie::detail `accum` then means this one.
#pragma once

#include "aie_api/detail/accum.h"

namespace aie::detail {

enum class AccumClass { Int, CInt, FP, CFP };

template <AccumClass Class, unsigned Bits>
consteval auto tag_of_class() {
  if constexpr (Class == AccumClass::FP) {
    return std::type_identity<accfloat>{};
  } else if constexpr (Class == AccumClass::CFP) {
    return std::type_identity<caccfloat>{};
  } else if constexpr (Class == AccumClass::Int) {
    static_assert(Bits <= 80, "aie::detail::accum: the widest sums have 80 bits");
    return std::type_identity<std::conditional_t<
        Bits <= 32, acc32, std::conditional_t<Bits <= 48, acc48, std::conditional_t<Bits <= 64, acc64, acc80>>>>{};
  } else {
    static_assert(Bits <= 80, "aie::detail::accum: the widest sums have 80 bits");
    return std::type_identity<std::conditional_t<
        Bits <= 32, cacc32, std::conditional_t<Bits <= 48, cacc48, std::conditional_t<Bits <= 64, cacc64, cacc80>>>>{};
  }
}

template <AccumClass Class, unsigned Bits, unsigned Lanes>
using accum = ::aie::accum<typename decltype(tag_of_class<Class, Bits>())::type, Lanes>;

/// The real and the imaginary lanes of complex sums apart, and together again.
template <typename Tag, unsigned N>
  requires(tag_info<Tag>.is_complex && !tag_info<Tag>.is_float)
[[nodiscard]] inline auto unzip_complex(const ::aie::accum<Tag, N>& sums) {
  using Part = accum<AccumClass::Int, native_bits<Tag>, N>;
  std::pair<Part, Part> parts;
  for (unsigned i = 0; i < N; ++i) {
    parts.first.lanes_[i] = sums.at(i).real;
    parts.second.lanes_[i] = sums.at(i).imag;
  }
  return parts;
}
template <typename Tag, unsigned N>
  requires(!tag_info<Tag>.is_complex && !tag_info<Tag>.is_float)
[[nodiscard]] inline auto combine_into_complex(const ::aie::accum<Tag, N>& real, const ::aie::accum<Tag, N>& imag) {
  accum<AccumClass::CInt, native_bits<Tag>, N> sums;
  for (unsigned i = 0; i < N; ++i) {
    sums.lanes_[i].real = real.at(i);
    sums.lanes_[i].imag = imag.at(i);
  }
  return sums;
}

}  // namespace aie::detail
