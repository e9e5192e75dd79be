// hls::gather: elements of a partitioned array, read side by side [UG1399 HLS Array Partition Library].
//
// The hardware gives the K elements in one cycle if they lie in K banks of a cyclic partition by K; that they do is the
// program's promise. Of the library's other parts no public document shows the signatures: they are refused by name.
#pragma once

#include <cstddef>
#include <string>

#include "aieloom/report.h"
#include "hls_vector.h"

namespace hls {

/// The elements of `array` at K indices, of which no two lie in one bank.
template <typename T_, std::size_t K_>
vector<T_, K_> gather(const T_* array, const vector<std::size_t, K_>& indices) {
  vector<T_, K_> found;
  for (std::size_t i = 0; i < K_; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (indices[i] != indices[j] && indices[i] % K_ == indices[j] % K_) {
        aieloom::warn("hls-gather", "hls::gather: elements " + std::to_string(indices[j]) + " and " + std::to_string(indices[i]) +
                                        " lie in one of " + std::to_string(K_) + " banks: the hardware cannot read both in a cycle");
      }
    }
    found[i] = array[indices[i]];
  }
  return found;
}

namespace detail {
template <typename...>
inline constexpr bool kUnknown = false;
}  // namespace detail

template <typename T_, std::size_t K_, typename... A_>
void scatter(A_&&...) {
  static_assert(detail::kUnknown<T_, A_...>, "hls::scatter: no public document gives its parameters; write the elements one by one");
}

template <typename T_, std::size_t N_, std::size_t K_>
class array_partition {
  static_assert(detail::kUnknown<T_>, "hls::array_partition: no public document gives its members; use an array with #pragma HLS array_partition and hls::gather");
};

}  // namespace hls
