// R = alpha A B + beta C, block after block: a chain of kK multipliers and adders, one element of C a cycle.
//
//   a --> load --> block of A --.
//   b --> load --> block of B --+--> compute: along K one product after another --> store --> r
//                          c ------------------------------------------------------^
//
// II=1. Cost: kK multipliers and adders, each of DSP slices or of LUTs as the chain says; blocks of A and B in a bank for each kTogether places of K, and
// kM x kN sums.
#pragma once

#include <hls_stream.h>

#include <cstdint>

namespace aieloom {
namespace pl {
namespace product {

/// What an operator is made of. A pragma takes no type: each has a function that has it.
struct Dsp {};
struct Fabric {};

/// Multipliers and adders from kBegin to kEnd along K, and what they are made of; a chain has all.
template <int kBegin, int kEnd, class Adds, class Multiplies>
struct Range {};
template <class... Ranges>
struct Chain {};

/// Whether a chain has each place of K once, from kAt on.
template <int kAt>
constexpr bool covers(int k, Chain<>) {
  return kAt == k;
}
template <int kAt, int kBegin, int kEnd, class Adds, class Multiplies, class... Others>
constexpr bool covers(int k, Chain<Range<kBegin, kEnd, Adds, Multiplies>, Others...>) {
  return kBegin == kAt && kBegin < kEnd && covers<kEnd>(k, Chain<Others...>());
}

/// What an engine of float32 computes with: elements in device memory and in blocks, products, sums; alpha, beta and elements of C and R.
struct FloatProducts {
  using Memory = float;
  using Element = float;
  using Product = float;
  using Sum = float;
  using Scalar = float;
  static constexpr int kTogether = 1;  // elements of a 32-bit word of a bank
  static Product multiplied(Element a, Element b, Dsp) {
#pragma HLS inline
    Product product;
#pragma HLS bind_op variable=product op=fmul impl=maxdsp
    product = a * b;
    return product;
  }
  static Product multiplied(Element a, Element b, Fabric) {
#pragma HLS inline
    Product product;
#pragma HLS bind_op variable=product op=fmul impl=fabric
    product = a * b;
    return product;
  }
  static Sum added(Sum sum, Product product, Dsp) {
#pragma HLS inline
    Sum next;
#pragma HLS bind_op variable=next op=fadd impl=fulldsp
    next = sum + product;
    return next;
  }
  static Sum added(Sum sum, Product product, Fabric) {
#pragma HLS inline
    Sum next;
#pragma HLS bind_op variable=next op=fadd impl=fabric
    next = sum + product;
    return next;
  }
  static Scalar scaled(Scalar alpha, Sum sum) { return alpha * sum; }
  static Scalar combined(Scalar alpha, Sum sum, Scalar beta, Scalar c) { return alpha * sum + beta * c; }
};

/// And of int8, whose sums and scalars wrap around at 32 bits.
struct IntegerProducts {
  using Memory = std::int8_t;
  using Element = std::int8_t;
  using Product = std::int32_t;
  using Sum = std::int32_t;
  using Scalar = std::int32_t;
  static constexpr int kTogether = 4;
  static Product multiplied(Element a, Element b, Dsp) {
#pragma HLS inline
    Product product;
#pragma HLS bind_op variable=product op=mul impl=dsp
    product = a * b;
    return product;
  }
  static Product multiplied(Element a, Element b, Fabric) {
#pragma HLS inline
    Product product;
#pragma HLS bind_op variable=product op=mul impl=fabric
    product = a * b;
    return product;
  }
  static Sum added(Sum sum, Product product, Fabric) {
#pragma HLS inline
    Sum next;
#pragma HLS bind_op variable=next op=add impl=fabric
    next = sum + product;
    return next;
  }
  static Scalar scaled(Scalar alpha, Sum sum) { return static_cast<Scalar>(static_cast<std::uint32_t>(alpha) * static_cast<std::uint32_t>(sum)); }
  static Scalar combined(Scalar alpha, Sum sum, Scalar beta, Scalar c) {
    const std::uint32_t product = static_cast<std::uint32_t>(alpha) * static_cast<std::uint32_t>(sum);
    return static_cast<Scalar>(product + static_cast<std::uint32_t>(beta) * static_cast<std::uint32_t>(c));
  }
};

/// What follows from the traits: Values, Places (the chain), kM x kK and kK x kN of a block.
template <class T>
struct Of {
  using V = typename T::Values;
  static_assert(covers<0>(T::kK, typename T::Places()), "the chain has each place of K once");
  static constexpr int kTogether = V::kTogether;
  static constexpr int kBanks = (T::kK + kTogether - 1) / kTogether;  // of A, and of B
  using ABlock = typename V::Element[T::kM][kBanks][kTogether];
  using BBlock = typename V::Element[kBanks][kTogether][T::kN];
  using Sums = typename V::Sum[T::kM][T::kN];
};

/// Reads a block of A, kM x kK row after row, into banks of kTogether neighbours along K.
template <class T>
void load_a(const typename T::Values::Memory* a, typename Of<T>::ABlock& block) {
  for (int i = 0; i < T::kM; ++i) {
    for (int k = 0; k < T::kK; ++k) {
#pragma HLS pipeline II=1
      block[i][k / Of<T>::kTogether][k % Of<T>::kTogether] = static_cast<typename T::Values::Element>(a[i * T::kK + k]);
    }
  }
}

/// Reads a block of B, kK x kN row after row, into banks of kTogether neighbours along K.
template <class T>
void load_b(const typename T::Values::Memory* b, typename Of<T>::BBlock& block) {
  for (int k = 0; k < T::kK; ++k) {
    for (int j = 0; j < T::kN; ++j) {
#pragma HLS pipeline II=1
      block[k / Of<T>::kTogether][k % Of<T>::kTogether][j] = static_cast<typename T::Values::Element>(b[k * T::kN + j]);
    }
  }
}

template <class T>
void load(const typename T::Values::Memory* a, const typename T::Values::Memory* b, typename Of<T>::ABlock& a_block, typename Of<T>::BBlock& b_block) {
#pragma HLS dataflow
  load_a<T>(a, a_block);
  load_b<T>(b, b_block);
}

/// A sum with the products of the chain, one after another in order of K.
template <class T>
typename T::Values::Sum chained(const typename Of<T>::ABlock&, const typename Of<T>::BBlock&, int, int, typename T::Values::Sum sum, Chain<>) {
#pragma HLS inline
  return sum;
}
template <class T, int kBegin, int kEnd, class Adds, class Multiplies, class... Others>
typename T::Values::Sum chained(const typename Of<T>::ABlock& a, const typename Of<T>::BBlock& b, int i, int j, typename T::Values::Sum sum,
                                Chain<Range<kBegin, kEnd, Adds, Multiplies>, Others...>) {
#pragma HLS inline
  using V = typename T::Values;
  constexpr int kTogether = Of<T>::kTogether;
  for (int k = kBegin; k < kEnd; ++k) {
#pragma HLS unroll
    sum = V::added(sum, V::multiplied(a[i][k / kTogether][k % kTogether], b[k / kTogether][k % kTogether][j], Multiplies()), Adds());
  }
  return chained<T>(a, b, i, j, sum, Chain<Others...>());
}

/// Adds the block's products to the sums, which begin at 0 with the first block along K.
template <class T>
void compute(const typename Of<T>::ABlock& a, const typename Of<T>::BBlock& b, bool first, typename Of<T>::Sums& sums,
             hls::stream<typename T::Values::Sum>& results) {
  using Sum = typename T::Values::Sum;
  for (int i = 0; i < T::kM; ++i) {
    for (int j = 0; j < T::kN; ++j) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=sums type=inter false
      const Sum sum = chained<T>(a, b, i, j, first ? Sum(0) : sums[i][j], typename T::Places());
      sums[i][j] = sum;
      results.write(sum);
    }
  }
}

/// Behind the last block along K writes alpha * sum + beta * C; C is not read where beta is 0. Other sums are dropped.
template <class T>
void store(hls::stream<typename T::Values::Sum>& sums, bool last, const typename T::Values::Scalar* c, typename T::Values::Scalar* r,
           typename T::Values::Scalar alpha, typename T::Values::Scalar beta) {
  if (!last) {
    for (int e = 0; e < T::kM * T::kN; ++e) {
#pragma HLS pipeline II=1
      sums.read();
    }
  } else if (beta == 0) {
    for (int e = 0; e < T::kM * T::kN; ++e) {
#pragma HLS pipeline II=1
      r[e] = T::Values::scaled(alpha, sums.read());
    }
  } else {
    for (int e = 0; e < T::kM * T::kN; ++e) {
#pragma HLS pipeline II=1
      r[e] = T::Values::combined(alpha, sums.read(), beta, c[e]);
    }
  }
}

template <class T>
void multiply(const typename Of<T>::ABlock& a, const typename Of<T>::BBlock& b, typename Of<T>::Sums& sums, bool first, bool last,
              const typename T::Values::Scalar* c, typename T::Values::Scalar* r, typename T::Values::Scalar alpha, typename T::Values::Scalar beta) {
#pragma HLS dataflow
  hls::stream<typename T::Values::Sum> results;
  compute<T>(a, b, first, sums, results);
  store<T>(results, last, c, r, alpha, beta);
}

/// R = alpha A B + beta C of blocks_m x blocks_k blocks of A, blocks_k x blocks_n of B and blocks_m x blocks_n of C and R. Each
/// block lies in one piece: A's in order [mi][ki], B's in order [ni][ki], C's and R's in order [mi][ni].
template <class T>
void engine(const typename T::Values::Memory* a, const typename T::Values::Memory* b, const typename T::Values::Scalar* c,
            typename T::Values::Scalar* r, int blocks_m, int blocks_n, int blocks_k, typename T::Values::Scalar alpha,
            typename T::Values::Scalar beta) {
#pragma HLS inline
  static typename Of<T>::ABlock a_block;
#pragma HLS array_partition variable=a_block type=complete dim=2
#pragma HLS array_reshape variable=a_block type=complete dim=3
  static typename Of<T>::BBlock b_block;
#pragma HLS array_partition variable=b_block type=complete dim=1
#pragma HLS array_reshape variable=b_block type=complete dim=2
  static typename Of<T>::Sums sums;
  for (int mi = 0; mi < blocks_m; ++mi) {
    for (int ni = 0; ni < blocks_n; ++ni) {
      const std::int64_t at = (static_cast<std::int64_t>(mi) * blocks_n + ni) * T::kM * T::kN;
      for (int ki = 0; ki < blocks_k; ++ki) {
        const std::int64_t a_at = (static_cast<std::int64_t>(mi) * blocks_k + ki) * T::kM * T::kK;
        const std::int64_t b_at = (static_cast<std::int64_t>(ni) * blocks_k + ki) * T::kK * T::kN;
        load<T>(a + a_at, b + b_at, a_block, b_block);
        multiply<T>(a_block, b_block, sums, ki == 0, ki == blocks_k - 1, c + at, r + at, alpha, beta);
      }
    }
  }
}

}  // namespace product
}  // namespace pl
}  // namespace aieloom
