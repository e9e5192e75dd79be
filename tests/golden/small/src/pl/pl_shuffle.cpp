@@ sha256: 1e24cc69e4bf168a5f20640b475d53fc021f38f9ff270cce32027b9afc60aea6
// pl_shuffle.cpp: shuffle on programmable logic, 4x6x6 float32 to 1x12x12 float32.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// frame buffer: 144 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 160 cycles; one word a cycle out: 36 cycles
// 4x6x6 float32 to 1x12x12 float32 by reading channel c*4 + y%r*2 + x%r*1, r = 2
@@ same: 26 in row_sequencer.cpp.j2, circuit.cpp.j2, vector_unit.cpp.j2, elements.j2
constexpr int kMapHeight = 6;  // of the image from which results are gathered, 4x6x6 float32
constexpr int kMapWidth = 6;  // of that image
constexpr int kMapSize = 144;  // values of that image

/// The result's (channel, y, x) is the input's channel below, at (y / r, x / r).
void shuffle_source(int& channel, int& y, int& x) {
  constexpr int r = 2;
  channel = channel * 4 + y % r * 2 + x % r * 1;
@@ same: 6 in pixel_shuffle.h.j2, frames.j2
  shuffle_source(channel, y, x);
@@ same: 3 in frames.j2
/// What second sends.
@@ same: 4 in pl_act.cpp
constexpr int kInValues = 160;  // of an image: 2 streams x 40 words x 2
constexpr int kInStreams = 2;  // 2 groups x 1 parts
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 2;  // cores along the pixels
constexpr int kInParts = 1;  // cores along the channels
constexpr int kInTileM = 4;  // channels of a tile
constexpr int kInTileN = 20;  // pixels of a tile
constexpr int kInTile = 80;  // values of a tile: 4 x 20
@@ same: 2
constexpr int kInRowTiles = 1;  // 4 / 4
constexpr int kInColTiles = 5;  // 20 / 4
constexpr int kInChannels = 4;  // of the image that arrives
constexpr int kInPixels = 36;  // 6 x 6
constexpr int kInSize = 144;  // 4x6x6 float32
@@ same: 3 in frames.j2
/// Reads one stream after another, a tile from each, and passes on the values in their words.
void read(hls::stream<InWord> in[2], hls::stream<float>& values) {
@@ same: 17 in frame_source.j2, pl_act.cpp
void untile(hls::stream<float>& results, float map_out[4][kInSize]) {
@@ same: 12 in frame_source.j2, pl_act.cpp
                  for (int lane = 0; lane < 4; ++lane) {
@@ same: 17 in pl_act.cpp, frame_source.j2
    float value = values.read();
@@ same: 6 in frames.j2, pl_act.cpp
/// What s2mm reads.
@@ same: 2
constexpr int kLanes = 4;  // values of an output word, copies of the frame buffer
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutWords = 36;  // of an image
constexpr int kOutValues = 144;  // 1x12x12 float32
constexpr int kOutHeight = 12;  // of the result
constexpr int kOutWidth = 12;  // of the result
@@ same: 3 in frames.j2
/// Gathers the result in plain order, channel, row, column; the last word is filled up with zeros.
void gather(const float map[kLanes][kMapSize], hls::stream<ap_uint<kOutBits>>& words) {
  for (int w = 0; w < kOutWords; ++w) {
#pragma HLS pipeline II=1
    ap_uint<kOutBits> word = 0;
@@ same: 2
      const int element = w * kLanes + lane;
      const int channel = element / (kOutHeight * kOutWidth);
      const int y = element / kOutWidth % kOutHeight;
      const int x = element % kOutWidth;
      const float value = element < kOutValues ? map[lane][source_of(channel, y, x)] : 0.0F;
      word.range(32 * lane + 31, 32 * lane) = float_bits(value);
    }
    words.write(word);
@@ same: 3
/// Writes the words of one image.
void write(hls::stream<ap_uint<kOutBits>>& words, hls::stream<OutWord> &out) {
@@ same: 10 in frame_sink.j2, frame_writers.j2
}  // namespace to0
@@ same: 3 in vector_unit.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_shuffle(
    int frames, hls::stream<ap_axiu<64, 0, 0, 0>> in[2], hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 10 in pl_act.cpp, kernel.cpp.j2, processes.j2
    hls::stream<ap_uint<128>> words0("words0");
#pragma HLS stream variable=words0 depth=16
    float map_out[4][144];  // one image for s2mm; a copy for each value of an output word
@@ same: 10 in pl_act.cpp
