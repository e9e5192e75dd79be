// The ports that generated kernels name, declared for clang: adf.h itself is not public.
#pragma once
#include <aie_api/aie.hpp>
#include <cstddef>
#include <cstdint>

namespace adf {
template <class T>
struct input_buffer {
  const T* data();
};
template <class T>
struct output_buffer {
  T* data();
};
template <class T>
struct input_async_buffer : input_buffer<T> {
  void acquire();
  void release();
};
template <class T>
struct output_async_buffer : output_buffer<T> {
  void acquire();
  void release();
};
}  // namespace adf

#define REGISTER_FUNCTION(x) (void)&x
#define REGISTER_PARAMETER(x)

template <class T>
struct input_cascade {};
template <class T>
struct output_cascade {};
template <class T>
struct input_stream {};
template <class T>
struct output_stream {};
template <unsigned N, class T>
aie::accum<T, N> readincr_v(input_cascade<T>*);
template <unsigned N, class T>
aie::vector<T, N> readincr_v(input_stream<T>*);
template <class T, unsigned N>
void writeincr(output_cascade<T>*, const aie::accum<T, N>&);
