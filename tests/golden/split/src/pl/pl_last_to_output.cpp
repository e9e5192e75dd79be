@@ sha256: 2af17b88c55cf8a6667d632035fa6bf29bda4d8daf38d1757b69cf215da5b858
// pl_last_to_output.cpp: no layer on programmable logic, 3x3x7 float32 to 3x3x7 float32.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
// frame buffer: 63 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 96 cycles; one word a cycle out: 16 cycles
@@ same: 26 in row_sequencer.cpp.j2, circuit.cpp.j2, vector_unit.cpp.j2, elements.j2
constexpr int kMapHeight = 3;  // of the image from which results are gathered, 3x3x7 float32
constexpr int kMapWidth = 7;  // of that image
constexpr int kMapSize = 63;  // values of that image

@@ same: 5 in frames.j2
/// What last sends.
@@ same: 2
constexpr int kInBits = 128;  // width of an input stream
constexpr int kInLanes = 4;  // values of a word: 128 / 32
constexpr int kInValues = 96;  // of an image: 1 streams x 24 words x 4
constexpr int kInStreams = 1;  // 1 groups x 1 parts
constexpr int kInRounds = 6;  // tiles that each core works on, one after another
constexpr int kInGroups = 1;  // cores along the pixels
@@ same: 2
constexpr int kInTileN = 4;  // pixels of a tile
constexpr int kInTile = 16;  // values of a tile: 4 x 4
constexpr int kInBlockRows = 2;  // channels of an mmul block
constexpr int kInBlockCols = 2;  // pixels of an mmul block
constexpr int kInRowTiles = 2;  // 4 / 2
constexpr int kInColTiles = 2;  // 4 / 2
constexpr int kInChannels = 3;  // of the image that arrives
constexpr int kInPixels = 21;  // 3 x 7
constexpr int kInSize = 63;  // 3x3x7 float32
@@ same: 3 in frames.j2
/// Reads one stream after another, a tile from each, and passes on the values in their words.
void read(hls::stream<InWord> &in, hls::stream<float>& values) {
@@ same: 8 in frame_source.j2
          word = in.read();
@@ same: 8 in pl_act.cpp, frame_source.j2
void untile(hls::stream<float>& results, float map_out[4][kInSize]) {
@@ same: 12 in frame_source.j2, pl_act.cpp
                  for (int lane = 0; lane < 4; ++lane) {
@@ same: 17 in pl_act.cpp, frame_source.j2
    float value = values.read();
@@ same: 6 in frames.j2, pl_act.cpp
/// What s2mm reads.
@@ same: 4 in pl_act.cpp, pl_shuffle.cpp
constexpr int kOutWords = 16;  // of an image
constexpr int kOutValues = 63;  // 3x3x7 float32
constexpr int kOutHeight = 3;  // of the result
constexpr int kOutWidth = 7;  // of the result
@@ same: 33 in frames.j2, pl_shuffle.cpp, vector_unit.cpp.j2, frame_sink.j2, frame_writers.j2
}  // namespace to0
@@ same: 3 in vector_unit.cpp.j2
/// Takes `frames` images through: each is a run of the region, which begins while those before it are in its later processes.
extern "C" void pl_last_to_output(
    int frames, hls::stream<ap_axiu<128, 0, 0, 0>> &in, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 12 in pl_act.cpp, kernel.cpp.j2, processes.j2, pl_shuffle.cpp
    float map_out[4][63];  // one image for s2mm; a copy for each value of an output word
@@ same: 10 in pl_act.cpp
