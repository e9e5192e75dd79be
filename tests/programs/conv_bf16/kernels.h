// A 3 x 3 bfloat16 convolution on AIE-ML: the memory tile puts zeros around the image and hands out overlapping strips.
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>

constexpr unsigned kIn = 8, kOut = 8;           // channels
constexpr unsigned kWidth = 16, kHeight = 16;   // of the image
constexpr unsigned kStrip = 4;                  // rows of results a call
constexpr unsigned kPadded = kWidth + 2;

class Conv3x3 {
 public:
  Conv3x3(const bfloat16 (&weights)[9 * kIn * kOut]);
  void run(adf::input_buffer<bfloat16, adf::extents<kIn * kPadded * (kStrip + 2)>>& in,
           adf::output_buffer<bfloat16, adf::extents<kOut * kWidth * kStrip>>& out);
  static void registerKernelClass() {
    REGISTER_FUNCTION(Conv3x3::run);
    REGISTER_PARAMETER(weights_);
  }

 private:
  const bfloat16 (&weights_)[9 * kIn * kOut];  // tap, half of the outputs, 8 inputs x 4 outputs
};
