// columns.h: the second operand of a matrix product as an engine reads weights, laid out by the processor.
#pragma once

#include <algorithm>
#include <type_traits>

namespace aieloom::host {

/// The columns of kHeads heads in tiles of kOut, a row for each place of the depth, filled up with zeros; floats times kFactor.
template <class T, class Element>
void columns(const Element* b, Element* y) {
  std::fill_n(y, T::kOut * T::kHeight, Element(0));
  for (int head = 0; head < T::kHeads; ++head) {
    for (int column = 0; column < T::kColumns; ++column) {
      const int tile = head * T::kTiles + column / T::kOut;
      Element* const row = y + column % T::kOut * T::kHeight + tile * T::kRows;
      for (int k = 0; k < T::kDepth; ++k) {
        const Element value = b[head * T::kBHead + k * T::kBDepth + column * T::kBColumn];
        if constexpr (std::is_floating_point_v<Element>) {
          row[k] = value * T::kFactor;
        } else {
          row[k] = value;
        }
      }
    }
  }
}

}  // namespace aieloom::host
