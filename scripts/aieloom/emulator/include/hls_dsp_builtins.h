// DSP blocks by name: hls::dsp48e1, dsp48e2, dsp58 and dspcplx [UG1399 DSP Intrinsics].
//
// Results have the block's own widths and wrap there. Registers are latency, which functional simulation has not, but one:
// a second register of A or B (REG_A2, REG_B2) makes a block of a cascade work on the value of the call before, as the
// systolic filter of AMD's examples needs it. Opcodes whose order of operands no public document shows are not here.
#pragma once

#include <complex>
#include <cstdint>

#include "ap_int.h"

namespace hls {

namespace dsp_detail {

// Registers as bits of a template argument.
inline constexpr std::int64_t kA1 = 1 << 0, kA2 = 1 << 1, kB1 = 1 << 2, kB2 = 1 << 3, kC = 1 << 4, kD = 1 << 5, kAD = 1 << 6, kM = 1 << 7,
                              kP = 1 << 8;

/// A register that holds the value of the call before, if there is one.
template <typename Value, bool Present>
class Delay {
 public:
  Value take(const Value& value) {
    if constexpr (Present) {
      const Value before = held_;
      held_ = value;
      return before;
    } else {
      return value;
    }
  }

 private:
  Value held_{};
};

/// The multiplier and adder of one family: inputs of A and B bits, a result of P bits.
template <int ABits, int BBits, int PBits>
struct Block {
  using a_type = ap_int<ABits>;
  using b_type = ap_int<BBits>;
  using p_type = ap_int<PBits>;
  static p_type product(const a_type& a, const b_type& b) { return a * b; }
};

/// Two blocks as a complex multiplier.
struct ComplexBlock {
  using a_type = std::complex<ap_int<18>>;
  using b_type = std::complex<ap_int<18>>;
  using p_type = std::complex<ap_int<58>>;
  static p_type product(const a_type& a, const b_type& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};

/// Sums at the result's own width.
template <int Width>
ap_int<Width> plus(const ap_int<Width>& a, const ap_int<Width>& b) {
  return a + b;
}
template <int Width>
std::complex<ap_int<Width>> plus(const std::complex<ap_int<Width>>& a, const std::complex<ap_int<Width>>& b) {
  return {a.real() + b.real(), a.imag() + b.imag()};
}

/// What a block gives the next of a cascade.
template <typename Block>
struct Outputs {
  typename Block::a_type acout;
  typename Block::b_type bcout;
  typename Block::p_type pcout;
};

template <typename Block, std::int64_t flags>
class Cascade {
 public:
  using R_t = Outputs<Block>;
  R_t mul_add(typename Block::a_type a, typename Block::b_type b, typename Block::p_type c) {
    const auto a_now = a_.take(a);
    const auto b_now = b_.take(b);
    return {a_now, b_now, plus(Block::product(a_now, b_now), c)};
  }

 private:
  Delay<typename Block::a_type, (flags & kA2) != 0> a_;
  Delay<typename Block::b_type, (flags & kB2) != 0> b_;
};

template <typename Block>
class Accumulator {
 public:
  typename Block::p_type mul_acc(typename Block::a_type a, typename Block::b_type b, bool init) {
    return p_ = plus(Block::product(a, b), init ? typename Block::p_type{} : p_);
  }

 protected:
  typename Block::p_type p_{};
};

}  // namespace dsp_detail

#define AIELOOM_DSP_REGISTERS                                                                             \
  inline constexpr std::int64_t REG_A1 = dsp_detail::kA1, REG_A2 = dsp_detail::kA2, REG_B1 = dsp_detail::kB1, \
                                REG_B2 = dsp_detail::kB2, REG_C = dsp_detail::kC, REG_D = dsp_detail::kD,     \
                                REG_AD = dsp_detail::kAD, REG_M = dsp_detail::kM, REG_P = dsp_detail::kP;

// The pre-adder wraps at the width of A.
#define AIELOOM_DSP_FAMILY(family, a_bits, b_bits, p_bits)                                   \
  namespace family {                                                                         \
  using A_t = ap_int<a_bits>;                                                                \
  using B_t = ap_int<b_bits>;                                                                \
  using C_t = ap_int<p_bits>;                                                                \
  using D_t = ap_int<a_bits>;                                                                \
  using P_t = ap_int<p_bits>;                                                                \
  using Block = dsp_detail::Block<a_bits, b_bits, p_bits>;                                   \
  using R_t = dsp_detail::Outputs<Block>;                                                    \
  AIELOOM_DSP_REGISTERS                                                                      \
  template <std::int64_t flags = 0>                                                          \
  C_t mul_add(A_t a, B_t b, C_t c) {                                                         \
    return Block::product(a, b) + c;                                                         \
  }                                                                                          \
  template <std::int64_t flags = 0>                                                          \
  C_t mul_sub(A_t a, B_t b, C_t c) {                                                         \
    return Block::product(a, b) - c;                                                         \
  }                                                                                          \
  template <std::int64_t flags = 0>                                                          \
  C_t add_mul_add(D_t d, A_t a, B_t b, C_t c) {                                              \
    return Block::product(a + d, b) + c;                                                     \
  }                                                                                          \
  template <std::int64_t flags = 0>                                                          \
  class acc : public dsp_detail::Accumulator<Block> {                                        \
   public:                                                                                   \
    C_t add_mul_acc(A_t a, D_t d, B_t b, bool init) { return this->mul_acc(a + d, b, init); } \
  };                                                                                         \
  template <std::int64_t flags = 0>                                                          \
  class cascade : public dsp_detail::Cascade<Block, flags> {};                               \
  }
AIELOOM_DSP_FAMILY(dsp48e1, 25, 18, 48)
AIELOOM_DSP_FAMILY(dsp48e2, 27, 18, 48)
AIELOOM_DSP_FAMILY(dsp58, 27, 24, 58)
#undef AIELOOM_DSP_FAMILY

namespace dspcplx {

using Block = dsp_detail::ComplexBlock;
using A_t = Block::a_type;
using B_t = Block::b_type;
using C_t = Block::p_type;
using R_t = dsp_detail::Outputs<Block>;
AIELOOM_DSP_REGISTERS
inline constexpr std::int64_t NO_PIPELINE = 0;
inline constexpr std::int64_t BALANCED_PIPELINE = REG_A1 | REG_B1;
inline constexpr std::int64_t FULL_PIPELINE = REG_A1 | REG_A2 | REG_B1 | REG_B2 | REG_AD;

template <std::int64_t flags = 0>
C_t mul(A_t a, B_t b) {
  return Block::product(a, b);
}
template <std::int64_t flags = 0>
C_t mul_add(A_t a, B_t b, C_t c) {
  return dsp_detail::plus(Block::product(a, b), c);
}
template <std::int64_t flags = 0>
class acc : public dsp_detail::Accumulator<Block> {};
template <std::int64_t flags = 0>
class cascade : public dsp_detail::Cascade<Block, flags> {};

}  // namespace dspcplx

#undef AIELOOM_DSP_REGISTERS

}  // namespace hls
