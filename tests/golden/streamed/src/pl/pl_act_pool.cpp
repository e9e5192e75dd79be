@@ sha256: 9bd105c44d761a7a176f1fbc421d75e2c41aa88789520a013af009358202a1b4
// pl_act_pool.cpp: act, pool on programmable logic, 8x8x16 float32 to 8x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// from0: 1 reader(s), one beat of 2 value(s) a cycle each, 2 values side by side: 532 cycles an image
// from0: pool: 1 task(s), 1 result(s) of 2x2 places a cycle each (II=1, for each row and column that they see has a memory): 512 cycles an image
// from0: pool's line buffers: 16 rows in 2 x 2 memories (rows x columns) of 512 values in bram
// from0: 1 writer(s), one word of 4 values a cycle each: 256 cycles an image
// from0: each writer's line buffer: 2 rows in 1 x 1 x 4 memories (ways x copies x banks) of 32 values in lutram
// to0: 1 reader(s), one beat of 2 value(s) a cycle each, 2 values side by side: 148 cycles an image
// to0: 4 writer(s), one word of 2 values a cycle each: 288 cycles an image
// to0: each writer's line buffer: 6 rows in 1 x 1 x 2 memories (ways x copies x banks) of 192 values in lutram, rows that its own tiles see
// queue for second: 64 beats of 128 bits in lutram
// queue for pl_sum: 64 beats of 128 bits in lutram
// 4 value(s) a cycle join or part: 64 cycles an image
@@ same: 29 in words.h, circuit.cpp.j2, kernel.cpp.j2, row_load.cpp.j2, elements.j2, line_types.j2
constexpr int kSettle = 32;  // steps from a beat's way into a line buffer until it may be read
@@ same: 52 in line_types.j2, flow.h, lines.j2
/// Sends the image as beats, one a cycle: II=1.
void send_1(hls::stream<Row<128>>& rows, hls::stream<ap_axiu<128, 0, 0, 0>>& out) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
    ap_axiu<128, 0, 0, 0> word;
@@ same: 2
    word.last = i == 64 - 1;
@@ same: 6 in lines.j2
    hls::stream<Row<128>>& rows, hls::stream<Row<128>>& forked_0, hls::stream<Row<128>>& forked_1) {
@@ same: 2
    const Row<128> beat = rows.read();
    forked_0.write(beat);
    forked_1.write(beat);
@@ same: 3
/// Brings what first sends in order of rows.
@@ same: 2
constexpr int kWays = 1;  // of beats to a writer, each of a share of the channels
constexpr int kWriters = 1;  // tasks that write, one for each stream
constexpr int kBeat = 1;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 256;  // of an image on each way
constexpr int kCopies = 1;  // of a line buffer: rows of K in an output word
constexpr int kPixels = 4;  // neighbouring pixels that a word takes from a copy
constexpr int kBanks = 4;  // of a copy: neighbouring pixels lie in different ones
constexpr int kRows = 2;  // of an image that a line buffer holds
constexpr int kColumns = 2;  // words of a bank for a row of 8 pixels
constexpr int kSetChannels = 8;  // that a way brings
constexpr int kDepth = 32;  // words of a bank: 2 x 8 x 2
constexpr int kTurn = 0;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 320;  // beats that may have come since an image's first
constexpr int kAddressBits = 5;  // for 32 words
constexpr int kBankBits = 2;  // for 4 banks
constexpr int kShift = 0;  // keeps columns left of the image positive
constexpr int kStep = 1;  // columns from one output pixel to the next
constexpr int kInWidth = 8;  // of the image that reaches the writers
constexpr int kLanes = 4;  // values of an output word
constexpr int kInBits = 64;  // width of an input stream
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutRounds = 4;  // rows of the input
constexpr int kOutWords = 16;  // of a round
constexpr int kOutChannels = 8;  // of the result
constexpr int kOutWidth = 8;  // of the result
@@ same: 3 in line_part.j2
constexpr int kNeeds[kOutRounds + 1] = {64, 128, 192, 256, 64};
constexpr int kRoom[kOutRounds + 1] = {128, 192, 256, 320, 128};
@@ same: 2
using OutWord = Row<kOutBits>;

@@ same: 2
  float value[kBeat];
@@ same: 10 in line_beat.j2, pl_act.cpp, line_stages.j2
/// Computes kBeat neighbouring values of a channel, side by side, and says where they go.
Line beat_of_line(const float (&values)[kBeat], int channel, int y, int x, bool keep) {
#pragma HLS inline
  Line beat;
@@ same: 2
    float value = values[i];
@@ same: 2
  const int across = x / kStep;
  beat.address = (y % kRows * kSetChannels + channel) * kColumns + across / kBanks * kStep + x % kStep;
  beat.bank = across % kBanks;
@@ same: 4 in line_readers.j2
/// pool: what it keeps of what a way brings.
namespace pool_lines {

constexpr int kInLanes = 2;  // values of a word: 64 / 32
constexpr int kInStride = 2;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
constexpr int kInShare = 1;  // parts of the channels that a reader takes
constexpr int kInTiles = 1;  // that a reader takes in turn: 1 groups x 1
constexpr int kInTileBeats = 512;  // of a tile, for each way
@@ same: 2
constexpr int kInTileM = 8;  // channels of a tile
constexpr int kInTileN = 128;  // pixels of a tile
constexpr int kInBlockRows = 1;  // channels of an mmul block
constexpr int kInBlockCols = 8;  // pixels of an mmul block
constexpr int kInColTiles = 16;  // 128 / 8
constexpr int kInChannels = 8;  // of the image that arrives
constexpr int kInPixels = 128;  // 8 x 16
constexpr int kBeat = 2;  // neighbouring values that come together
constexpr int kOutBeat = 1;  // neighbouring results that leave together
constexpr int kChannels = 8;  // 8x8x16 float32
constexpr int kAddressBits = 9;  // for 512 words
constexpr int kBeats = 512;  // of an image on each way
constexpr int kInHeight = 8;  // of the image that comes
constexpr int kInWidth = 16;  // of the image that comes
constexpr int kOutHeight = 4;  // rows of the result, 8x4x8 float32
constexpr int kOutBeats = 8;  // of a row of 8 results
constexpr int kMost = 1024;  // beats that may have come since an image's first
constexpr int kTurn = 256;  // words of a bank from an image's first row to the next one's
constexpr int kRowBanks = 2;  // rows that a window sees lie in different banks
constexpr int kBanks = 2;  // and so do the columns that a beat's windows see
constexpr int kRows = 8;  // rows of a bank: 16 of the image in all
constexpr int kColumns = 8;  // words of a bank for a row
constexpr int kDepth = 512;  // words of a bank: 8 x 8 x 8
constexpr int kRowBits = 1;  // for 2 row(s)
constexpr int kBankBits = 1;  // for 2 bank(s)
constexpr int kKernelY = 2;  // places that a result sees
constexpr int kKernelX = 2;  // places that a result sees
constexpr int kStrideY = 2;  // rows from one window to the next
constexpr int kStrideX = 2;  // columns from one window to the next
constexpr int kTop = 0;  // rows above the image that the first windows see
constexpr int kLeft = 0;  // columns left of the image that the first windows see
constexpr int kUpY = 1;  // times that each window's result is shown
constexpr int kUpX = 1;  // times that each window's result is shown
constexpr int kShiftY = 0;  // keeps rows above the image positive
constexpr int kShiftX = 0;  // keeps columns left of the image positive

@@ same: 2
  float value[kBeat];
@@ same: 6 in line_beat.j2
/// Computes kBeat neighbouring values of a channel, side by side, and says where they go.
Beat pool_beat(const float (&values)[kBeat], int channel, int y, int x, bool keep) {
#pragma HLS inline
@@ same: 3 in line_readers.j2
    float value = values[i];
    value = act_value(value);
@@ same: 9 in line_readers.j2, line_place.j2
/// max_pool: the largest value of a window, NaN if it has one; outside the image lies minus infinity.
struct pool_fold {
@@ same: 7 in max_fold.h.j2
/// Stores a beat: each bank is written at most once.
void store(const Beat& beat, int place, float (&line)[kRowBanks][kBanks][kDepth]) {
@@ same: 14 in line_store.j2, line_stage.j2
constexpr int kNeeds[kOutHeight + 1] = {512, 512, 512, 512, 512};
constexpr int kRoom[kOutHeight + 1] = {1024, 1024, 1024, 1024, 1024};
@@ same: 3 in line_stage.j2
    const float (&line)[kRowBanks][kBanks][kDepth], int channel, int y, int x, bool real, int place,
    float (&results)[kOutBeat]) {
@@ same: 3 in line_stage.j2
  float found[kRowBanks][kBanks];
@@ same: 8 in line_stage.j2
      found[i][j] = inside ? line[i][j][in_ring<kDepth>(address, place)] : 0.0F;
@@ same: 4 in line_stage.j2
    pool_fold window;
@@ same: 16 in line_stage.j2, line_next.j2
  ap_uint<bits_of(kOutHeight)> round = 0;
  ap_uint<bits_of(kSetChannels)> channel = 0;
  ap_uint<bits_of(kOutBeats)> beat = 0;
@@ same: 2
  bool ends_round() const { return channel == kSetChannels - 1 && beat == kOutBeats - 1; }
@@ same: 4 in line_next.j2, flow.h
    if (beat != kOutBeats - 1) {
      ++beat;
@@ same: 2
    beat = 0;
    if (channel != kSetChannels - 1) {
      ++channel;
@@ same: 2
    channel = 0;
    if (round != kOutHeight - 1) {
      ++round;
@@ same: 2
    round = 0;
@@ same: 5 in line_buffer.h, line_stage.j2
Line result_of(const float (&line)[kRowBanks][kBanks][kDepth], int way, const Next& next, int place) {
@@ same: 3 in line_stage.j2
  const int whole = way * kSetChannels + channel;
  const bool real = whole < kChannels;
  float values[kOutBeat];
  fold(line, channel, next.round, x, real, place, values);
  return beat_of_line(values, channel, next.round, x, real);
@@ same: 4 in line_stage.j2
void window(int way, hls::stream<Beat>& beats, hls::stream<Line>& results) {
#pragma HLS inline
  float line[kRowBanks][kBanks][kDepth];
@@ same: 2
#pragma HLS bind_storage variable=line type=ram_s2p impl=bram
@@ same: 6 in line_buffer.h, line_loop.j2
  Quiet<40> quiet;
@@ same: 6 in line_loop.j2, line_buffer.h
    const bool takes = flow.taken < room && (waits || !(beats.empty()));
    if (sends) {
      results.write(result_of(line, way, next, flow.reads));
@@ same: 2
      store(beats.read(), flow.writes, line);
@@ same: 10 in line_loop.j2, line_buffer.h
void window_0(hls::stream<Beat>& beats, hls::stream<Line>& results) {
  window(0, beats, results);
@@ same: 5 in line_readers.j2
  float values[kBeat];
@@ same: 3 in line_readers.j2
    values[i] = as_float(word.range(32 * lane + 31, 32 * lane));
  }
  return pool_beat(values, channel, y, x, keep);
@@ same: 2
/// A beat of a tile, of which `word` has come: its place follows from its number alone.
Beat beat_of_tile(ap_uint<kInBits> word, int reader, int band, int tile, int number) {
@@ same: 4 in line_readers.j2
  const int element = number * kInStride;
@@ same: 9 in line_readers.j2
/// Brings a beat a cycle, at most one word of 1 stream(s), tile after tile: II=1, the loops are one. They end with
/// an image, so that its last beats leave: a stream from outside may only be waited for [UG1399 2022.2, Non-Blocking API].
void read_0(
    hls::stream<InWord>& in, hls::stream<Beat>& beats) {
@@ same: 7 in line_readers.j2
            default:
              word = in.read();
              break;
@@ same: 2
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
@@ same: 5
}  // namespace pool_lines
@@ same: 7 in line_part.j2
/// Stores a beat of one way in all copies: each bank is written at most once.
void store(const Beat& beat, int place, float (&line)[kCopies][kBanks][kDepth]) {
@@ same: 13 in line_store.j2, line_sink.j2, line_part.j2
void take(hls::stream<Beat>& beats_0, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
#pragma HLS inline
  store(beats_0.read(), place, line[0]);
@@ same: 3 in line_part.j2
float look(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int bank, int channel, int row, int x, int place) {
#pragma HLS inline
@@ same: 8 in line_part.j2, line_next.j2
  ap_uint<bits_of(kOutRounds)> round = 0;
  ap_uint<bits_of(kOutWords)> w = 0;
@@ same: 2
  bool ends_round() const { return w == kOutWords - 1; }
@@ same: 4 in line_next.j2, flow.h
    if (w != kOutWords - 1) {
      ++w;
@@ same: 2
    w = 0;
    if (round != kOutRounds - 1) {
      ++round;
@@ same: 2
    round = 0;
@@ same: 6 in line_buffer.h, line_row.j2
    const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int channel, int row, int left, bool inside,
    int place, float (&values)[kPixels]) {
@@ same: 2
  float found[kBanks];
@@ same: 4 in line_sink.j2, line_row.j2
    found[bank] = inside && 0 <= x && x < kInWidth ? look(line, copy, bank, channel, row, x, place) : 0.0F;
@@ same: 8 in line_sink.j2
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int, const Next& next, int place) {
@@ same: 7 in line_sink.j2
    float values[kPixels];
@@ same: 4 in line_sink.j2
      word.data.range(32 * lane + 31, 32 * lane) = float_bits(values[i]);
@@ same: 7 in line_sink.j2, line_part.j2
void write(int writer, hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
#pragma HLS inline
  float line[kWays][kCopies][kBanks][kDepth];
@@ same: 3 in line_buffer.h
#pragma HLS bind_storage variable=line type=ram_s2p impl=lutram
@@ same: 6 in line_buffer.h, line_loop.j2
  Quiet<kSettle> quiet;
@@ same: 6 in line_loop.j2, line_buffer.h
    const bool takes = flow.taken < room && (waits || !(beats_0.empty()));
    if (sends) {
      out.write(word_of(line, writer, next, flow.reads));
@@ same: 2
      take(beats_0, flow.writes, line);
@@ same: 10 in line_loop.j2, line_buffer.h
void write_0(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(0, beats_0, out);
@@ same: 4 in pl_act.cpp
/// Keeps the lines that second reads.
@@ same: 2
constexpr int kWays = 1;  // of beats to a writer, each of a share of the channels
constexpr int kWriters = 4;  // tasks that write, one for each stream
constexpr int kBeat = 2;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 128;  // of an image on each way
constexpr int kCopies = 1;  // of a line buffer: rows of K in an output word
constexpr int kPixels = 2;  // neighbouring pixels that a word takes from a copy
constexpr int kBanks = 2;  // of a copy: neighbouring pixels lie in different ones
constexpr int kRowBits = 2;  // for 4 rows
constexpr int kColumns = 4;  // words of a bank for a row of 8 pixels
constexpr int kSetChannels = 8;  // that a way brings
constexpr int kDepth = 192;  // words of a bank: 6 x 8 x 4
constexpr int kTurn = 96;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 256;  // beats that may have come since an image's first
constexpr int kAddressBits = 8;  // for 192 words
constexpr int kBankBits = 1;  // for 2 banks
constexpr int kShift = 2;  // keeps columns left of the image positive
constexpr int kStep = 1;  // columns from one output pixel to the next
constexpr int kInHeight = 4;  // of the image that arrives
constexpr int kInWidth = 8;  // of the image that arrives
constexpr int kLanes = 2;  // values of an output word
@@ same: 2
constexpr int kInStride = 2;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 2;  // of a word, for each way
constexpr int kInRounds = 1;  // an image in whole
constexpr int kInTiles = 1;  // of which a reader takes all
constexpr int kInTileBeats = 128;  // of an image
constexpr int kInSize = 256;  // 8x4x8 float32
constexpr int kInChannels = 8;  // of the image that arrives
constexpr int kOutBits = 64;  // width of an output stream
constexpr int kOutRounds = 1;  // tiles that each group works on, one after another
constexpr int kOutGroups = 4;  // cores along the pixels
constexpr int kOutPasses = 1;  // tiles along K = 72
constexpr int kOutTileK = 72;  // rows of a tile: inputs of one output
constexpr int kOutTileN = 8;  // columns of a tile: output pixels
@@ same: 2
constexpr int kOutColTiles = 2;  // 8 / 4
constexpr int kOutDepth = 36;  // 72 / 2
constexpr int kOutBlockWords = 4;  // 2 x 4 / 2
constexpr int kOutWidth = 8;  // of the convolution's output
constexpr int kOutPixels = 32;  // 4 x 8
@@ same: 10 in pl_act.cpp, line_part.j2
constexpr int kNeeds[kOutRounds + 1] = {128, 128};
constexpr int kRoom[kOutRounds + 1] = {256, 256};

using InWord = Row<kInBits>;
@@ same: 4 in frames.j2, line_beat.j2
  float value[kBeat];
  ap_uint<kRowBits> row;  // of the image: each writer knows where it keeps it
@@ same: 12 in line_beat.j2, line_readers.j2
    float value = as_float(word.range(32 * lane + 31, 32 * lane));
@@ same: 2
  const int across = x / kStep;
  beat.row = y;
  beat.address = channel * kColumns + across / kBanks * kStep + x % kStep;
  beat.bank = across % kBanks;
@@ same: 4 in line_readers.j2
/// A beat of an image in order of row, channel and column, of which `word` has come: its place follows from its number alone.
@@ same: 12 in line_readers.j2, pl_act_pool.cpp
    hls::stream<InWord>& forked_0, hls::stream<Beat>& beats) {
@@ same: 7 in line_readers.j2
            default:
              word = forked_0.read();
              break;
@@ same: 2
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
@@ same: 7 in line_part.j2
    {0, 1, -1, -1},
    {0, 1, 2, -1},
    {-1, 0, 1, 2},
    {-1, -1, 0, 1},
@@ same: 20 in line_part.j2
    hls::stream<Beat>& beats, hls::stream<Beat>& to_0, hls::stream<Beat>& to_1, hls::stream<Beat>& to_2,
    hls::stream<Beat>& to_3) {
@@ same: 3 in line_part.j2
    to_0.write(kept_by(0, beat));
    to_1.write(kept_by(1, beat));
    to_2.write(kept_by(2, beat));
    to_3.write(kept_by(3, beat));
@@ same: 34 in pl_act_pool.cpp, line_store.j2, line_sink.j2, line_part.j2, line_next.j2
  ap_uint<bits_of(kOutRounds)> round = 0;
  ap_uint<bits_of(kOutPasses)> pass = 0;
  ap_uint<bits_of(kOutColTiles)> nt = 0;
  ap_uint<bits_of(kOutDepth)> kt = 0;
  ap_uint<bits_of(kOutBlockWords)> w = 0;
@@ same: 2
  bool ends_round() const { return pass == kOutPasses - 1 && nt == kOutColTiles - 1 && kt == kOutDepth - 1 && w == kOutBlockWords - 1; }
@@ same: 4 in line_next.j2, flow.h
    if (w != kOutBlockWords - 1) {
      ++w;
@@ same: 2
    w = 0;
    if (kt != kOutDepth - 1) {
      ++kt;
@@ same: 2
    kt = 0;
    if (nt != kOutColTiles - 1) {
      ++nt;
@@ same: 2
    nt = 0;
    if (pass != kOutPasses - 1) {
      ++pass;
@@ same: 2
    pass = 0;
@@ same: 4 in pl_act_pool.cpp, schedule.h
    round = 0;
@@ same: 6 in line_buffer.h, line_sink.j2
    const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int k, int pixel, int writer, int place,
    float (&values)[kPixels]) {
@@ same: 6 in line_sink.j2
  float found[kBanks];
@@ same: 5 in line_sink.j2
    found[bank] = inside ? look(line, copy, bank, channel, row_at(writer, y), x, place) : 0.0F;
@@ same: 7 in line_sink.j2
/// A word of a group's tile of the im2col matrix, [round][pass][nt][kt][k][n], from rows that it keeps.
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int writer, const Next& next, int place) {
@@ same: 9 in line_sink.j2
    const int pixel = tile * kOutTileN + next.nt * kOutBlockCols + column;
    float values[kPixels];
@@ same: 4 in line_sink.j2
      word.data.range(32 * lane + 31, 32 * lane) = float_bits(values[i]);
@@ same: 15 in line_sink.j2, line_part.j2, pl_act_pool.cpp, line_buffer.h
#pragma HLS bind_storage variable=line type=ram_s2p impl=lutram
@@ same: 6 in line_buffer.h, line_loop.j2
  Quiet<kSettle> quiet;
@@ same: 11 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
      take(beats_0, flow.writes, line);
@@ same: 15 in line_loop.j2, line_buffer.h, pl_act_pool.cpp
void write_1(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(1, beats_0, out);
@@ same: 2
void write_2(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(2, beats_0, out);
@@ same: 2
void write_3(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(3, beats_0, out);
@@ same: 2
}  // namespace to0
@@ same: 3 in row_load.cpp.j2
extern "C" void pl_act_pool(
    hls::stream<ap_axiu<64, 0, 0, 0>>& in, hls::stream<ap_axiu<64, 0, 0, 0>>& out0_0,
    hls::stream<ap_axiu<64, 0, 0, 0>>& out0_1, hls::stream<ap_axiu<64, 0, 0, 0>>& out0_2,
    hls::stream<ap_axiu<64, 0, 0, 0>>& out0_3, hls::stream<ap_axiu<128, 0, 0, 0>>& out1) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out0_0
#pragma HLS interface axis port=out0_1
#pragma HLS interface axis port=out0_2
#pragma HLS interface axis port=out0_3
#pragma HLS interface axis port=out1
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<Row<128>> joined;  // what leaves, or is worked on
#pragma HLS stream variable=joined depth=32
  hls_thread_local hls::stream<Row<128>> forked_0;  // an image for second, whatever the others do
#pragma HLS stream variable=forked_0 depth=64
#pragma HLS bind_storage variable=forked_0 type=fifo impl=lutram
  hls_thread_local hls::stream<Row<128>> forked_1;  // an image for pl_sum, whatever the others do
#pragma HLS stream variable=forked_1 depth=64
#pragma HLS bind_storage variable=forked_1 type=fifo impl=lutram
  hls_thread_local hls::stream<from0::Beat> from0_taken[from0::kWriters][from0::kWays];
#pragma HLS stream variable=from0_taken depth=32
  hls_thread_local hls::stream<from0::pool_lines::Beat> from0_to_pool[from0::kWays];
#pragma HLS stream variable=from0_to_pool depth=32
  hls_thread_local hls::stream<to0::Beat> to0_taken[to0::kWriters][to0::kWays];
#pragma HLS stream variable=to0_taken depth=32
  hls_thread_local hls::stream<to0::Beat> to0_beats[to0::kWays];
#pragma HLS stream variable=to0_beats depth=32
  hls_thread_local hls::task from0_reader_0(from0::pool_lines::read_0, in, from0_to_pool[0]);
  hls_thread_local hls::task from0_task_pool_0(from0::pool_lines::window_0, from0_to_pool[0],
      from0_taken[0][0]);
  hls_thread_local hls::task from0_writer_0(from0::write_0, from0_taken[0][0], joined);
  hls_thread_local hls::task to0_reader_0(to0::read_0, forked_0, to0_beats[0]);
  hls_thread_local hls::task to0_share_0(to0::share, to0_beats[0], to0_taken[0][0], to0_taken[1][0],
      to0_taken[2][0], to0_taken[3][0]);
  hls_thread_local hls::task to0_writer_0(to0::write_0, to0_taken[0][0], out0_0);
  hls_thread_local hls::task to0_writer_1(to0::write_1, to0_taken[1][0], out0_1);
  hls_thread_local hls::task to0_writer_2(to0::write_2, to0_taken[2][0], out0_2);
  hls_thread_local hls::task to0_writer_3(to0::write_3, to0_taken[3][0], out0_3);
  hls_thread_local hls::task task_fork(fork_beats, joined, forked_0, forked_1);
  hls_thread_local hls::task task_send_1(send_1, forked_1, out1);
}
