// What is kept of the values that a pool sees: a fold is a type that takes values, and gives a result.
//
//   value, inside the image or not --> take() --> what is kept --> result()
//
// II=1 of elements: an addition or a comparison; of floats as many cycles as an addition has.
#pragma once

#include "words.h"

namespace aieloom {
namespace pl {

/// The average of `kCount` integers, halves away from zero; outside the image lies kZero.
template <class Element, int kCount, int kZero = 0>
struct Average {
  using Value = typename Element::Value;
  ap_int<Element::kBits + bits_for(kCount - 1)> sum = 0;
  void take(Value value, bool inside) { sum += inside ? value : Value(kZero); }
  Value result() const {
    const int whole = sum.to_int();
    const int half = whole > 0 ? kCount / 2 : -(kCount / 2);
    return static_cast<Value>((whole + half) / kCount);
  }
};

}  // namespace pl
}  // namespace aieloom
