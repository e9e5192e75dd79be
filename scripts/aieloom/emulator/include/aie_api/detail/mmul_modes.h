// The legal shapes of aie::mmul: the tables of traits.h, found by element types.
#pragma once

#include "aie_api/detail/config.h"

namespace aie::detail {

/// Element types as the tables group them: signedness does not matter. Floating point is 100 more, complex 1000.
template <typename T>
consteval unsigned kind() {
  return number_bits<T> + (is_float<T> ? 100 : 0) + (is_complex<T> ? 1000 : 0);
}

/// One row of the tables: a pair of element kinds, its shapes, and the refusal that names them.
template <unsigned KindA, unsigned KindB>
struct MmulModes {
  static constexpr bool exists = false;
};

template <unsigned Count>
constexpr Shape find_shape(const Shape (&table)[Count], unsigned m, unsigned k, unsigned n) {
  for (unsigned i = 0; i < Count; ++i) {
    if (table[i].m == m && table[i].k == k && table[i].n == n) {
      return table[i];
    }
  }
  return {};
}

#define AIELOOM_MODES(A, B, LIST)                                                                                   \
  template <>                                                                                                       \
  struct MmulModes<A, B> {                                                                                          \
    static constexpr bool exists = true;                                                                            \
    template <unsigned M, unsigned K, unsigned N>                                                                   \
    static constexpr Shape shape = find_shape(kMmul_##A##_##B, M, K, N);                                            \
    template <unsigned M, unsigned K, unsigned N>                                                                   \
    static constexpr void check() {                                                                                 \
      static_assert(shape<M, K, N>.m != 0,                                                                          \
                    "aie::mmul: this architecture has no such shape for elements of these types [aie-mmul]; legal " \
                    "MxKxN: " LIST);                                                                                \
    }                                                                                                               \
  };
AIELOOM_PAIRS(AIELOOM_MODES)
#undef AIELOOM_MODES
#undef AIELOOM_PAIRS

/// The same for products with a sparse B.
template <unsigned KindA, unsigned KindB>
struct SparseModes {
  template <unsigned M, unsigned K, unsigned N>
  static constexpr Shape shape = Shape{};
  template <unsigned M, unsigned K, unsigned N>
  static constexpr void check() {
    static_assert(M == 0, "aie::mmul: no products with a sparse B of elements of these types [aie-mmul]");
  }
};
#define AIELOOM_SPARSE_MODES(A, B, LIST)                                                                               \
  template <>                                                                                                          \
  struct SparseModes<A, B> {                                                                                           \
    template <unsigned M, unsigned K, unsigned N>                                                                      \
    static constexpr Shape shape = find_shape(kSparse_##A##_##B, M, K, N);                                             \
    template <unsigned M, unsigned K, unsigned N>                                                                      \
    static constexpr void check() {                                                                                    \
      static_assert(shape<M, K, N>.m != 0,                                                                             \
                    "aie::mmul: no such shape with a sparse B of elements of these types [aie-mmul]; legal MxKxN: " LIST); \
    }                                                                                                                  \
  };
AIELOOM_SPARSE_PAIRS(AIELOOM_SPARSE_MODES)
#undef AIELOOM_SPARSE_MODES
#undef AIELOOM_SPARSE_PAIRS

/// The accumulator of a shape: what it gets with accauto, and whether a given tag is allowed.
template <typename Tag>
constexpr unsigned mmul_bits(const Shape& shape) {
  if constexpr (std::is_same_v<Tag, accauto>) {
    return shape.bits == 4880 ? 48 : shape.bits;
  } else {
    constexpr unsigned asked = native_bits<Tag>;
    if (shape.bits == 4880 || asked == shape.bits) {
      return asked;
    }
    // AIE-ML gives acc64 to shapes that have only that, also when acc32 is asked; the other way round fails
    return !kFirst && asked == 32 && shape.bits == 64 ? 64 : 0;
  }
}

}  // namespace aie::detail
