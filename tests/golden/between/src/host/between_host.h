@@ sha256: d28a1d76e71ddf080a21ee6c07aec6fc5950d8d21d9bd63dd5a4e1bf8d5d2ab1
// between_host.h: 2 layers on the processor, soft, sum.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 10 in processor.h.j2
#include "../include/aieloom/host/gather.h"
#include "../include/aieloom/host/ps/arithmetic.h"
#include "../include/aieloom/host/ps/exact.h"
@@ same: 4 in processor.h.j2
// soft: gelu, 4x4x4 float32 to 4x4x4 float32
// On the processor: op gelu has no form for float32 on programmable logic.
// gelu: y = x / 2 * (1 + erf(x / sqrt(2))), computed in float64, rounded once.
/// gelu, computed in float64 and rounded once.
float soft_value(float value) {
@@ same: 2
  return static_cast<float>(0.5 * x * (1.0 + exact::erf(x * 0.7071067811865476)));
@@ same: 2
// sum: add, 4x4x4 float32 to 4x4x4 float32
// On the processor: it reads 'act' and 'first', and a subgraph of the device takes one tensor from memory.
// add: the function that programmable logic computes, 4x4x4 float32 to 4x4x4 float32.
struct SumSizes {
  static constexpr int kChannels = 4, kHeight = 4, kWidth = 4, kStepChannel = 16, kStepY = 4, kStepX = 1;
  static constexpr char kSign = '+';
@@ same: 8 in processor.h.j2
  static constexpr std::size_t kImageValues = 32;    // of an image
  static constexpr std::size_t kResultValues = 64;  // of the network's result
@@ same: 4 in processor.h.j2
      case 0:
        return before_1(values);
      case 1:
        return before_2(values);
@@ same: 5 in processor.h.j2
  /// Computes what the device's layer first is given, where elements are made of it: 2x4x4 float32.
  const float* before_1(const float* image) {
    given[0] = image;
    return given[0];
@@ same: 2
  /// Computes what the device's layer second is given, where elements are made of it: 4x4x4 float32; first has come back.
  const float* before_2(const float* received) {
    given[1] = received;
    std::transform(given[1], given[1] + 64, soft_.data(), soft_value);
    return soft_.data();
@@ same: 2
  /// Computes the network's result; act has come back.
  const float* result(const float* received) {
    given[2] = received;
    aieloom::host::arithmetic<SumSizes>(given[2], given[1], sum_.data());
    return sum_.data();
@@ same: 3 in layers_in_turn.h
  const float* given[3] = {};  // the image, and what has come back from the device
  inline static std::vector<float> soft_ = std::vector<float>(64);  // gelu, 4x4x4 float32
  inline static std::vector<float> sum_ = std::vector<float>(64);  // add, 4x4x4 float32
@@ same: 3 in processor.h.j2
