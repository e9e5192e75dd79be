// What the classes do. Nobody includes this file: a graph names it as the source of its kernels.
#include "horner.hpp"

#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

namespace mill::math::aie {

template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
int64 horner_base<VALUE, FACTOR, N, DOWN>::at(VALUE x) const {
  int64 sum = factors[N - 1];
  for (int power = N - 2; power >= 0; --power) sum = sum * x + factors[power];
  return sum;
}

template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
VALUE horner_base<VALUE, FACTOR, N, DOWN>::settle(int64 sum) {
  const int64 whole = sum + rest;
  rest = whole & ((1 << DOWN) - 1);
  return (VALUE)(whole >> DOWN);
}

template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
void horner_base<VALUE, FACTOR, N, DOWN>::learn(const FACTOR (&told)[N]) {
  for (unsigned power = 0; power < N; ++power) factors[power] = told[power];
}

template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
void horner<Role::whole, VALUE, FACTOR, N, DOWN>::evaluate(adf::input_buffer<VALUE>& x, adf::output_buffer<VALUE>& y) {
  auto from = ::aie::begin(x);
  auto to = ::aie::begin(y);
  for (unsigned n = 0; n < x.size(); ++n) *to++ = this->settle(this->at(*from++));
}

template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
void horner<Role::told, VALUE, FACTOR, N, DOWN>::evaluate(adf::input_buffer<VALUE>& x, adf::output_buffer<VALUE>& y,
                                                          const FACTOR (&told)[N]) {
  this->learn(told);
  auto from = ::aie::begin(x);
  auto to = ::aie::begin(y);
  for (unsigned n = 0; n < x.size(); ++n) *to++ = this->settle(this->at(*from++));
}

template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
void horner<Role::lower, VALUE, FACTOR, N, DOWN>::evaluate(adf::input_async_buffer<VALUE>& x,
                                                           adf::output_buffer<VALUE>& same,
                                                           output_cascade<acc80>* lower) {
  auto to = ::aie::begin(same);
  x.acquire();
  auto from = ::aie::begin(x);
  for (unsigned n = 0; n < x.size(); n += 4) {
    ::aie::vector<int32, 4> sums;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const VALUE value = *from++;
      sums[lane] = (int32)this->at(value);
      *to++ = value;
    }
    ::aie::accum<acc80, 4> acc;
    acc.from_vector(sums, 0);
    writeincr(lower, acc);
  }
  x.release();
}

template <typename VALUE, typename FACTOR, unsigned N, unsigned DOWN>
void horner<Role::upper, VALUE, FACTOR, N, DOWN>::evaluate(adf::input_buffer<VALUE>& x, input_cascade<acc80>* lower,
                                                           adf::output_buffer<VALUE>& y) {
  auto from = ::aie::begin(x);
  auto to = ::aie::begin(y);
  for (unsigned n = 0; n < x.size(); n += 4) {
    const ::aie::accum<acc80, 4> acc = readincr_v<4>(lower);
    const ::aie::vector<int32, 4> sums = acc.to_vector<int32>(0);
    for (unsigned lane = 0; lane < 4; ++lane) {
      const VALUE value = *from++;
      int64 sum = this->at(value);
      for (unsigned power = 0; power < N; ++power) sum *= value;
      *to++ = this->settle(sum + sums[lane]);
    }
  }
}

}  // namespace mill::math::aie
