@@ sha256: 6ccb909eb123651d675c173e8a9b978353787cd2aeab6446601e786475a5457c
// pl_act.cpp: act on programmable logic, 4x4x4 float32 to 4x4x4 float32.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
// frame buffer: 64 values x 4 copies (one per element of an output word) in bram
// one value a cycle in: 64 cycles; one word a cycle out: 16 cycles
// relu: negative values become 0
@@ same: 26 in row_sequencer.cpp.j2, circuit.cpp.j2, vector_unit.cpp.j2, elements.j2
constexpr int kMapHeight = 4;  // of the image from which results are gathered, 4x4x4 float32
constexpr int kMapWidth = 4;  // of that image
constexpr int kMapSize = 64;  // values of that image

/// relu: negative values become 0.
float act_value(float x) { return x < 0.0F ? 0.0F : x; }

@@ same: 5 in frames.j2
/// What second sends.
@@ same: 4 in pl_act.cpp
constexpr int kInValues = 64;  // of an image: 1 streams x 32 words x 2
constexpr int kInStreams = 1;  // 1 groups x 1 parts
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 1;  // cores along the pixels
@@ same: 2
constexpr int kInTileN = 16;  // pixels of a tile
constexpr int kInTile = 64;  // values of a tile: 4 x 16
@@ same: 2
constexpr int kInRowTiles = 1;  // 4 / 4
constexpr int kInColTiles = 4;  // 16 / 4
constexpr int kInChannels = 4;  // of the image that arrives
constexpr int kInPixels = 16;  // 4 x 4
constexpr int kInSize = 64;  // 4x4x4 float32
@@ same: 13 in frames.j2, pl_last_to_output.cpp, frame_source.j2
          word = in.read();
@@ same: 8 in pl_act.cpp, frame_source.j2
void untile(hls::stream<float>& results, float map_out[4][kInSize]) {
@@ same: 12 in frame_source.j2, pl_act.cpp
                  for (int lane = 0; lane < 4; ++lane) {
@@ same: 25 in pl_act.cpp, frame_source.j2, frames.j2
/// What s2mm_second reads.
@@ same: 4 in pl_act.cpp, pl_shuffle.cpp
constexpr int kOutWords = 16;  // of an image
constexpr int kOutValues = 64;  // 4x4x4 float32
constexpr int kOutHeight = 4;  // of the result
constexpr int kOutWidth = 4;  // of the result
@@ same: 33 in frames.j2, pl_shuffle.cpp, vector_unit.cpp.j2, frame_sink.j2, frame_writers.j2
}  // namespace to0
@@ same: 5 in vector_unit.cpp.j2, pl_act.cpp
    int frames, hls::stream<ap_axiu<64, 0, 0, 0>> &in, hls::stream<ap_axiu<128, 0, 0, 0>> &out) {
@@ same: 12 in pl_act.cpp, kernel.cpp.j2, processes.j2, pl_shuffle.cpp
    float map_out[4][64];  // one image for s2mm_second; a copy for each value of an output word
@@ same: 10 in pl_act.cpp
