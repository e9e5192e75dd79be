@@ sha256: 8c07ba1e4c26544061fd5a966abc1315c8ae55685ef818666c8b27c7bac2d701
// pl_last.cpp: last on programmable logic, 4x4x8 float32 to 4x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// 1 reader(s), one beat of 2 value(s) a cycle each, 2 values side by side: 84 cycles an image
// 1 writer(s), one word of 4 values a cycle each: 64 cycles an image
// each writer's line buffer: 8 rows in 1 x 4 x 2 memories (ways x copies x banks) of 128 values in lutram
@@ same: 29 in words.h, circuit.cpp.j2, kernel.cpp.j2, array_load.cpp.j2, elements.j2, line_types.j2
constexpr int kSettle = 32;  // steps from a beat's way into a line buffer until it may be read
@@ same: 46 in line_types.j2
/// From what third sends to what s2mm reads.
namespace work {

@@ same: 2
constexpr int kBeat = 2;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 64;  // of an image on each way
constexpr int kCopies = 4;  // of a line buffer: rows of K in an output word
constexpr int kBanks = 2;  // of a copy: neighbouring pixels lie in different ones
constexpr int kRows = 8;  // of an image that a line buffer holds
constexpr int kColumns = 4;  // words of a bank for a row of 8 pixels
constexpr int kSetChannels = 4;  // that a way brings
constexpr int kDepth = 128;  // words of a bank: 8 x 4 x 4
constexpr int kTurn = 64;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 128;  // beats that may have come since an image's first
constexpr int kAddressBits = 7;  // for 128 words
constexpr int kBankBits = 1;  // for 2 banks
constexpr int kStep = 1;  // columns from one output pixel to the next
constexpr int kInWidth = 8;  // of the image that arrives
@@ same: 6 in pl_act_pool.cpp, pl_act.cpp
constexpr int kInTiles = 4;  // that a reader takes in turn: 4 groups x 1
constexpr int kInTileBeats = 16;  // of a tile, for each way
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 4;  // cores along the pixels
@@ same: 4 in pl_wide_to_last.cpp, pl_act.cpp
constexpr int kInColTiles = 2;  // 8 / 4
constexpr int kInChannels = 4;  // of the image that arrives
constexpr int kInPixels = 32;  // 4 x 8
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutRounds = 1;  // an image in whole
constexpr int kOutWords = 32;  // of a round
constexpr int kOutValues = 128;  // 4x4x8 float32
constexpr int kOutHeight = 4;  // of the result
constexpr int kOutWidth = 8;  // of the result
@@ same: 3 in line_part.j2
constexpr int kNeeds[kOutRounds + 1] = {64, 64};
constexpr int kRoom[kOutRounds + 1] = {128, 128};
@@ same: 6 in frames.j2, line_beat.j2
  float value[kBeat];
@@ same: 6 in line_beat.j2, pl_start.cpp
const float last_value_table[16] = {
    -0.9640276F, -0.94137555F, -0.90514827F, -0.84828365F, -0.7615942F, -0.63514894F, -0.46211717F,
@@ same: 6 in the table, pl_start.cpp
float last_value(float x) {
@@ same: 8 in pl_start.cpp, table.h.j2
  const float value = last_value_table[inside ? index : 0];
  return inside ? value : low ? -1.0F : high ? 1.0F : x;
@@ same: 5 in line_readers.j2
#pragma HLS bind_storage variable=last_value_table type=rom_np impl=bram
@@ same: 4 in line_readers.j2
    float value = as_float(word.range(32 * lane + 31, 32 * lane));
    value = last_value(value);
@@ same: 15 in line_readers.j2, pl_act_pool.cpp
  const int element = number * kInStride;
@@ same: 9 in line_readers.j2
/// Brings a beat a cycle, at most one word of 4 stream(s), tile after tile: II=1, the loops are one. They end with
@@ same: 2
    hls::stream<InWord>& in_0, hls::stream<InWord>& in_1, hls::stream<InWord>& in_2,
    hls::stream<InWord>& in_3, hls::stream<Beat>& beats) {
@@ same: 7 in line_readers.j2
            case 0:
              word = in_0.read();
              break;
            case 1:
              word = in_1.read();
              break;
            case 2:
              word = in_2.read();
              break;
            default:
              word = in_3.read();
              break;
@@ same: 2
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
@@ same: 46 in line_part.j2, pl_act_pool.cpp, line_store.j2, line_sink.j2, line_next.j2
  bool ends_round() const { return w == kOutWords - 1; }
@@ same: 13 in line_next.j2, flow.h, pl_act_pool.cpp, schedule.h
    round = 0;
@@ same: 4 in line_buffer.h
/// Where the line buffer holds the value that leaves as (channel, y, x).
float value_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int channel, int y, int x, int place) {
#pragma HLS inline
  float found[kBanks];
@@ same: 9 in line_sink.j2
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int, const Next& next, int place) {
@@ same: 9 in line_sink.j2
    const float value = inside ? value_of(line, lane, channel, y, x, place) : 0.0F;
    word.data.range(32 * lane + 31, 32 * lane) = float_bits(value);
@@ same: 14 in line_sink.j2, line_part.j2, pl_act_pool.cpp, line_buffer.h
#pragma HLS bind_storage variable=line type=ram_s2p impl=lutram
@@ same: 6 in line_buffer.h, line_loop.j2
  Quiet<kSettle> quiet;
@@ same: 11 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
      take(beats_0, flow.writes, line);
@@ same: 15 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
}  // namespace work
@@ same: 3 in array_load.cpp.j2
extern "C" void pl_last(
    hls::stream<ap_axiu<64, 0, 0, 0>>& in_0, hls::stream<ap_axiu<64, 0, 0, 0>>& in_1,
    hls::stream<ap_axiu<64, 0, 0, 0>>& in_2, hls::stream<ap_axiu<64, 0, 0, 0>>& in_3,
    hls::stream<ap_axiu<128, 0, 0, 0>>& out) {
#pragma HLS interface axis port=in_0
#pragma HLS interface axis port=in_1
#pragma HLS interface axis port=in_2
#pragma HLS interface axis port=in_3
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<work::Beat> work_taken[work::kWriters][work::kWays];
#pragma HLS stream variable=work_taken depth=32
  hls_thread_local hls::task work_reader_0(work::read_0, in_0, in_1, in_2, in_3, work_taken[0][0]);
  hls_thread_local hls::task work_writer_0(work::write_0, work_taken[0][0], out);
}
