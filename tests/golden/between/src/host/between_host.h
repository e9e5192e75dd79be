@@ sha256: 6554aa115b72d6be2af9984ec2251cbd4dcf2974b8f3cb54d8c83df75ddc9573
// between_host.h: 2 layers on the processor, soft, sum.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 19 in processor.h.j2, exact.j2
constexpr double kMost = 1000.0;  // beyond it float64 is infinite or 0
constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2High = 0.6931471803691238;
constexpr double kLn2Low = 1.9082149292705877e-10;
@@ same: 4 in exact.j2
/// The sum of Taylor's series of exp, x^k / k! for k = first .. first + 13, over x^first.
inline double series(double x, int first) {
  double coefficients[14];
  double value = 1.0;
  for (int k = 1; k < first + 14; ++k) {
@@ same: 4 in exact.j2
  for (int i = 12; i >= 0; --i) total = total * x + coefficients[i];
@@ same: 13 in exact.j2
inline double expm1(double x) { return std::fabs(x) < 0.25 ? x * series(x, 1) : exp(x) - 1.0; }
@@ same: 4 in exact.j2
  double total = 1.0 / 35.0;
  for (int k = 16; k >= 0; --k) total = total * square + 1.0 / (2.0 * k + 1.0);
@@ same: 10 in exact.j2
  if (m < 0.7071067811865476) {
@@ same: 8 in exact.j2
  if (x > 5.0) return 1.0;
  if (x < -5.0) return -1.0;
@@ same: 2
  for (int k = 80; k > 0; --k) total = 1.0 + total * (step / (2.0 * k + 1.0));
  return 1.1283791670955126 * x * exp(-(x * x)) * total;
@@ same: 19 in exact.j2

// soft: gelu, 4x4x4 float32 to 4x4x4 float32
// On the processor: op gelu has no form for float32 on programmable logic.
// gelu: y = x / 2 * (1 + erf(x / sqrt(2))), computed in float64, rounded once.
/// gelu, computed in float64 and rounded once.
float soft_value(float value) {
  const double x = value;
  return static_cast<float>(0.5 * x * (1.0 + exact::erf(x * 0.7071067811865476)));
@@ same: 2
// sum: add, 4x4x4 float32 to 4x4x4 float32
// On the processor: it reads 'act' and 'first', and a subgraph of the device takes one tensor from memory.
// add: the function that programmable logic computes, 4x4x4 float32 to 4x4x4 float32.
/// add: a + b, place by place.
void sum_layer(const float* a, const float* b, float* results) {
  for (int channel = 0; channel < 4; ++channel) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 4; ++x) {
        *results++ = *a++ + b[channel * 16 + y * 4 + x * 1];
@@ same: 11 in processor.h.j2
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
    sum_layer(given[2], given[1], sum_.data());
    return sum_.data();
@@ same: 3 in layers_in_turn.h
  const float* given[3] = {};  // the image, and what has come back from the device
  inline static std::vector<float> soft_ = std::vector<float>(64);  // gelu, 4x4x4 float32
  inline static std::vector<float> sum_ = std::vector<float>(64);  // add, 4x4x4 float32
@@ same: 3 in processor.h.j2
