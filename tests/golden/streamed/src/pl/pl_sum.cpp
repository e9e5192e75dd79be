@@ sha256: ed2f9ebe09e9a9a990527fd956d28c150ea484a7e03fddfcf98727c1472e0098
// pl_sum.cpp: sum on programmable logic, 8x4x8 float32 to 8x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// from0: 1 reader(s), one beat of 2 value(s) a cycle each, 2 values side by side: 148 cycles an image
// from0: 1 writer(s), one word of 4 values a cycle each: 128 cycles an image
// from0: each writer's line buffer: 8 rows in 1 x 1 x 4 memories (ways x copies x banks) of 128 values in lutram
// to0: 1 reader(s), one beat of 4 value(s) a cycle each, 4 values side by side: 84 cycles an image
// to0: 4 writer(s), one word of 2 values a cycle each: 64 cycles an image
// to0: each writer's line buffer: 2 rows in 1 x 2 x 4 memories (ways x copies x banks) of 32 values in lutram, rows that its own tiles see
// queue for what second sends: 1 image(s), 64 beats of 128 bits in lutram
// queue for what pl_act_pool sends: 1 image(s), 64 beats of 128 bits in lutram
// add: 256 sums in float32, one a cycle
@@ same: 83
/// add: the sum of two values.
float sum_join_of(float a, float b) { return a + b; }

/// Joins a beat of each input a cycle, 4 values side by side: II=1.
void join_beats(
    hls::stream<Row<128>>& joining_0, hls::stream<Row<128>>& joining_1, hls::stream<Row<128>>& joined) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
    const Row<128> beat_0 = joining_0.read();
    const Row<128> beat_1 = joining_1.read();
    Row<128> beat;
    for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
      float value = sum_join_of(as_float(beat_0.data.range(32 * lane + 31, 32 * lane)), as_float(beat_1.data.range(32 * lane + 31, 32 * lane)));
      beat.data.range(32 * lane + 31, 32 * lane) = float_bits(value);
    }
    joined.write(beat);
@@ same: 3
/// Brings the image that comes as beats, one a cycle: II=1.
void bring_1(hls::stream<ap_axiu<128, 0, 0, 0>>& in, hls::stream<Row<128>>& rows) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
    Row<128> beat;
    beat.data = in.read().data;
    rows.write(beat);
@@ same: 3
/// Brings what second sends in order of rows.
@@ same: 9
constexpr int kRows = 8;  // of an image that a line buffer holds
constexpr int kColumns = 2;  // words of a bank for a row of 8 pixels
constexpr int kSetChannels = 8;  // that a way brings
constexpr int kDepth = 128;  // words of a bank: 8 x 8 x 2
constexpr int kTurn = 64;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 256;  // beats that may have come since an image's first
constexpr int kAddressBits = 7;  // for 128 words
@@ same: 11
constexpr int kInTileBeats = 32;  // of a tile, for each way
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 4;  // cores along the pixels
constexpr int kInTileM = 8;  // channels of a tile
@@ same: 4
constexpr int kInChannels = 8;  // of the image that arrives
constexpr int kInPixels = 32;  // 4 x 8
@@ same: 8
constexpr int kNeeds[kOutRounds + 1] = {128, 128, 128, 128, 128};
constexpr int kRoom[kOutRounds + 1] = {256, 256, 256, 256, 256};
@@ same: 48
    hls::stream<InWord>& in0_0, hls::stream<InWord>& in0_1, hls::stream<InWord>& in0_2,
    hls::stream<InWord>& in0_3, hls::stream<Beat>& beats) {
@@ same: 8
              word = in0_0.read();
              break;
            case 1:
              word = in0_1.read();
              break;
            case 2:
              word = in0_2.read();
              break;
            default:
              word = in0_3.read();
@@ same: 153
/// Keeps the lines that third reads.
@@ same: 4
constexpr int kBeat = 4;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 64;  // of an image on each way
constexpr int kCopies = 2;  // of a line buffer: rows of K in an output word
constexpr int kPixels = 1;  // neighbouring pixels that a word takes from a copy
constexpr int kBanks = 4;  // of a copy: neighbouring pixels lie in different ones
constexpr int kRowBits = 2;  // for 4 rows
@@ same: 3
constexpr int kTurn = 16;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 128;  // beats that may have come since an image's first
@@ same: 9
constexpr int kInStride = 4;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
constexpr int kInRounds = 1;  // an image in whole
constexpr int kInTiles = 1;  // of which a reader takes all
constexpr int kInTileBeats = 64;  // of an image
@@ same: 5
constexpr int kOutPasses = 1;  // tiles along K = 8
@@ same: 9
constexpr int kKernelWidth = 1;  // kernel 1 x 1
constexpr int kKernelArea = 1;  // 1 x 1
constexpr int kTaps = 8;  // inputs of one output: 8 x 1 x 1
@@ same: 53
    hls::stream<InWord>& joined, hls::stream<Beat>& beats) {
@@ same: 8
              word = joined.read();
@@ same: 11
    {0, -1, -1, -1},
    {-1, 0, -1, -1},
    {-1, -1, 0, -1},
    {-1, -1, -1, 0},
@@ same: 215
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
  hls_thread_local hls::stream<Row<128>> joining_1;  // what pl_act_pool sends; 1 image(s) of it wait for the others
#pragma HLS stream variable=joining_1 depth=64
#pragma HLS bind_storage variable=joining_1 type=fifo impl=lutram
  hls_thread_local hls::stream<Row<128>> joined;  // what leaves, or is worked on
#pragma HLS stream variable=joined depth=32
  hls_thread_local hls::stream<from0::Beat> from0_taken[from0::kWriters][from0::kWays];
#pragma HLS stream variable=from0_taken depth=32
@@ same: 4
  hls_thread_local hls::task from0_reader_0(from0::read_0,
      in0_0, in0_1, in0_2, in0_3, from0_taken[0][0]);
  hls_thread_local hls::task from0_writer_0(from0::write_0,
      from0_taken[0][0], joining_0);
  hls_thread_local hls::task to0_reader_0(to0::read_0,
      joined, to0_beats[0]);
@@ same: 3
      to0_taken[0][0], out_0);
  hls_thread_local hls::task to0_writer_1(to0::write_1,
      to0_taken[1][0], out_1);
  hls_thread_local hls::task to0_writer_2(to0::write_2,
      to0_taken[2][0], out_2);
  hls_thread_local hls::task to0_writer_3(to0::write_3,
      to0_taken[3][0], out_3);
  hls_thread_local hls::task task_bring_1(bring_1,
      in1, joining_1);
  hls_thread_local hls::task task_join(join_beats,
      joining_0, joining_1, joined);
}
