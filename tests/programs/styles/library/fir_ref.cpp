// The members; the graph's instances are made here.
#include "fir_ref.hpp"

#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

namespace lib::dsp::aie {

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
void kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT>::setTaps(const TT_COEFF (&taps)[TP_FIR_LEN]) {
  for (unsigned i = 0; i < TP_FIR_LEN; ++i) internalTaps[TP_FIR_LEN - 1 - i] = taps[i];
}

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
int64 kernelBase<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT>::next(TT_DATA x) {
  int64 sum = 0;
  for (unsigned i = TP_FIR_LEN - 1; i > 0; --i) history[i] = history[i - 1];
  history[0] = x;
  for (unsigned i = 0; i < TP_FIR_LEN; ++i) sum += (int64)history[i] * internalTaps[TP_FIR_LEN - 1 - i];
  return sum;
}

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
void fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, false, 0>::filter(adf::input_buffer<TT_DATA>& inWindow,
                                                                        adf::output_buffer<TT_DATA>& outWindow) {
  auto in = ::aie::begin(inWindow);
  auto out = ::aie::begin(outWindow);
  for (unsigned i = 0; i < inWindow.size(); ++i) *out++ = (TT_DATA)(this->next(*in++) >> TP_SHIFT);
}

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
void fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, false, 1>::filter(adf::input_buffer<TT_DATA>& inWindow,
                                                                        adf::output_buffer<TT_DATA>& outWindow,
                                                                        const TT_COEFF (&inTaps)[TP_FIR_LEN]) {
  this->setTaps(inTaps);
  auto in = ::aie::begin(inWindow);
  auto out = ::aie::begin(outWindow);
  for (unsigned i = 0; i < inWindow.size(); ++i) *out++ = (TT_DATA)(this->next(*in++) >> TP_SHIFT);
}

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
void fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, false, true, 0>::filter(adf::input_async_buffer<TT_DATA>& inWindow,
                                                                       adf::output_buffer<TT_DATA>& pass,
                                                                       output_cascade<acc80>* outCascade) {
  inWindow.acquire();
  auto in = ::aie::begin(inWindow);
  auto out = ::aie::begin(pass);
  for (unsigned i = 0; i < inWindow.size() / 4; ++i) {
    ::aie::vector<int32, 4> part;
    for (unsigned j = 0; j < 4; ++j) {
      TT_DATA x = *in++;
      part[j] = (int32)this->next(x);
      *out++ = x;
    }
    ::aie::accum<acc80, 4> acc;
    acc.from_vector(part, 0);
    writeincr(outCascade, acc);
  }
  inWindow.release();
}

template <typename TT_DATA, typename TT_COEFF, unsigned TP_FIR_LEN, unsigned TP_SHIFT>
void fir<TT_DATA, TT_COEFF, TP_FIR_LEN, TP_SHIFT, true, false, 0>::filter(adf::input_buffer<TT_DATA>& inWindow,
                                                                       input_cascade<acc80>* inCascade,
                                                                       adf::output_buffer<TT_DATA>& outWindow) {
  auto in = ::aie::begin(inWindow);
  auto out = ::aie::begin(outWindow);
  for (unsigned i = 0; i < inWindow.size() / 4; ++i) {
    ::aie::accum<acc80, 4> acc = readincr_v<4>(inCascade);
    ::aie::vector<int32, 4> other = acc.to_vector<int32>(0);
    for (unsigned j = 0; j < 4; ++j) *out++ = (TT_DATA)((this->next(*in++) + other[j]) >> TP_SHIFT);
  }
}

}  // namespace lib::dsp::aie
