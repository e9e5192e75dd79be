@@ sha256: de3dfeda364d76dc63f5d6f6639674083dba17cd47bd3651f149ab0cba53483e
// pl_act_pool.cpp: act, pool on programmable logic, 10x13x11 float32 to 10x6x5 float32.
// Made by aieloom 0.1.0 from random's network.yaml; edit that and run: doit gen project=random
// 1 reader(s), 2 beats, each of a channel, of 2 value(s) a cycle each, 2 values side by side, on into the next row: 452 cycles an image
// pool: 2 task(s), 1 result(s) of 2x2 places a cycle each (II=1, for each row and column that they see has a memory): 432 cycles an image
// pool's line buffers: 28 rows in 2 x 2 memories (rows x columns) of 504 values in bram
// 1 writer(s), one word of 4 values a cycle each: 200 cycles an image
// each writer's line buffer: 16 rows in 2 x 2 x 2 memories (ways x copies x banks) of 288 values in bram
@@ same: 29 in words.h, circuit.cpp.j2, kernel.cpp.j2, array_load.cpp.j2, elements.j2, line_types.j2
constexpr int kSettle = 32;  // steps from a beat's way into a line buffer until it may be read
@@ same: 46 in line_types.j2
/// From what c1 sends to what c2 reads.
@@ same: 2
constexpr int kWays = 2;  // of beats to a writer, each of a share of the channels
@@ same: 2
constexpr int kBeats = 180;  // of an image on each way
constexpr int kCopies = 2;  // of a line buffer: rows of K in an output word
@@ same: 2
constexpr int kRows = 16;  // of an image that a line buffer holds
constexpr int kColumns = 3;  // words of a bank for a row of 5 pixels
constexpr int kSetChannels = 6;  // that a way brings
constexpr int kTogether = 2;  // rows of a word that a reader passes in a cycle, each on a way
constexpr int kReadChannels = 12;  // that a reader brings on all its ways
constexpr int kDepth = 288;  // words of a bank: 16 x 6 x 3
constexpr int kTurn = 108;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 480;  // beats that may have come since an image's first
constexpr int kAddressBits = 9;  // for 288 words
constexpr int kBankBits = 1;  // for 2 banks
@@ same: 2
constexpr int kInHeight = 6;  // of the image that reaches the writers
constexpr int kInWidth = 5;  // of the image that reaches the writers
constexpr int kLanes = 4;  // values of an output word
constexpr int kInBits = 128;  // width of an input stream
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutRounds = 1;  // tiles that each group works on, one after another
constexpr int kOutGroups = 1;  // cores along the pixels
constexpr int kOutPasses = 1;  // tiles along K = 40
constexpr int kOutTileK = 40;  // rows of a tile: inputs of one output
constexpr int kOutTileN = 20;  // columns of a tile: output pixels
constexpr int kOutBlockRows = 4;  // rows of an mmul block
constexpr int kOutBlockCols = 2;  // columns of an mmul block
constexpr int kOutColTiles = 10;  // 20 / 2
constexpr int kOutDepth = 10;  // 40 / 4
constexpr int kOutBlockWords = 2;  // 4 x 2 / 4
constexpr int kOutWidth = 4;  // of the convolution's output
constexpr int kOutPixels = 20;  // 5 x 4
constexpr int kKernelWidth = 2;  // kernel 2 x 2
constexpr int kKernelArea = 4;  // 2 x 2
constexpr int kTaps = 40;  // inputs of one output: 10 x 2 x 2
@@ same: 7 in pl_act.cpp, pl_wide_to_last.cpp, line_part.j2
constexpr int kNeeds[kOutRounds + 1] = {180, 180};
constexpr int kRoom[kOutRounds + 1] = {480, 480};
@@ same: 6 in frames.j2, line_beat.j2
  float value[kBeat];
@@ same: 5 in line_beat.j2
/// leaky_relu: values that are not above 0 times -0.25F.
float act_value(float x) { return x > 0.0F ? x : x * -0.25F; }

@@ same: 8 in line_stages.j2, pl_act_pool.cpp, line_readers.j2
    float value = values[i];
@@ same: 12 in line_readers.j2, pl_act_pool.cpp
constexpr int kInLanes = 4;  // values of a word: 128 / 32
@@ same: 4 in pl_act_pool.cpp
constexpr int kInTileBeats = 432;  // of a tile, for each way
@@ same: 2
constexpr int kInTileM = 12;  // channels of a tile
constexpr int kInTileN = 144;  // pixels of a tile
constexpr int kInBlockRows = 4;  // channels of an mmul block
constexpr int kInBlockCols = 2;  // pixels of an mmul block
constexpr int kInColTiles = 72;  // 144 / 2
constexpr int kInChannels = 10;  // of the image that arrives
constexpr int kInPixels = 143;  // 13 x 11
@@ same: 2
constexpr int kChannels = 10;  // 10x13x11 float32
constexpr int kAddressBits = 9;  // for 504 words
constexpr int kBeats = 432;  // of an image on each way
constexpr int kInHeight = 13;  // of the image that comes
constexpr int kInWidth = 11;  // of the image that comes
constexpr int kOutHeight = 6;  // rows of the result, 10x6x5 float32
constexpr int kOutBeats = 5;  // of a row of 5 results
constexpr int kMost = 864;  // beats that may have come since an image's first
constexpr int kTurn = 252;  // words of a bank from an image's first row to the next one's
@@ same: 2
constexpr int kRows = 14;  // rows of a bank: 28 of the image in all
constexpr int kColumns = 6;  // words of a bank for a row
constexpr int kDepth = 504;  // words of a bank: 6 x 14 x 6
constexpr int kRowBits = 1;  // for 2 row(s)
constexpr int kColumnBits = 4;  // for 11 columns
@@ same: 13 in pl_act_pool.cpp, line_beat.j2
  float value[kBeat];
@@ same: 36 in line_beat.j2, pl_act_pool.cpp, line_readers.j2, line_place.j2, max_fold.h.j2
/// Stores a beat: each bank is written at most once, for two rows lie in different ones.
void store(const Beat& beat, int place, float (&line)[kRowBanks][kBanks][kDepth]) {
@@ same: 7 in line_store.j2
      float value = beat.value[0];
@@ same: 20 in line_store.j2, line_stage.j2
constexpr int kNeeds[kOutHeight + 1] = {432, 432, 432, 432, 432, 432, 432};
constexpr int kRoom[kOutHeight + 1] = {864, 864, 864, 864, 864, 864, 864};
@@ same: 8 in line_stage.j2, pl_act_pool.cpp
  float found[kRowBanks][kBanks];
@@ same: 8 in line_stage.j2
      found[i][j] = inside ? line[i][j][in_ring<kDepth>(address, place)] : 0.0F;
@@ same: 4 in line_stage.j2
    pool_fold window;
@@ same: 21 in line_stage.j2, line_next.j2, pl_act_pool.cpp
  bool ends_round() const { return channel == kSetChannels - 1 && beat == kOutBeats - 1; }
@@ same: 18 in line_next.j2, flow.h, pl_act_pool.cpp, schedule.h
    round = 0;
@@ same: 5 in line_buffer.h, line_stage.j2
Line result_of(const float (&line)[kRowBanks][kBanks][kDepth], int way, const Next& next, int place) {
@@ same: 3 in line_stage.j2
  const int whole = way / kTogether * kReadChannels + channel * kTogether + way % kTogether;
@@ same: 13 in pl_act_pool.cpp, line_stage.j2, line_buffer.h
#pragma HLS bind_storage variable=line type=ram_s2p impl=bram
@@ same: 6 in line_buffer.h, line_loop.j2
  Quiet<40> quiet;
@@ same: 11 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
      store(beats.read(), flow.writes, line);
@@ same: 14 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
void window_1(hls::stream<Beat>& beats, hls::stream<Line>& results) {
  window(1, beats, results);
@@ same: 5 in line_readers.j2
  float values[kBeat];
@@ same: 8 in line_readers.j2, pl_act_pool.cpp
/// A beat of a tile, of which `word` has come: its place follows from its number alone.
Beat beat_of_tile(ap_uint<kInBits> word, int reader, int band, int tile, int number, int word_row) {
@@ same: 18 in line_readers.j2, pl_act_pool.cpp
    hls::stream<InWord>& in, hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1) {
@@ same: 12 in line_readers.j2, pl_act_pool.cpp
        beats_0.write(beat_of_tile(word.data, 0, band, tile, number, 0));
        beats_1.write(beat_of_tile(word.data, 0, band, tile, number, 1));
@@ same: 5
}  // namespace pool_lines
@@ same: 22 in line_part.j2, pl_act_pool.cpp, line_store.j2, line_sink.j2
void take(hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
@@ same: 2
  store(beats_1.read(), place, line[1]);
@@ same: 20 in line_part.j2, pl_act_pool.cpp, line_next.j2
  bool ends_round() const { return pass == kOutPasses - 1 && nt == kOutColTiles - 1 && kt == kOutDepth - 1 && w == kOutBlockWords - 1; }
@@ same: 23 in line_next.j2, flow.h, pl_act_pool.cpp, schedule.h
    pass = 0;
@@ same: 4 in pl_act_pool.cpp, schedule.h
    round = 0;
@@ same: 14 in line_buffer.h, line_sink.j2, pl_act_pool.cpp
  float found[kBanks];
@@ same: 5 in line_sink.j2
    found[bank] = inside ? look(line, copy, bank, channel, row_at(writer, y), x, place) : 0.0F;
@@ same: 24 in line_sink.j2, pl_act_pool.cpp
      word.data.range(32 * lane + 31, 32 * lane) = float_bits(values[i]);
@@ same: 9 in line_sink.j2, line_part.j2
void write(int writer, hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, hls::stream<OutWord>& out) {
@@ same: 5 in pl_act_pool.cpp, line_buffer.h
#pragma HLS bind_storage variable=line type=ram_s2p impl=bram
@@ same: 6 in line_buffer.h, line_loop.j2
  Quiet<kSettle> quiet;
@@ same: 6 in line_loop.j2, line_buffer.h
    const bool takes = flow.taken < room && (waits || !(beats_0.empty() || beats_1.empty()));
@@ same: 4 in pl_act_pool.cpp, line_buffer.h
      take(beats_0, beats_1, flow.writes, line);
@@ same: 10 in line_loop.j2, line_buffer.h
void write_0(
    hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, hls::stream<OutWord>& out) {
  write(0, beats_0, beats_1, out);
@@ same: 2
}  // namespace work
@@ same: 3 in array_load.cpp.j2
extern "C" void pl_act_pool(
    hls::stream<ap_axiu<128, 0, 0, 0>>& in, hls::stream<ap_axiu<128, 0, 0, 0>>& out) {
@@ same: 5 in pl_act.cpp, pl_last.cpp
  hls_thread_local hls::stream<work::pool_lines::Beat> work_to_pool[work::kWays];
#pragma HLS stream variable=work_to_pool depth=32
  hls_thread_local hls::task work_reader_0(work::pool_lines::read_0, in, work_to_pool[0], work_to_pool[1]);
  hls_thread_local hls::task work_task_pool_0(work::pool_lines::window_0, work_to_pool[0], work_taken[0][0]);
  hls_thread_local hls::task work_task_pool_1(work::pool_lines::window_1, work_to_pool[1], work_taken[0][1]);
  hls_thread_local hls::task work_writer_0(work::write_0, work_taken[0][0], work_taken[0][1], out);
}
