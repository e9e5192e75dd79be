@@ sha256: 53eb6a65cceb8f054c0d09e891c2d97725c4ebfa459e5586913a844ed5c7fe6f
// pl_wide_to_last.cpp: no layer on programmable logic, 6x3x7 float32 to 6x3x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// frame buffer: 126 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 256 cycles; one word a cycle out: 36 cycles
@@ same: 26 in row_sequencer.cpp.j2, circuit.cpp.j2, vector_unit.cpp.j2, elements.j2
constexpr int kMapHeight = 3;  // of the image from which results are gathered, 6x3x7 float32
constexpr int kMapWidth = 7;  // of that image
constexpr int kMapSize = 126;  // values of that image

@@ same: 5 in frames.j2
/// What wide sends.
@@ same: 2
constexpr int kInBits = 32;  // width of an input stream
constexpr int kInLanes = 1;  // values of a word: 32 / 32
constexpr int kInValues = 256;  // of an image: 4 streams x 64 words x 1
constexpr int kInStreams = 4;  // 2 groups x 2 parts
constexpr int kInRounds = 2;  // tiles that each core works on, one after another
constexpr int kInGroups = 2;  // cores along the pixels
constexpr int kInParts = 2;  // cores along the channels
constexpr int kInTileM = 4;  // channels of a tile
constexpr int kInTileN = 8;  // pixels of a tile
constexpr int kInTile = 32;  // values of a tile: 4 x 8
@@ same: 2
constexpr int kInRowTiles = 1;  // 4 / 4
constexpr int kInColTiles = 2;  // 8 / 4
constexpr int kInChannels = 6;  // of the image that arrives
constexpr int kInPixels = 21;  // 3 x 7
constexpr int kInSize = 126;  // 6x3x7 float32
@@ same: 3 in frames.j2
/// Reads one stream after another, a tile from each, and passes on the values in their words.
void read(hls::stream<InWord> in[4], hls::stream<float>& values) {
@@ same: 17 in frame_source.j2, pl_act.cpp
void untile(hls::stream<float>& results, float map_out[4][kInSize]) {
@@ same: 12 in frame_source.j2, pl_act.cpp
                  for (int lane = 0; lane < 4; ++lane) {
@@ same: 17 in pl_act.cpp, frame_source.j2
    float value = values.read();
@@ same: 6 in frames.j2, pl_act.cpp
/// What last reads.
@@ same: 4 in pl_act.cpp, pl_shuffle.cpp
constexpr int kOutStreams = 1;  // one for each group of cores
constexpr int kOutRounds = 6;  // tiles that each group works on, one after another
constexpr int kOutGroups = 1;  // cores along the pixels
constexpr int kOutPasses = 1;  // tiles along K = 6
constexpr int kOutTileK = 6;  // rows of a tile: inputs of one output
constexpr int kOutTileN = 4;  // columns of a tile: output pixels
constexpr int kOutBlockRows = 2;  // rows of an mmul block
constexpr int kOutBlockCols = 2;  // columns of an mmul block
constexpr int kOutColTiles = 2;  // 4 / 2
constexpr int kOutDepth = 3;  // 6 / 2
constexpr int kOutBlockWords = 1;  // 2 x 2 / 4
constexpr int kOutTileWords = 6;  // 1 x 6 x 4 / 4
constexpr int kNextHeight = 3;  // of the convolution's input
@@ same: 3 in pl_start.cpp
constexpr int kKernelWidth = 1;  // kernel 1 x 1
constexpr int kKernelArea = 1;  // 1 x 1
constexpr int kTaps = 6;  // inputs of one output: 6 x 1 x 1
@@ same: 2
constexpr int kPaddingY = 0;  // padding
constexpr int kPaddingX = 0;  // padding
@@ same: 34 in frames.j2, pl_act.cpp
/// Writes one stream after another, a tile to each.
void write(hls::stream<ap_uint<kOutBits>>& words, hls::stream<OutWord> &out) {
@@ same: 9 in frame_sink.j2
        out.write(word);
@@ same: 5
}  // namespace to0
@@ same: 3 in vector_unit.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_wide_to_last(
    int frames, hls::stream<ap_axiu<32, 0, 0, 0>> in[4], hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 12 in pl_act.cpp, kernel.cpp.j2, processes.j2, pl_shuffle.cpp
    float map_out[4][126];  // one image for last; a copy for each value of an output word
@@ same: 10 in pl_act.cpp
