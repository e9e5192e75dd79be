@@ sha256: 230a89e70366dc1e569b970cb622624cddb8faadf3cae8f71d626d5f2b1823f3
// pl_act_pool.cpp: act, pool on programmable logic, 10x13x11 float32 to 10x6x5 float32.
// Made by aieloom 0.1.0 from random's network.yaml; edit that and run: doit gen project=random
// 1 reader(s), 2 beats, each of a channel, of 2 value(s) a cycle each, 2 values side by side, on into the next row: 452 cycles an image
// pool: 2 task(s), 1 result(s) of 2x2 places a cycle each (II=1, for each row and column that they see has a memory): 432 cycles an image
// pool's line buffers: 28 rows in 2 x 2 memories (rows x columns) of 504 values in bram
// 1 writer(s), one word of 4 values a cycle each: 200 cycles an image
// each writer's line buffer: 16 rows in 2 x 2 x 2 memories (ways x copies x banks) of 288 values in bram
@@ same: 76
/// From what c1 sends to what c2 reads.
namespace work {

constexpr int kWays = 2;  // of beats to a writer, each of a share of the channels
constexpr int kWriters = 1;  // tasks that write, one for each stream
constexpr int kBeat = 1;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 180;  // of an image on each way
constexpr int kCopies = 2;  // of a line buffer: rows of K in an output word
constexpr int kPixels = 2;  // neighbouring pixels that a word takes from a copy
constexpr int kBanks = 2;  // of a copy: neighbouring pixels lie in different ones
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
constexpr int kShift = 0;  // keeps columns left of the image positive
constexpr int kStep = 1;  // columns from one output pixel to the next
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
@@ same: 7
constexpr int kNeeds[kOutRounds + 1] = {180, 180};
constexpr int kRoom[kOutRounds + 1] = {480, 480};

using InWord = ap_axiu<kInBits, 0, 0, 0>;
@@ same: 10
/// leaky_relu: values that are not above 0 times -0.25F.
float act_value(float x) { return x > 0.0F ? x : x * -0.25F; }
@@ same: 22
constexpr int kInLanes = 4;  // values of a word: 128 / 32
@@ same: 4
constexpr int kInTileBeats = 432;  // of a tile, for each way
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 1;  // cores along the pixels
constexpr int kInTileM = 12;  // channels of a tile
constexpr int kInTileN = 144;  // pixels of a tile
constexpr int kInBlockRows = 4;  // channels of an mmul block
constexpr int kInBlockCols = 2;  // pixels of an mmul block
constexpr int kInColTiles = 72;  // 144 / 2
constexpr int kInChannels = 10;  // of the image that arrives
constexpr int kInPixels = 143;  // 13 x 11
constexpr int kBeat = 2;  // neighbouring values that come together
constexpr int kOutBeat = 1;  // neighbouring results that leave together
constexpr int kChannels = 10;  // 10x13x11 float32
constexpr int kAddressBits = 9;  // for 504 words
constexpr int kBeats = 432;  // of an image on each way
constexpr int kInHeight = 13;  // of the image that comes
constexpr int kInWidth = 11;  // of the image that comes
constexpr int kOutHeight = 6;  // rows of the result, 10x6x5 float32
constexpr int kOutBeats = 5;  // of a row of 5 results
constexpr int kMost = 864;  // beats that may have come since an image's first
constexpr int kTurn = 252;  // words of a bank from an image's first row to the next one's
constexpr int kRowBanks = 2;  // rows that a window sees lie in different banks
constexpr int kBanks = 2;  // and so do the columns that a beat's windows see
constexpr int kRows = 14;  // rows of a bank: 28 of the image in all
constexpr int kColumns = 6;  // words of a bank for a row
constexpr int kDepth = 504;  // words of a bank: 6 x 14 x 6
constexpr int kRowBits = 1;  // for 2 row(s)
constexpr int kColumnBits = 4;  // for 11 columns
@@ same: 11
/// Neighbouring pixels of a channel, the last of which may be the first of the next row, and their place in the line buffer.
struct Beat {
  float value[kBeat];
  ap_uint<kAddressBits> address;  // of the row
  ap_uint<kAddressBits> behind;   // of the next one
  ap_uint<kRowBits> row;          // its banks
  ap_uint<kColumnBits> column;    // of the first pixel
  bool keep;                      // false: outside the image
  bool more;                      // false: the image ends with the row
@@ same: 12
  beat.address = (y / kRowBanks % kRows * kSetChannels + channel) * kColumns;
  beat.behind = ((y + 1) / kRowBanks % kRows * kSetChannels + channel) * kColumns;
  beat.row = y % kRowBanks;
  beat.column = x;
  beat.more = y + 1 < kInHeight;
@@ same: 13
/// Stores a beat: each bank is written at most once, for two rows lie in different ones.
@@ same: 4
    const bool begins = row == static_cast<int>(beat.row);
    const bool goes_on = row == (static_cast<int>(beat.row) + 1) % kRowBanks && beat.more;
    for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
      float value = beat.value[0];
      int x = kInWidth;
      for (int i = 0; i < kBeat; ++i) {
#pragma HLS unroll
        const int at = static_cast<int>(beat.column) + i;
        const int column = at < kInWidth ? at : at - kInWidth;
        if (column % kBanks == bank && (at < kInWidth ? begins : goes_on)) {
          value = beat.value[i];
          x = column;
        }
      }
      if (beat.keep && x < kInWidth) {
        const int address = begins ? static_cast<int>(beat.address) : static_cast<int>(beat.behind);
        line[row][bank][in_ring<kDepth>(address + x / kBanks, place)] = value;
@@ same: 5
// Beats of an image that must have come before each row of the result is sent, and that may come meanwhile: where no later row
// reads what they replace; more than kBeats are the next image's. The first row's stand behind the last.
constexpr int kNeeds[kOutHeight + 1] = {432, 432, 432, 432, 432, 432, 432};
constexpr int kRoom[kOutHeight + 1] = {864, 864, 864, 864, 864, 864, 864};
@@ same: 73
  const int whole = way / kTogether * kReadChannels + channel * kTogether + way % kTogether;
@@ same: 47
void window_1(hls::stream<Beat>& beats, hls::stream<Line>& results) {
  window(1, beats, results);
@@ same: 15
Beat beat_of_tile(ap_uint<kInBits> word, int reader, int band, int tile, int number, int word_row) {
@@ same: 4
  const int block_row = number * kInStride / kInBlockCols * kTogether + word_row;
  const int element = block_row * kInBlockCols + number * kInStride % kInBlockCols;
@@ same: 5
  const bool keep = reader * kReadChannels + channel < kInChannels && pixel < kInPixels;
  return beat_of(word, element % kInLanes, channel / kTogether, pixel / kInWidth, pixel % kInWidth, keep);
@@ same: 5
    hls::stream<InWord>& in, hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1) {
@@ same: 12
        beats_0.write(beat_of_tile(word.data, 0, band, tile, number, 0));
        beats_1.write(beat_of_tile(word.data, 0, band, tile, number, 1));
@@ same: 27
/// Takes one beat of every way.
void take(hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
#pragma HLS inline
  store(beats_0.read(), place, line[0]);
  store(beats_1.read(), place, line[1]);
@@ same: 5
  const int way = channel / kReadChannels * kTogether + channel % kTogether;
  const int number = channel % kReadChannels / kTogether;
@@ same: 98
void write(int writer, hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, hls::stream<OutWord>& out) {
@@ same: 19
    const bool takes = flow.taken < room && (waits || !(beats_0.empty() || beats_1.empty()));
@@ same: 4
      take(beats_0, beats_1, flow.writes, line);
@@ same: 10
void write_0(
    hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, hls::stream<OutWord>& out) {
  write(0, beats_0, beats_1, out);
}

}  // namespace work
@@ same: 3
extern "C" void pl_act_pool(
    hls::stream<ap_axiu<128, 0, 0, 0>>& in, hls::stream<ap_axiu<128, 0, 0, 0>>& out) {
@@ same: 5
  hls_thread_local hls::stream<work::pool_lines::Beat> work_to_pool[work::kWays];
#pragma HLS stream variable=work_to_pool depth=32
  hls_thread_local hls::task work_reader_0(work::pool_lines::read_0,
      in, work_to_pool[0], work_to_pool[1]);
  hls_thread_local hls::task work_task_pool_0(work::pool_lines::window_0,
      work_to_pool[0], work_taken[0][0]);
  hls_thread_local hls::task work_task_pool_1(work::pool_lines::window_1,
      work_to_pool[1], work_taken[0][1]);
  hls_thread_local hls::task work_writer_0(work::write_0,
      work_taken[0][0], work_taken[0][1], out);
}
