@@ sha256: a2093b57b63690ac19ec8b3741830bd8db56a818994baa8d98302356a95ed6de
// pl_start.cpp: start on programmable logic, 1x5x7 float32 to 1x5x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// tanh by 16 entries over [-2, 2), one every 0.25
// Why these numbers: aieloom explain pl_start, in the project's folder
@@ same: 9 in pl_act.cpp, kernel.cpp.j2
/// start: tanh.
const float start_value_table[] = {
    -0.9640276F, -0.94137555F, -0.90514827F, -0.84828365F, -0.7615942F, -0.63514894F, -0.46211717F,
@@ same: 2
};
struct start_value {
  static constexpr float kScale = 4.0F, kLow = -2.0F, kHigh = 2.0F, kBelow = -1.0F, kAbove = 1.0F;
  static constexpr int kOffset = 8, kEntries = 16;
  static float at(int index) {
#pragma HLS bind_storage variable=start_value_table type=rom_np impl=bram
    return start_value_table[index];
@@ same: 5 in kernel.cpp.j2
/// What mm2s sends.
struct From0 : Elements<Float, NearestEntry<layers::start_value>>, LineTraits {
  static constexpr int kChannels = 1, kHeight = 5, kWidth = 7, kInBits = 128;
};
using From0Turns = ImageTurns<From0>;

/// What wide reads.
struct To0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 1, kHeight = 5, kWidth = 7, kRows = 5;
  static constexpr int kOutBits = 32, kPixels = 1, kPaddingX = 2, kWriters = 2;
  static constexpr int kOutRounds = 2, kOutPasses = 2, kOutTileK = 8, kOutTileN = 8, kOutBlockRows = 2,
      kOutBlockCols = 4, kOutHeight = 3, kOutWidth = 7, kKernelY = 3, kKernelX = 5, kStrideY = 2,
      kPaddingY = 1;
};
using To0Order = ColumnOrder<To0, Frame<To0, Image<1, 5, 7>, InPlace>>;
@@ same: 3 in kernel.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_start(
    int frames, hls::stream<Axis<128>>& in, hls::stream<Axis<32>> out[2]) {
@@ same: 8 in pl_act.cpp, kernel.cpp.j2
    hls::stream<ap_uint<32>> words0("words0");
#pragma HLS stream variable=words0 depth=16
    float map_out[1][35];  // one image for wide; a copy for each value of an output word
@@ same: 3 in pl_act.cpp
    FrameReader<From0, From0Turns, 1>::read_ports(in, values0);
    keep_image<From0>(values0, map_out);
@@ same: 4 in pl_act.cpp
