// aie::mmul: the product of two small matrices, accumulated [aie_api reference, Matrix Multiplication].
#pragma once

#include "aie_api/detail/accum.h"
#include "aie_api/detail/mmul_modes.h"
#include "aie_api/detail/operand.h"
#include "aie_api/detail/sparse.h"

namespace aie {

namespace detail {

/// An element ready for multiplication: bfloat16 as float, 4 bits as a byte, the rest as it is.
template <typename T>
constexpr auto factor(T x) {
  if constexpr (is_nibble<T>) {
    return static_cast<std::int8_t>(static_cast<int>(x));
  } else {
    return plain(x);
  }
}
template <typename T>
using factor_t = decltype(factor(std::declval<T>()));

/// The lanes as factors; plain elements are used in place.
template <typename T, unsigned N>
struct Factors {
  explicit Factors(const vector<T, N>& v) {
    for (unsigned i = 0; i < N; ++i) {
      at[i] = factor(v.lanes_.get(i));
    }
  }
  factor_t<T> at[N];
};
template <typename T, unsigned N>
  requires(!is_nibble<T> && !is_bfloat16<T>)
struct Factors<T, N> {
  explicit Factors(const vector<T, N>& v) : at(v.lanes_.at) {}
  const T (&at)[N];
};

/// The type a row of products is summed in before it goes to the accumulator; sums of K products cannot overflow it,
/// or wrap as the accumulator does.
template <typename S, typename A, typename B, unsigned K>
using partial_t = std::conditional_t<
    std::is_same_v<S, float>, float,
    std::conditional_t<sizeof(A) + sizeof(B) <= 2 || (sizeof(A) + sizeof(B) == 3 && K <= 64), std::int32_t, S>>;

/// c[i][j] += sum over k of a[i][k] * b[k][j]. Floats round product and sum apart, k in order (AM009: no fused unit).
template <unsigned M, unsigned K, unsigned N, typename S, typename A, typename B>
[[gnu::always_inline]] inline void multiply_tile(const A (&a)[M * K], const B (&b)[K * N], S (&c)[M * N]) {
  if constexpr (std::is_same_v<S, float>) {
    for (unsigned k = 0; k < K; ++k) {
      for (unsigned i = 0; i < M; ++i) {
        for (unsigned j = 0; j < N; ++j) {
          c[i * N + j] += a[i * K + k] * b[k * N + j];
        }
      }
    }
  } else {
    using P = partial_t<S, A, B, K>;
    P sum[M * N] = {};
    P wide_a[M * K];
    P wide_b[K * N];
    for (unsigned i = 0; i < M * K; ++i) {
      wide_a[i] = static_cast<P>(a[i]);
    }
    for (unsigned i = 0; i < K * N; ++i) {
      wide_b[i] = static_cast<P>(b[i]);
    }
    for (unsigned k = 0; k < K; ++k) {
      for (unsigned i = 0; i < M; ++i) {
        for (unsigned j = 0; j < N; ++j) {
          sum[i * N + j] = lane_add(sum[i * N + j], lane_mul(wide_a[i * K + k], wide_b[k * N + j]));
        }
      }
    }
    for (unsigned i = 0; i < M * N; ++i) {
      c[i] = lane_add(c[i], static_cast<S>(sum[i]));
    }
  }
}

/// Checks of one aie::mmul; its errors come before those of the types it would be made of.
template <unsigned M, unsigned K, unsigned N, typename TA, typename TB, typename Tag>
struct MmulTraits {
  static_assert(is_element<TA> && is_element<TB>,
                "aie::mmul: the architecture has no vectors of these element types [aie-mmul]");
  using Modes = MmulModes<kind<TA>(), kind<TB>()>;
  static constexpr bool is_complex_product = is_complex<TA> || is_complex<TB>;
  static_assert(Modes::exists,
                "aie::mmul: this architecture cannot multiply matrices of these element types [aie-mmul]; AIE: 8x8 "
                "16x8 8x16 16x16 "
                "32x16 16x32 32x32 bits, float x float, and the same with complex elements; AIE-ML: also 8x4 bits and "
                "bfloat16 x bfloat16, of complex ones c16xc16 c16x16 c32xc16 c32xc32 bits and cbfloat16");
  using Sparse = SparseModes<kind<TA>(), kind<TB>()>;
  static constexpr bool only_sparse = [] {  // a shape that only a sparse B has
    if constexpr (Modes::exists) {
      return Modes::template shape<M, K, N>.m == 0 && Sparse::template shape<M, K, N>.m != 0;
    } else {
      return false;
    }
  }();
  static constexpr Shape shape = [] {
    if constexpr (only_sparse) {
      return Sparse::template shape<M, K, N>;
    } else if constexpr (Modes::exists) {
      Modes::template check<M, K, N>();
      return Modes::template shape<M, K, N>;
    } else {
      return Shape{};
    }
  }();
  static constexpr unsigned bits = shape.m == 0 ? 48 : mmul_bits<Tag>(shape);
  static_assert(bits != 0,
                "aie::mmul: this shape has no accumulator of that width [aie-mmul]; leave AccumTag at accauto (AIE: 8- "
                "and 16-bit "
                "elements acc48, 32x32 acc80; AIE-ML: see the shape's row in the reference)");
  static constexpr unsigned legal_bits = bits != 0 ? bits : shape.bits;
  using tag = typename tag_of_bits<is_float<TA> ? 32 : accumulator_bits(legal_bits, false),
                                   is_complex_product, is_float<TA>>::type;
};

}  // namespace detail

/// C (M x N) = A (M x K) * B (K x N), all row-major in one vector each.
template <unsigned M_, unsigned K_, unsigned N_, typename TA, typename TB = TA, typename AccumTag = accauto>
class mmul {
  using Traits = detail::MmulTraits<M_, K_, N_, TA, TB, AccumTag>;

 public:
  static constexpr unsigned M = M_;
  static constexpr unsigned K = K_;
  static constexpr unsigned N = N_;
  static constexpr unsigned size_A = M * K;
  static constexpr unsigned size_B = K * N;
  static constexpr unsigned size_C = M * N;

  using vector_A_type = vector<TA, size_A>;
  using vector_B_type = vector<TB, size_B>;
  using accum_tag = typename Traits::tag;
  using accum_type = accum<accum_tag, size_C>;

  /// Sums are zero on AIE-ML; on AIE they are undefined until mul() [aie_api reference].
  mmul() {
    if constexpr (detail::kFirst && detail::kSanitize) {
      defined_ = false;
    }
    if constexpr (!(detail::kFirst && detail::kSanitize)) {
      __builtin_memset(&acc_.lanes_, 0, sizeof acc_.lanes_);
    }
  }
  mmul(const accum_type& acc) : acc_(acc) {}
  template <typename T>
  explicit mmul(const vector<T, size_C>& v, int shift = 0) : acc_(v, shift) {}
  template <typename T>
  mmul& operator=(const vector<T, size_C>& v) {
    acc_ = accum_type(v);
    defined_ = true;
    return *this;
  }

  /// Sums = A * B.
  template <typename A, typename B>
  void mul(const A& a, const B& b) {
    __builtin_memset(&acc_.lanes_, 0, sizeof acc_.lanes_);
    defined_ = true;
    mac(a, b);
  }

  /// Sums += A * B.
  template <typename A, typename B>
  void mac(const A& a, const B& b) {
    if constexpr (detail::kFirst && detail::kSanitize) {
      if (!defined_) {
        aieloom::refuse("aie-mmul-undefined",
                        "aie::mmul: mac() before mul() on AIE, where a new object's sums are undefined",
                        "start with mul(), or construct the object from an accumulator or vector");
      }
    }
    if constexpr (detail::is_sparse<B>) {
      static_assert(std::is_same_v<B, sparse_vector<TB, size_B>>,
                    "aie::mmul: the sparse B has another type or size than the product");
      Traits::Sparse::template check<M, K, N>();
      aieloom::count_mac(Traits::Sparse::template shape<M, K, N>.issue, M * K * N / 2);
      run_columns(detail::operand_vector<TA, size_A>(a), b.whole());
    } else {
      if constexpr (Traits::only_sparse) {
        Traits::Modes::template check<M, K, N>();
      }
      aieloom::count_mac(Traits::shape.issue, M * K * N);
      run(detail::operand_vector<TA, size_A>(a), detail::operand_vector<TB, size_B>(b));
    }
  }

  [[nodiscard]] accum_type to_accum() const { return acc_; }
  operator accum_type() const { return acc_; }
  template <typename T>
  [[nodiscard]] vector<T, size_C> to_vector(int shift = 0) const {
    return acc_.template to_vector<T>(shift);
  }
  template <typename T>
  [[nodiscard]] vector<T, size_C> to_vector_sign(bool is_signed, int shift = 0) const {
    return acc_.template to_vector_sign<T>(is_signed, shift);
  }

 private:
  [[gnu::always_inline]] void run(const vector_A_type& a, const vector_B_type& b) {
    if constexpr (Traits::is_complex_product) {
      using L = detail::lane_type<accum_tag>;
      for (unsigned k = 0; k < K; ++k) {
        for (unsigned i = 0; i < M; ++i) {
          for (unsigned j = 0; j < N; ++j) {
            L& sum = acc_.lanes_[i * N + j];
            sum = detail::lane_add(sum, detail::product<L>(a.lanes_.get(i * K + k), b.lanes_.get(k * N + j)));
          }
        }
      }
    } else {
      const detail::Factors<TA, size_A> fa(a);
      const detail::Factors<TB, size_B> fb(b);
      detail::multiply_tile<M, K, N>(fa.at, fb.at, acc_.lanes_);
    }
  }

  /// B column by column, as sparse matrices are stored.
  void run_columns(const vector_A_type& a, const vector_B_type& b) {
    vector_B_type rows;
    for (unsigned k = 0; k < K; ++k) {
      for (unsigned n = 0; n < N; ++n) {
        rows.lanes_.set(k * N + n, b.lanes_.get(n * K + k));
      }
    }
    run(a, rows);
  }

  accum_type acc_;
  bool defined_ = true;
};

}  // namespace aie
