@@ sha256: e0f5192277fb1c3d51cbda509636ffaea2e70bde9d2ae6845475b560906c5a0e
// pl_start.cpp: start on programmable logic, 1x5x7 float32 to 1x5x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// frame buffer: 35 values x 1 copies (one per element of an output word) in bram
// one value a cycle in: 36 cycles; one word a cycle out: 512 cycles
// tanh by 16 entries over [-2, 2), one every 0.25
@@ same: 26 in row_sequencer.cpp.j2, circuit.cpp.j2, vector_unit.cpp.j2, elements.j2
constexpr int kMapHeight = 5;  // of the image from which results are gathered, 1x5x7 float32
constexpr int kMapWidth = 7;  // of that image
constexpr int kMapSize = 35;  // values of that image

/// tanh at -2.0F + i / 4.0F, for i = 0 .. 15.
const float start_value_table[16] = {
    -0.9640276F, -0.94137555F, -0.90514827F, -0.84828365F, -0.7615942F, -0.63514894F, -0.46211717F,
@@ same: 4 in the table
/// tanh by the nearest entry: min(15, round(x * 4.0F) + 8), halves away from zero;
/// NaN stays NaN. Nothing beyond the range becomes an index.
float start_value(float x) {
  const float scaled = x * 4.0F;
  const bool low = x < -2.0F;
  const bool high = x >= 2.0F;
  const bool inside = x >= -2.0F && x < 2.0F;  // NaN is neither
@@ same: 2
  const int nearest = whole + (rest >= 0.5F ? 1 : 0) - (rest <= -0.5F ? 1 : 0) + 8;
  const int index = nearest > 15 ? 15 : nearest;
  const float value = start_value_table[inside ? index : 0];
  return inside ? value : low ? -1.0F : high ? 1.0F : x;
@@ same: 7 in frames.j2
/// What mm2s sends.
@@ same: 4 in pl_act.cpp, pl_last_to_output.cpp
constexpr int kInValues = 36;  // of an image: 1 streams x 9 words x 4
constexpr int kInSize = 35;  // 1x5x7 float32
@@ same: 3 in frames.j2
/// Reads the words of one image and passes on their values.
void read(hls::stream<InWord> &in, hls::stream<float>& values) {
@@ same: 7 in frame_source.j2, frame_readers.j2
    values.write(as_float(word.data.range(32 * lane + 31, 32 * lane)));
@@ same: 4 in frame_source.j2
void untile(hls::stream<float>& results, float map_out[1][kInSize]) {
@@ same: 2
    const float value = results.read();
    if (i < kInSize) {
      const int place = i;
      for (int lane = 0; lane < 1; ++lane) {
#pragma HLS unroll
        map_out[lane][place] = value;
@@ same: 9 in pl_act.cpp, frame_source.j2
    float value = values.read();
    value = start_value(value);
@@ same: 6 in frames.j2, pl_act.cpp
/// What wide reads.
@@ same: 2
constexpr int kLanes = 1;  // values of an output word, copies of the frame buffer
constexpr int kOutBits = 32;  // width of an output stream
constexpr int kOutStreams = 2;  // one for each group of cores
constexpr int kOutRounds = 2;  // tiles that each group works on, one after another
constexpr int kOutGroups = 2;  // cores along the pixels
constexpr int kOutPasses = 2;  // tiles along K = 15
constexpr int kOutTileK = 8;  // rows of a tile: inputs of one output
constexpr int kOutTileN = 8;  // columns of a tile: output pixels
@@ same: 2
constexpr int kOutColTiles = 2;  // 8 / 4
constexpr int kOutDepth = 4;  // 8 / 2
constexpr int kOutBlockWords = 8;  // 2 x 4 / 1
constexpr int kOutTileWords = 128;  // 2 x 8 x 8 / 1
constexpr int kNextHeight = 5;  // of the convolution's input
constexpr int kNextWidth = 7;  // of the convolution's input
constexpr int kOutWidth = 7;  // of the convolution's output
constexpr int kOutPixels = 21;  // 3 x 7
constexpr int kKernelWidth = 5;  // kernel 3 x 5
constexpr int kKernelArea = 15;  // 3 x 5
constexpr int kTaps = 15;  // inputs of one output: 1 x 3 x 5
constexpr int kStrideY = 2;  // stride
@@ same: 2
constexpr int kPaddingX = 2;  // padding
@@ same: 45 in frames.j2, pl_act.cpp, frame_sink.j2
        out[s].write(word);
@@ same: 5
}  // namespace to0
@@ same: 3 in vector_unit.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_start(
    int frames, hls::stream<ap_axiu<128, 0, 0, 0>> &in, hls::stream<ap_axiu<32, 0, 0, 0>> out[2]) {
@@ same: 10 in pl_act.cpp, kernel.cpp.j2, processes.j2
    hls::stream<ap_uint<32>> words0("words0");
#pragma HLS stream variable=words0 depth=16
    float map_out[1][35];  // one image for wide; a copy for each value of an output word
@@ same: 10 in pl_act.cpp
