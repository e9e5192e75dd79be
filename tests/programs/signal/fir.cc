#include "kernels.h"

#include "fault.h"

template <int Part>
Fir<Part>::Fir(int16 (&taps)[8]) : taps_(taps) {}

/// y[n] += sum over this core's taps of taps[t] * x[n - 8 * Part - t]; x points at sample n, history lies before it.
template <int Part>
aie::accum<acc48, 8> Fir<Part>::partial(const int16* x, const aie::accum<acc48, 8>& sum) const {
  aie::accum<acc48, 8> total = sum;
  for (int t = 0; t < 8; ++t) {
    total = aie::mac(total, aie::load_unaligned_v<8>(x - 8 * Part - t), taps_[t]);
  }
  return total;
}

template <int Part>
void Fir<Part>::first(adf::input_buffer<int16, adf::extents<kBlock>, adf::margin<kTaps>>& in, output_cascade<acc48>* out) {
  for (unsigned n = 0; n < kBlock; n += 8) {
    writeincr(out, partial(in.data() + kTaps + n, aie::zeros<acc48, 8>()));
  }
}

template <int Part>
void Fir<Part>::middle(adf::input_buffer<int16, adf::extents<kBlock>, adf::margin<kTaps>>& in, input_cascade<acc48>* sums,
                       output_cascade<acc48>* out) {
  for (unsigned n = 0; n < kBlock; n += 8) {
    if (Part == 1 && n == 8 && fault::active("starve", "fir1")) {
      readincr_v<8>(sums);  // takes a value that the next core misses
    }
    writeincr(out, partial(in.data() + kTaps + n, readincr_v<8>(sums)));
  }
}

template <int Part>
void Fir<Part>::last(adf::input_buffer<int16, adf::extents<kBlock>, adf::margin<kTaps>>& in, input_cascade<acc48>* sums,
                     adf::output_buffer<int16>& out) {
  aie::set_rounding(aie::rounding_mode::symmetric_inf);
  aie::set_saturation(aie::saturation_mode::saturate);
  for (unsigned n = 0; n < kBlock; n += 8) {
    const int16* x = in.data() + kTaps + n;
    const auto y = partial(x, readincr_v<8>(sums)).template to_vector<int16>(kShift);
    aie::store_v(out.data() + n + (fault::active("misalign", "fir3") ? 1 : 0), y);
  }
}
