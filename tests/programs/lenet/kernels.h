// A small int8 network in LeNet's manner: 5 x 5 convolution, ReLU and 2 x 2 maximum over 28 x 28 pixels, then a dense layer.
#pragma once
#include <adf.h>
#include <aie_api/aie.hpp>

constexpr unsigned kSide = 28, kTaps = 5, kInner = kSide - kTaps + 1;  // 24
constexpr unsigned kChannels = 8, kPooled = kInner / 2;                // 12
constexpr unsigned kFeatures = kPooled * kPooled * kChannels;          // 1152
constexpr unsigned kPatch = 32;                                        // 25 taps, zeros to a multiple of 8
constexpr unsigned kClasses = 8;                                       // of one dense core
constexpr int kConvShift = 7, kDenseShift = 8;

/// y[pixel][channel] = relu(sat8((sum of patch * weights) >> kConvShift)).
class Conv {
 public:
  Conv(const int8 (&weights)[kPatch * kChannels]);
  void run(adf::input_buffer<int8, adf::extents<kSide * kSide>>& in,
           adf::output_buffer<int8, adf::extents<kInner * kInner * kChannels>>& out);
  static void registerKernelClass() {
    REGISTER_FUNCTION(Conv::run);
    REGISTER_PARAMETER(weights_);
  }

 private:
  const int8 (&weights_)[kPatch * kChannels];  // tiles of 8 taps x 8 channels
};

void maxpool(adf::input_buffer<int8, adf::extents<kInner * kInner * kChannels>>& in,
             adf::output_buffer<int8, adf::extents<kFeatures>>& out);

/// scores[class] = (sum of features * weights) >> kDenseShift, rounded half away from zero.
class Dense {
 public:
  Dense(const int8 (&weights)[kFeatures * kClasses]);
  void run(adf::input_buffer<int8, adf::extents<kFeatures>>& in, adf::output_buffer<int32, adf::extents<kClasses>>& out);
  static void registerKernelClass() {
    REGISTER_FUNCTION(Dense::run);
    REGISTER_PARAMETER(weights_);
  }

 private:
  const int8 (&weights_)[kFeatures * kClasses];  // tiles of 8 features x 8 classes
};
