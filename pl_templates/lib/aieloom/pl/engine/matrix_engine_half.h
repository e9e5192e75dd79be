// What a matrix engine of float16 computes with; elements are float32 in device memory.
//
//   memory: float --> half: products and sums along K --> float: alpha * sum + beta * c
//
// Cost: matrix_engine.h, with half multipliers and adders.
#pragma once

#include <hls_half.h>

#include "matrix_engine.h"

namespace aieloom {
namespace pl {
namespace product {

struct HalfProducts {
  using Memory = float;
  using Element = half;
  using Product = half;
  using Sum = half;
  using Scalar = float;
  static constexpr int kTogether = 2;
  static Product multiplied(Element a, Element b, Dsp) {
#pragma HLS inline
    Product product;
#pragma HLS bind_op variable=product op=hmul impl=maxdsp
    product = a * b;
    return product;
  }
  static Product multiplied(Element a, Element b, Fabric) {
#pragma HLS inline
    Product product;
#pragma HLS bind_op variable=product op=hmul impl=fabric
    product = a * b;
    return product;
  }
  static Sum added(Sum sum, Product product, Dsp) {
#pragma HLS inline
    Sum next;
#pragma HLS bind_op variable=next op=hadd impl=fulldsp
    next = sum + product;
    return next;
  }
  static Sum added(Sum sum, Product product, Fabric) {
#pragma HLS inline
    Sum next;
#pragma HLS bind_op variable=next op=hadd impl=fabric
    next = sum + product;
    return next;
  }
  static Scalar scaled(Scalar alpha, Sum sum) { return alpha * Scalar(sum); }
  static Scalar combined(Scalar alpha, Sum sum, Scalar beta, Scalar c) { return alpha * Scalar(sum) + beta * c; }
};

}  // namespace product
}  // namespace pl
}  // namespace aieloom
