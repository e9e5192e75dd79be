@@ sha256: c1621b48df9f27e2b1bc74e9628300bc83bb7f4438f8a5701bd19d031b82b74a
// pl_sum.cpp: sum on programmable logic, 8x4x8 float32 to 8x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// from0: 1 reader(s), one beat of 2 value(s) a cycle each, 2 values side by side: 148 cycles an image
// from0: 1 writer(s), one word of 4 values a cycle each: 128 cycles an image
// from0: each writer's line buffer: 8 rows in 1 x 1 x 4 memories (ways x copies x banks) of 128 values in lutram
// to0: 1 reader(s), one beat of 4 value(s) a cycle each, 4 values side by side: 84 cycles an image
// to0: 4 writer(s), one word of 2 values a cycle each: 64 cycles an image
// to0: each writer's line buffer: 2 rows in 1 x 2 x 4 memories (ways x copies x banks) of 32 values in lutram, rows that its own tiles see
// queue for what second sends: 1 image(s), 64 beats of 128 bits in lutram
// queue for what pl_act_pool sends: 2 image(s), 128 beats of 128 bits in bram
// add: 256 sums in float32, one a cycle
// 4 value(s) a cycle join or part: 64 cycles an image
@@ same: 29 in words.h, circuit.cpp.j2, kernel.cpp.j2, row_load.cpp.j2, elements.j2, line_types.j2
constexpr int kSettle = 32;  // steps from a beat's way into a line buffer until it may be read
@@ same: 52 in line_types.j2, lines.j2, words.h
/// add of two values.
float sum_join_of(float a, float b) { return a + b; }

/// Joins a beat of each input a cycle, 4 values side by side: II=1.
void join_beats(
    hls::stream<Row<128>>& joining_0, hls::stream<Row<128>>& joining_1, hls::stream<Row<128>>& joined) {
@@ same: 2
    const Row<128> beat_0 = joining_0.read();
    const Row<128> beat_1 = joining_1.read();
    Row<128> beat;
    for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
      float value = sum_join_of(as_float(beat_0.data.range(32 * lane + 31, 32 * lane)), as_float(beat_1.data.range(32 * lane + 31, 32 * lane)));
      beat.data.range(32 * lane + 31, 32 * lane) = float_bits(value);
@@ same: 5 in join.j2
/// Brings the image that comes as beats, one a cycle: II=1.
void bring_1(hls::stream<ap_axiu<128, 0, 0, 0>>& in, hls::stream<Row<128>>& rows) {
@@ same: 2
    Row<128> beat;
@@ same: 5 in lines.j2
/// Brings what second sends in order of rows.
@@ same: 9 in pl_act.cpp, pl_act_pool.cpp
constexpr int kRows = 8;  // of an image that a line buffer holds
@@ same: 2
constexpr int kDepth = 128;  // words of a bank: 8 x 8 x 2
constexpr int kTurn = 64;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 256;  // beats that may have come since an image's first
constexpr int kAddressBits = 7;  // for 128 words
@@ same: 10 in pl_act_pool.cpp, pl_last.cpp, pl_act.cpp
constexpr int kInTiles = 4;  // that a reader takes in turn: 4 groups x 1
constexpr int kInTileBeats = 32;  // of a tile, for each way
@@ same: 2
constexpr int kInTileM = 8;  // channels of a tile
constexpr int kInTileN = 8;  // pixels of a tile
@@ same: 2
constexpr int kInColTiles = 2;  // 8 / 4
constexpr int kInChannels = 8;  // of the image that arrives
@@ same: 9 in pl_last.cpp, pl_act_pool.cpp, line_part.j2
constexpr int kNeeds[kOutRounds + 1] = {128, 128, 128, 128, 128};
constexpr int kRoom[kOutRounds + 1] = {256, 256, 256, 256, 256};
@@ same: 6 in frames.j2, pl_act_pool.cpp, line_beat.j2
  float value[kBeat];
@@ same: 12 in line_beat.j2, line_readers.j2
    float value = as_float(word.range(32 * lane + 31, 32 * lane));
@@ same: 15 in line_readers.j2, pl_act_pool.cpp
  const int element = number * kInStride;
@@ same: 9 in line_readers.j2
/// Brings a beat a cycle, at most one word of 4 stream(s), tile after tile: II=1, the loops are one. They end with
@@ same: 2
    hls::stream<InWord>& in0_0, hls::stream<InWord>& in0_1, hls::stream<InWord>& in0_2,
    hls::stream<InWord>& in0_3, hls::stream<Beat>& beats) {
@@ same: 7 in line_readers.j2
            case 0:
              word = in0_0.read();
@@ same: 2
              word = in0_1.read();
@@ same: 2
              word = in0_2.read();
@@ same: 2
              word = in0_3.read();
              break;
@@ same: 2
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
@@ same: 46 in line_part.j2, pl_act_pool.cpp, line_store.j2, line_sink.j2, line_next.j2
  bool ends_round() const { return w == kOutWords - 1; }
@@ same: 13 in line_next.j2, flow.h, pl_act_pool.cpp, schedule.h
    round = 0;
@@ same: 10 in line_buffer.h, line_row.j2, pl_act_pool.cpp
  float found[kBanks];
@@ same: 4 in line_sink.j2, line_row.j2
    found[bank] = inside && 0 <= x && x < kInWidth ? look(line, copy, bank, channel, row, x, place) : 0.0F;
@@ same: 8 in line_sink.j2
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int, const Next& next, int place) {
@@ same: 7 in line_sink.j2
    float values[kPixels];
@@ same: 4 in line_sink.j2
      word.data.range(32 * lane + 31, 32 * lane) = float_bits(values[i]);
@@ same: 13 in line_sink.j2, line_part.j2, pl_act_pool.cpp
#pragma HLS bind_storage variable=line type=ram_s2p impl=lutram
@@ same: 6 in line_part.j2, line_loop.j2
  Quiet<kSettle> quiet;
@@ same: 11 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
      take(beats_0, flow.writes, line);
@@ same: 17 in line_loop.j2, line_buffer.h, pl_act_pool.cpp, pl_act.cpp
/// Keeps the lines that third reads.
@@ same: 4 in pl_act.cpp, pl_act_pool.cpp
constexpr int kBeat = 4;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 64;  // of an image on each way
constexpr int kCopies = 2;  // of a line buffer: rows of K in an output word
constexpr int kPixels = 1;  // neighbouring pixels that a word takes from a copy
constexpr int kBanks = 4;  // of a copy: neighbouring pixels lie in different ones
constexpr int kRowBits = 2;  // for 4 rows
@@ same: 3 in pl_act_pool.cpp
constexpr int kTurn = 16;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 128;  // beats that may have come since an image's first
@@ same: 9 in pl_act_pool.cpp, pl_last_to_output.cpp
constexpr int kInStride = 4;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
@@ same: 2
constexpr int kInTileBeats = 64;  // of an image
@@ same: 5 in pl_act_pool.cpp
constexpr int kOutPasses = 1;  // tiles along K = 8
@@ same: 11 in pl_start.cpp, pl_act.cpp, pl_act_pool.cpp, pl_wide_to_last.cpp
constexpr int kTaps = 8;  // inputs of one output: 8 x 1 x 1
@@ same: 29 in pl_act.cpp, pl_wide_to_last.cpp, line_part.j2, pl_last.cpp, pl_act_pool.cpp, frames.j2, line_beat.j2, line_readers.j2
    float value = as_float(word.range(32 * lane + 31, 32 * lane));
@@ same: 10 in line_readers.j2, pl_act_pool.cpp
/// A beat of an image in order of row, channel and column, of which `word` has come: its place follows from its number alone.
@@ same: 12 in line_readers.j2, pl_act_pool.cpp
    hls::stream<InWord>& joined, hls::stream<Beat>& beats) {
@@ same: 7 in line_readers.j2
            default:
              word = joined.read();
              break;
@@ same: 2
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
@@ same: 7 in line_part.j2
    {0, -1, -1, -1},
    {-1, 0, -1, -1},
    {-1, -1, 0, -1},
    {-1, -1, -1, 0},
@@ same: 70 in line_part.j2, pl_act_pool.cpp, line_store.j2, line_sink.j2, line_next.j2
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
@@ same: 15 in line_sink.j2, line_part.j2, pl_act_pool.cpp
#pragma HLS bind_storage variable=line type=ram_s2p impl=lutram
@@ same: 6 in line_part.j2, line_loop.j2
  Quiet<kSettle> quiet;
@@ same: 11 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
      take(beats_0, flow.writes, line);
@@ same: 30 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
}  // namespace to0
@@ same: 3 in row_load.cpp.j2
extern "C" void pl_sum(
    hls::stream<ap_axiu<64, 0, 0, 0>>& in0_0, hls::stream<ap_axiu<64, 0, 0, 0>>& in0_1,
    hls::stream<ap_axiu<64, 0, 0, 0>>& in0_2, hls::stream<ap_axiu<64, 0, 0, 0>>& in0_3,
    hls::stream<ap_axiu<128, 0, 0, 0>>& in1, hls::stream<ap_axiu<64, 0, 0, 0>>& out_0,
    hls::stream<ap_axiu<64, 0, 0, 0>>& out_1, hls::stream<ap_axiu<64, 0, 0, 0>>& out_2,
    hls::stream<ap_axiu<64, 0, 0, 0>>& out_3) {
#pragma HLS interface axis port=in0_0
#pragma HLS interface axis port=in0_1
#pragma HLS interface axis port=in0_2
#pragma HLS interface axis port=in0_3
#pragma HLS interface axis port=in1
#pragma HLS interface axis port=out_0
#pragma HLS interface axis port=out_1
#pragma HLS interface axis port=out_2
#pragma HLS interface axis port=out_3
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<Row<128>> joining_0;  // what second sends; 1 image(s) of it wait for the others
#pragma HLS stream variable=joining_0 depth=64
#pragma HLS bind_storage variable=joining_0 type=fifo impl=lutram
  hls_thread_local hls::stream<Row<128>> joining_1;  // what pl_act_pool sends; 2 image(s) of it wait for the others
#pragma HLS stream variable=joining_1 depth=128
#pragma HLS bind_storage variable=joining_1 type=fifo impl=bram
@@ same: 8 in pl_act_pool.cpp
  hls_thread_local hls::task from0_reader_0(from0::read_0, in0_0, in0_1, in0_2, in0_3, from0_taken[0][0]);
  hls_thread_local hls::task from0_writer_0(from0::write_0, from0_taken[0][0], joining_0);
  hls_thread_local hls::task to0_reader_0(to0::read_0, joined, to0_beats[0]);
@@ same: 2
  hls_thread_local hls::task to0_writer_0(to0::write_0, to0_taken[0][0], out_0);
  hls_thread_local hls::task to0_writer_1(to0::write_1, to0_taken[1][0], out_1);
  hls_thread_local hls::task to0_writer_2(to0::write_2, to0_taken[2][0], out_2);
  hls_thread_local hls::task to0_writer_3(to0::write_3, to0_taken[3][0], out_3);
  hls_thread_local hls::task task_bring_1(bring_1, in1, joining_1);
  hls_thread_local hls::task task_join(join_beats, joining_0, joining_1, joined);
}
