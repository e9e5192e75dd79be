// What the array's compiler knows without a header, declared for clang: keywords, memory resources, scalar types, traits that
// stubs.py's intrinsics ask for their types. Nothing here is ever run: kernels are checked, not compiled to code.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#define chess_prepare_for_pipelining
#define chess_flatten_loop
#define chess_protect_access
#define chess_keep_in_registers
#define chess_no_hw_loop
#define chess_storage(...)
#define chess_loop_range(...)
#define chess_unroll_loop(...)
#define chess_separator(...)
#define chess_separator_scheduler(...)
#define chess_separator_scheduler_local(...)
#define chess_alloc_hint(...)
#define chess_allocate(...)
#define chess_modulo_scheduling_budget_ratio(...)
#define chess_error(...)
#define chess_warning(...)
#define chess_copy(x) (x)
#define chess_dont_care(T) T()
#define chess_const(x) __builtin_constant_p(x)
#define chess_const_cond(x) __builtin_constant_p(x)
#define chess_manifest(x) __builtin_constant_p(x)
#define property(...)
#define AIE_VECTOR_LDST_ALIGN 32
#define __AIE_MODEL_VERSION__ STUB_MODEL
#define __aie_dm_resource_a
#define __aie_dm_resource_b
#define __aie_dm_resource_c
#define __aie_dm_resource_d
#define __aie_dm_resource_ab
#define __aie_dm_resource_ac
#define __aie_dm_resource_ad
#define __aie_dm_resource_bc
#define __aie_dm_resource_bd
#define __aie_dm_resource_cd
#define __aie_dm_resource_stack

using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using addr_t = unsigned;
using umod_t = unsigned;
struct cint16 {
  short real, imag;
};
struct cint32 {
  int real, imag;
};
struct cfloat {
  float real, imag;
};
#if __AIE_ARCH__ == 20
struct bfloat16 {
  unsigned short bits;
  bfloat16() = default;
  constexpr bfloat16(float) : bits(0) {}
  constexpr operator float() const { return 0; }
};
struct cbfloat16 {
  bfloat16 real, imag;
};
struct int4_t {
  int4_t() = default;
  constexpr int4_t(int) {}
  constexpr operator int() const { return 0; }
};
#endif
struct uint4_t {
  uint4_t() = default;
  constexpr uint4_t(int) {}
  constexpr operator int() const { return 0; }
};
template <class T>
struct chess_storage_t {};

enum class aie_dm_resource { none, a, b, c, d, ab, ac, ad, bc, bd, cd, stack };
enum class aie_stream_resource_in { none, a, b };
enum class aie_stream_resource_out { none, a, b };
template <class T>
using aie_dm_resource_remove_t = T;
template <class T>
constexpr aie_dm_resource aie_dm_resource_get_v = aie_dm_resource::none;
template <class T, aie_dm_resource R>
using aie_dm_resource_set_t = T;

namespace stub {

/// What an intrinsic gives whose type the headers do not tell.
struct unknown {
  template <class T>
  constexpr operator T() const;
  template <class T>
  constexpr unknown& operator=(T&&) {
    return *this;
  }
};

/// The lanes of the compiler's own vectors and of the API's, 0 of anything else.
template <class T>
constexpr unsigned lanes() {
  using U = std::remove_cvref_t<T>;
  if constexpr (requires { U::stub_lanes; }) {
    return U::stub_lanes;
  } else if constexpr (requires { { U::size() } -> std::convertible_to<unsigned>; }) {
    return U::size();
  } else {
    return 0;
  }
}

template <class T>
constexpr unsigned native_bytes() {
  using U = std::remove_cvref_t<T>;
  if constexpr (requires { U::stub_lanes; }) {
    return sizeof(U);
  } else {
    return 0;
  }
}

/// So many lanes of some type.
template <unsigned N>
struct some {
  template <class T>
    requires(lanes<T>() == N)
  constexpr operator T() const;
};

/// Tells whether a type may stand where an intrinsic takes so many lanes: what is unknown may.
template <class T, unsigned N>
concept has = lanes<T>() == N || std::is_same_v<std::remove_cvref_t<T>, unknown>;

/// The same for operands, which come in whole registers.
template <class T, unsigned N>
concept covers = lanes<T>() >= N || std::is_same_v<std::remove_cvref_t<T>, unknown>;

template <class V, class Part>
concept part = native_bytes<Part>() == 0 || native_bytes<V>() == 0 || native_bytes<Part>() < native_bytes<V>();

}  // namespace stub

template <class T>
T* cyclic_add(T*, long, T*, unsigned);
cint16 sincos(int);
inline cint16 sincos(unsigned angle) { return sincos(static_cast<int>(angle)); }
cfloat sincos(float);
