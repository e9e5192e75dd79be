@@ sha256: fc6a547a99c79d52e3f4b9beef83630b97eb09a86c2f74291802c73721a550df
// pl_act.cpp: act on programmable logic, 8x6x6 float32 to 8x6x6 float32.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// frame buffer: 288 values x 2 copies (one per element of an output word) in bram
// one value a cycle in: 288 cycles; one word a cycle out: 1440 cycles
// tanh by 64 entries over [-4, 4), one every 0.125
@@ same: 26 in row_sequencer.cpp.j2, circuit.cpp.j2, vector_unit.cpp.j2, elements.j2
constexpr int kMapHeight = 6;  // of the image from which results are gathered, 8x6x6 float32
constexpr int kMapWidth = 6;  // of that image
constexpr int kMapSize = 288;  // values of that image

/// tanh at -4.0F + i / 8.0F, for i = 0 .. 63.
const float act_value_table[64] = {
    -0.9993293F, -0.9991389F, -0.99889445F, -0.99858063F, -0.9981779F, -0.997661F, -0.99699765F, -0.99614656F,
@@ same: 9 in the table
/// tanh by the nearest entry: min(63, round(x * 8.0F) + 32), halves away from zero;
/// NaN stays NaN. Nothing beyond the range becomes an index.
float act_value(float x) {
  const float scaled = x * 8.0F;
  const bool low = x < -4.0F;
  const bool high = x >= 4.0F;
  const bool inside = x >= -4.0F && x < 4.0F;  // NaN is neither
@@ same: 2
  const int nearest = whole + (rest >= 0.5F ? 1 : 0) - (rest <= -0.5F ? 1 : 0) + 32;
  const int index = nearest > 63 ? 63 : nearest;
  const float value = act_value_table[inside ? index : 0];
  return inside ? value : low ? -1.0F : high ? 1.0F : x;
@@ same: 7 in frames.j2
/// What first sends.
namespace from0 {

constexpr int kInBits = 64;  // width of an input stream
constexpr int kInLanes = 2;  // values of a word: 64 / 32
constexpr int kInValues = 288;  // of an image: 3 streams x 48 words x 2
constexpr int kInStreams = 3;  // 3 groups x 1 parts
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 3;  // cores along the pixels
constexpr int kInParts = 1;  // cores along the channels
constexpr int kInTileM = 8;  // channels of a tile
constexpr int kInTileN = 12;  // pixels of a tile
constexpr int kInTile = 96;  // values of a tile: 8 x 12
constexpr int kInBlockRows = 4;  // channels of an mmul block
constexpr int kInBlockCols = 4;  // pixels of an mmul block
constexpr int kInRowTiles = 2;  // 8 / 4
constexpr int kInColTiles = 3;  // 12 / 4
constexpr int kInChannels = 8;  // of the image that arrives
constexpr int kInPixels = 36;  // 6 x 6
constexpr int kInSize = 288;  // 8x6x6 float32
@@ same: 3 in frames.j2
/// Reads one stream after another, a tile from each, and passes on the values in their words.
void read(hls::stream<InWord> in[3], hls::stream<float>& values) {
@@ same: 8 in frame_source.j2
          word = in[s].read();
        }
        values.write(as_float(word.data.range(32 * lane + 31, 32 * lane)));
@@ same: 6 in frame_source.j2
void untile(hls::stream<float>& results, float map_out[2][kInSize]) {
@@ same: 8 in frame_source.j2
                const float value = results.read();
                const int channel = part * kInTileM + mt * kInBlockRows + row;
                const int pixel = (round * kInGroups + group) * kInTileN + nt * kInBlockCols + col;
                if (channel < kInChannels && pixel < kInPixels) {
                  for (int lane = 0; lane < 2; ++lane) {
#pragma HLS unroll
                    map_out[lane][channel * kInPixels + pixel] = value;
                  }
@@ same: 10
/// Computes each value as it passes.
void compute(hls::stream<float>& values, hls::stream<float>& results) {
@@ same: 2
    float value = values.read();
    value = act_value(value);
@@ same: 4 in frames.j2
}  // namespace from0

/// What second reads.
namespace to0 {

constexpr int kLanes = 2;  // values of an output word, copies of the frame buffer
constexpr int kOutBits = 64;  // width of an output stream
constexpr int kOutStreams = 2;  // one for each group of cores
constexpr int kOutRounds = 1;  // tiles that each group works on, one after another
constexpr int kOutGroups = 2;  // cores along the pixels
constexpr int kOutPasses = 2;  // tiles along K = 72
constexpr int kOutTileK = 36;  // rows of a tile: inputs of one output
constexpr int kOutTileN = 20;  // columns of a tile: output pixels
constexpr int kOutBlockRows = 2;  // rows of an mmul block
constexpr int kOutBlockCols = 4;  // columns of an mmul block
constexpr int kOutColTiles = 5;  // 20 / 4
constexpr int kOutDepth = 18;  // 36 / 2
constexpr int kOutBlockWords = 4;  // 2 x 4 / 2
constexpr int kOutTileWords = 720;  // 2 x 36 x 20 / 2
constexpr int kNextHeight = 6;  // of the convolution's input
constexpr int kNextWidth = 6;  // of the convolution's input
constexpr int kOutWidth = 6;  // of the convolution's output
constexpr int kOutPixels = 36;  // 6 x 6
constexpr int kKernelWidth = 3;  // kernel 3 x 3
constexpr int kKernelArea = 9;  // 3 x 3
constexpr int kTaps = 72;  // inputs of one output: 8 x 3 x 3
constexpr int kStrideY = 1;  // stride
constexpr int kStrideX = 1;  // stride
constexpr int kPaddingY = 1;  // padding
constexpr int kPaddingX = 1;  // padding
@@ same: 3 in frames.j2
/// Gathers the im2col matrix of the next layer in the order of its tiles: [round][group][pass][nt][kt][k][n].
void gather(const float map[kLanes][kMapSize], hls::stream<ap_uint<kOutBits>>& words) {
  for (int tile = 0; tile < kOutRounds * kOutGroups; ++tile) {
    for (int pass = 0; pass < kOutPasses; ++pass) {
      for (int nt = 0; nt < kOutColTiles; ++nt) {
        for (int kt = 0; kt < kOutDepth; ++kt) {
          for (int w = 0; w < kOutBlockWords; ++w) {
#pragma HLS pipeline II=1
            ap_uint<kOutBits> word = 0;
            for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
              const int element = w * kLanes + lane;  // of a block of kOutBlockRows x kOutBlockCols
              const int k = pass * kOutTileK + kt * kOutBlockRows + element / kOutBlockCols;
              const int pixel = tile * kOutTileN + nt * kOutBlockCols + element % kOutBlockCols;
              const int channel = k / kKernelArea;
              const int tap = k % kKernelArea;
              const int y = pixel / kOutWidth * kStrideY + tap / kKernelWidth - kPaddingY;
              const int x = pixel % kOutWidth * kStrideX + tap % kKernelWidth - kPaddingX;
              const bool inside =
                  k < kTaps && pixel < kOutPixels && 0 <= y && y < kNextHeight && 0 <= x && x < kNextWidth;
              const float value = inside ? map[lane][source_of(channel, y, x)] : 0.0F;
              word.range(32 * lane + 31, 32 * lane) = float_bits(value);
            }
            words.write(word);
@@ same: 7
/// Writes one stream after another, a tile to each.
void write(hls::stream<ap_uint<kOutBits>>& words, hls::stream<OutWord> out[2]) {
@@ same: 9 in frame_sink.j2
        out[s].write(word);
@@ same: 5
}  // namespace to0
@@ same: 3 in vector_unit.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_act(
    int frames, hls::stream<ap_axiu<64, 0, 0, 0>> in[3], hls::stream<ap_axiu<64, 0, 0, 0>> out[2]) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
@@ same: 4 in kernel.cpp.j2, processes.j2
    hls::stream<float> values0("values0");
#pragma HLS stream variable=values0 depth=16
    hls::stream<float> results0("results0");
#pragma HLS stream variable=results0 depth=16
    hls::stream<ap_uint<64>> words0("words0");
#pragma HLS stream variable=words0 depth=16
    float map_out[2][288];  // one image for second; a copy for each value of an output word
#pragma HLS array_partition variable=map_out dim=1 complete
#pragma HLS bind_storage variable=map_out type=ram_2p impl=bram

    from0::read(in, values0);
    from0::compute(values0, results0);
    from0::untile(results0, map_out);
    to0::gather(map_out, words0);
    to0::write(words0, out);
@@ same: 2
