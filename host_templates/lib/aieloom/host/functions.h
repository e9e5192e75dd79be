// functions.h: layers of a command list that the processor computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gather.h"

namespace aieloom::host {

namespace hls {

/// Functions of programmable logic give their results to a stream; here they lie one after another.
template <typename T>
class stream {
 public:
  explicit stream(T* to) : to_(to) {}
  void write(T value) { *to_++ = value; }

 private:
  T* to_;
};

}  // namespace hls

/// What a function of the command list is given: tensors in order of channel, row and column, trained tensors, where its result goes.
struct Given {
  std::vector<const void*> x;
  std::vector<const float*> weights;
  void* y;
};

/// A layer on the processor: its number is its place in the list.
struct Function {
  const char* name;
  std::uint32_t type;                // of its tensors: 0 int8, 1 float32
  std::vector<std::size_t> inputs;   // elements of each
  std::vector<std::size_t> weights;  // values of each
  std::size_t results;
  bool by_place;  // elements are made of those at their place: their order is all the same
  void (*call)(const Given& given);
};

}  // namespace aieloom::host
