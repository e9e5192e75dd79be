// Loads and stores of vectors [aie_api reference, Memory; facts (b): an unaligned access is undefined, so it is
// refused].
#pragma once

#include "aie_api/detail/vector.h"

namespace aie {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_alignment(const void* p, std::size_t need, const char* what) {
  char text[160];
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  __builtin_snprintf(text, sizeof text,
                     "%s: the address must be a multiple of %u bytes on %s, this one is %u beyond one", what,
                     static_cast<unsigned>(need), kArchitecture, static_cast<unsigned>(at % need));
  aieloom::refuse("aie-align", text,
                  "declare the array alignas(aie::vector_decl_align) and step by whole vectors, or use "
                  "load_unaligned_v / store_unaligned_v");
}

inline void check_alignment(const void* p, std::size_t need, const char* what) {
  if ((reinterpret_cast<std::uintptr_t>(p) & (need - 1)) != 0) [[unlikely]] {
    refuse_alignment(p, need, what);
  }
}

/// Element type that memory at a pointer to P holds.
template <typename P>
using pointee = std::remove_cv_t<P>;

/// Lanes where none are named: 512 bits on both architectures (a vector of 32 int16 = aie::load_v(p) on AIE: AMD's threshold
/// of Vitis Vision).
template <typename T>
inline constexpr unsigned kDefaultLanes = 512U / element_bits<T>;

/// 16 or 32 bytes that move in one piece.
template <std::size_t Bytes>
struct Piece {
  static constexpr std::size_t size = Bytes < 32 ? 16 : 32;
  typedef char type __attribute__((vector_size(size), aligned(1), may_alias));
};

/// Copy lanes without any check. Not memcpy: GCC keeps the lanes in registers after a copy by elements, but turns one
/// by bytes into memcpy, so bytes move in pieces (measured: 1.6 to 22 times the speed of memcpy).
template <std::size_t Bytes, typename E>
inline void copy_lanes(E* to, const E* from) {
  if constexpr (sizeof(E) == 1) {
    using P = Piece<Bytes>;
    for (std::size_t i = 0; i < Bytes; i += P::size) {
      *reinterpret_cast<typename P::type*>(to + i) = *reinterpret_cast<const typename P::type*>(from + i);
    }
  } else {
    for (std::size_t i = 0; i < Bytes / sizeof(E); ++i) {
      to[i] = from[i];
    }
  }
}

/// Copy from memory without any check: the caller has made it.
template <unsigned N, typename T>
[[nodiscard]] inline vector<T, N> read_lanes(const void* p) {
  vector<T, N> v{Uninitialised{}};
  using E = std::remove_cvref_t<decltype(v.lanes_.at[0])>;
  copy_lanes<sizeof v.lanes_>(v.lanes_.at, static_cast<const E*>(p));
  return v;
}
/// Copy to memory without any check.
template <typename T, unsigned N>
inline void write_lanes(void* p, const vector<T, N>& v) {
  using E = std::remove_cvref_t<decltype(v.lanes_.at[0])>;
  copy_lanes<sizeof v.lanes_>(static_cast<E*>(p), v.lanes_.at);
}

/// `n` elements further; elements of 4 bits lie two in a byte.
template <typename P>
constexpr P* advance(P* p, std::ptrdiff_t n) {
  if constexpr (is_nibble<pointee<P>>) {
    return p + n / 2;
  } else {
    return p + n;
  }
}

template <unsigned N, typename T>
inline void check_unaligned(const void* p, unsigned aligned_elems, const char* what) {
  if (!is_power_of_two(aligned_elems) || aligned_elems > N) [[unlikely]] {
    aieloom::refuse(
        "aie-align",
        "load_unaligned_v and store_unaligned_v: aligned_elems must be a power of two up to the vector's size",
        "give the number of elements the address is a multiple of");
  }
  const unsigned bytes = aligned_elems * element_bits<T> / 8;
  check_alignment(p, bytes == 0 ? 1 : bytes, what);
}

/// Accesses of 256 bits, the width of a load or store unit [AM009, AM020]; one that is not aligned touches one more.
template <unsigned N, typename T>
inline constexpr unsigned memory_words = (N * element_bits<T> + 255) / 256;

}  // namespace detail

/// N consecutive elements from an aligned address.
template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename P>
[[nodiscard]] inline auto load_v(const P* __restrict p) {
  using T = detail::pointee<P>;
  detail::check_alignment(p, detail::access_alignment(N * detail::element_bits<T>), "aie::load_v");
  aieloom::count_load(detail::memory_words<N, T>);
  return detail::read_lanes<N, T>(p);
}
template <aie_dm_resource Resource = aie_dm_resource::none, typename P>
[[nodiscard]] inline auto load_v(const P* p) {
  return load_v<detail::kDefaultLanes<detail::pointee<P>>>(p);
}

/// N consecutive elements from an address that is a multiple of `aligned_elems` elements.
template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename P>
[[nodiscard]] inline auto load_unaligned_v(const P* p, unsigned aligned_elems = 1) {
  using T = detail::pointee<P>;
  detail::check_unaligned<N, T>(p, aligned_elems, "aie::load_unaligned_v");
  aieloom::count_load(detail::memory_words<N, T> + 1);
  return detail::read_lanes<N, T>(p);
}
template <typename P>
[[nodiscard]] inline auto load_unaligned_v(const P* p, unsigned aligned_elems = 1) {
  return load_unaligned_v<detail::kDefaultLanes<detail::pointee<P>>>(p, aligned_elems);
}

/// N elements from the address rounded down to a multiple of `n` elements.
template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename P>
[[nodiscard]] inline auto load_floor_v(const P* p, unsigned n = N) {
  using T = detail::pointee<P>;
  const std::size_t step = n * detail::element_bits<T> / 8;
  if (!detail::is_power_of_two(n)) [[unlikely]] {
    aieloom::refuse("aie-align", "aie::load_floor_v: the number of elements must be a power of two",
                    "use a power of two");
  }
  const char* base = reinterpret_cast<const char*>(p);
  base -= reinterpret_cast<std::uintptr_t>(p) % step;
  aieloom::count_load(detail::memory_words<N, T>);
  return detail::read_lanes<N, T>(base);
}
template <unsigned N, typename P>
[[nodiscard]] inline auto load_floor_bytes_v(const P* p, unsigned bytes) {
  return load_floor_v<N>(p, bytes * 8 / detail::element_bits<detail::pointee<P>>);
}

/// Write a vector to an aligned address.
template <aie_dm_resource Resource = aie_dm_resource::none, typename T, unsigned N>
inline T* store_v(T* p, const vector<T, N>& v) {
  detail::check_alignment(p, detail::access_alignment(vector<T, N>::bits()), "aie::store_v");
  aieloom::count_store(detail::memory_words<N, T>);
  detail::write_lanes(p, v);
  return p;
}

/// Write a vector to an address that is a multiple of `aligned_elems` elements.
template <unsigned N, aie_dm_resource Resource = aie_dm_resource::none, typename T>
inline T* store_unaligned_v(T* p, const vector<T, N>& v, unsigned aligned_elems = 1) {
  detail::check_unaligned<N, T>(p, aligned_elems, "aie::store_unaligned_v");
  aieloom::count_store(detail::memory_words<N, T> + 1);
  detail::write_lanes(p, v);
  return p;
}

template <typename T, unsigned N>
template <typename P>
void vector<T, N>::load(const P* p) {
  static_assert(std::is_same_v<T, P>, "aie::vector::load: the memory holds another type");
  *this = load_v<N>(p);
}
template <typename T, unsigned N>
template <typename P>
void vector<T, N>::load_unaligned(const P* p, unsigned aligned_elems) {
  static_assert(std::is_same_v<T, P>, "aie::vector::load_unaligned: the memory holds another type");
  *this = load_unaligned_v<N>(p, aligned_elems);
}
template <typename T, unsigned N>
template <typename P>
void vector<T, N>::store(P* p) const {
  static_assert(std::is_same_v<T, P>, "aie::vector::store: the memory holds another type");
  store_v(p, *this);
}
template <typename T, unsigned N>
template <typename P>
void vector<T, N>::store_unaligned(P* p, unsigned aligned_elems) const {
  static_assert(std::is_same_v<T, P>, "aie::vector::store_unaligned: the memory holds another type");
  store_unaligned_v(p, *this, aligned_elems);
}

}  // namespace aie
