@@ sha256: d6c03b4b7bc57db09150ed00ce760efda4064577f5c6f9494a6a0fa65f1a8ca3
// pl_last.cpp: last on programmable logic, 4x4x8 float32 to 4x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// 1 reader(s), one beat of 2 value(s) a cycle each, 2 values side by side: 84 cycles an image
// 1 writer(s), one word of 4 values a cycle each: 64 cycles an image
// each writer's line buffer: 8 rows in 1 x 4 x 2 memories (ways x copies x banks) of 128 values in lutram
@@ same: 76
/// From what third sends to what s2mm reads.
namespace work {
@@ same: 3
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
constexpr int kLanes = 4;  // values of an output word
constexpr int kInBits = 64;  // width of an input stream
@@ same: 4
constexpr int kInTiles = 4;  // that a reader takes in turn: 4 groups x 1
constexpr int kInTileBeats = 16;  // of a tile, for each way
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 4;  // cores along the pixels
constexpr int kInTileM = 4;  // channels of a tile
constexpr int kInTileN = 8;  // pixels of a tile
constexpr int kInBlockRows = 4;  // channels of an mmul block
constexpr int kInBlockCols = 4;  // pixels of an mmul block
constexpr int kInColTiles = 2;  // 8 / 4
constexpr int kInChannels = 4;  // of the image that arrives
constexpr int kInPixels = 32;  // 4 x 8
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutRounds = 1;  // an image in whole
constexpr int kOutWords = 32;  // of a round
constexpr int kOutValues = 128;  // 4x4x8 float32
constexpr int kOutHeight = 4;  // of the result
@@ same: 4
constexpr int kNeeds[kOutRounds + 1] = {64, 64};
constexpr int kRoom[kOutRounds + 1] = {128, 128};

using InWord = ap_axiu<kInBits, 0, 0, 0>;
@@ same: 10
/// tanh at -2.0F + i / 4.0F, for i = 0 .. 15.
const float last_value_table[16] = {
@@ same: 7
float last_value(float x) {
@@ same: 8
  const float value = last_value_table[inside ? index : 0];
@@ same: 6
#pragma HLS bind_storage variable=last_value_table type=rom_np impl=bram
@@ same: 5
    value = last_value(value);
@@ same: 25
/// Brings a beat a cycle, at most one word of 4 stream(s), tile after tile: II=1, the loops are one. They end with
/// an image, so that its last beats leave: a stream from outside may only be waited for [UG1399 2022.2, Non-Blocking API].
void read_0(
    hls::stream<InWord>& in_0, hls::stream<InWord>& in_1, hls::stream<InWord>& in_2,
    hls::stream<InWord>& in_3, hls::stream<Beat>& beats) {
@@ same: 7
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
@@ same: 69
/// Where the line buffer holds the value that leaves as (channel, y, x).
float value_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int channel, int y, int x, int place) {
#pragma HLS inline
@@ same: 3
    found[bank] = look(line, copy, bank, channel, row_at(0, y), x, place);
  }
  return found[x / kStep % kBanks];
}

/// A word of an image in plain order, channel, row, column, from rows that it keeps; the last one is filled up with zeros.
/// Every value of a word has a copy of its own.
@@ same: 3
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
    const int element = (next.round * kOutWords + next.w) * kLanes + lane;
    const bool inside = element < kOutValues;
    const int channel = inside ? element / (kOutHeight * kOutWidth) : 0;
    const int y = element / kOutWidth % kOutHeight;
    const int x = element % kOutWidth;
    const float value = inside ? value_of(line, lane, channel, y, x, place) : 0.0F;
    word.data.range(32 * lane + 31, 32 * lane) = float_bits(value);
  }
  word.keep = -1;
  word.last = next.round == kOutRounds - 1 && next.ends_round();
@@ same: 46
}  // namespace work
@@ same: 3
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
  hls_thread_local hls::task work_reader_0(work::read_0,
      in_0, in_1, in_2, in_3, work_taken[0][0]);
  hls_thread_local hls::task work_writer_0(work::write_0,
      work_taken[0][0], out);
}
