// concat.h: the values of one input after another, on the processor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace aieloom::host {

template <class T, class Pointers, std::size_t... kPart>
void concat_parts(const Pointers& pointers, std::index_sequence<kPart...> /*of the inputs*/) {
  auto* y = std::get<sizeof...(kPart)>(pointers);
  ((y = std::copy_n(std::get<kPart>(pointers), T::kParts[kPart], y)), ...);
}

/// Takes the inputs, the result behind them.
template <class T, class... Pointers>
void concat(Pointers... pointers) {
  concat_parts<T>(std::make_tuple(pointers...), std::make_index_sequence<sizeof...(pointers) - 1>());
}

}  // namespace aieloom::host
