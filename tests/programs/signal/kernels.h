// A receiver's front end: gain by run-time parameter, a FIR filter over four cores in a cascade, packets to two detectors.
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

constexpr unsigned kBlock = 64;  // samples
constexpr unsigned kTaps = 32;   // 8 a core
constexpr unsigned kShift = 6;
constexpr unsigned kPeak = 16;   // samples of a detector's block

void gain(adf::input_buffer<int16>& in, adf::output_buffer<int16>& out, int32 factor, const int16 (&limits)[2], int32& clipped);
void spread(adf::input_buffer<int16>& in, output_stream<int32>* out);
void collect(input_stream<int32>* in, adf::output_buffer<int16>& out);
void start_collecting();
void detect(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void halves(adf::input_async_buffer<int32>& in, adf::output_async_buffer<int32>& out);

/// Core number `Part` of the filter: 8 taps, the sums of the cores before it come by cascade.
template <int Part>
class Fir {
 public:
  explicit Fir(int16 (&taps)[8]);
  void first(adf::input_buffer<int16, adf::extents<kBlock>, adf::margin<kTaps>>& in, output_cascade<acc48>* out);
  void middle(adf::input_buffer<int16, adf::extents<kBlock>, adf::margin<kTaps>>& in, input_cascade<acc48>* sums,
              output_cascade<acc48>* out);
  void last(adf::input_buffer<int16, adf::extents<kBlock>, adf::margin<kTaps>>& in, input_cascade<acc48>* sums,
            adf::output_buffer<int16>& out);
  static void registerKernelClass() {
    if constexpr (Part == 0) {
      REGISTER_FUNCTION(Fir::first);
    } else if constexpr (Part == 3) {
      REGISTER_FUNCTION(Fir::last);
    } else {
      REGISTER_FUNCTION(Fir::middle);
    }
    REGISTER_PARAMETER(taps_);
  }

 private:
  aie::accum<acc48, 8> partial(const int16* x, const aie::accum<acc48, 8>& sum) const;
  int16 (&taps_)[8];
};
