@@ sha256: c9a41988ccbce14c560d58c8d6e042359af9ae8552fb0232291baa70592fb766
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
@@ same: 3
#include <hls_task.h>

#include <cstdint>
@@ same: 21
// Tasks with line buffers never end: in each step of a loop at II=1 they take what has come and send what is complete, image
// after image. None waits for input while anything is in its pipeline, where a stall would hold it [UG1399, Flushing Pipelines].
constexpr int kSettle = 32;  // steps from a beat's way into a line buffer until it may be read

constexpr int bits_of(int most) { return most < 2 ? 1 : 1 + bits_of(most / 2); }

/// Whether a task has done nothing for so many steps: more than its pipeline is deep.
template <int Depth>
struct Quiet {
  ap_uint<bits_of(Depth)> steps = Depth;

  bool enough() const { return steps == Depth; }

  void step(bool busy) { steps = busy ? 0 : enough() ? Depth : static_cast<int>(steps) + 1; }
};

/// What a task with a line buffer knows of the beats that have come, and where images begin in its ring of rows.
template <int Image, int Most, int Turn, int Depth>
struct Flow {
  ap_uint<kSettle> fresh = 0;           // in which of the last steps beats came
  ap_uint<bits_of(Most)> taken = 0;     // beats since the first one of the image that is sent
  ap_uint<bits_of(Most)> whole = 0;     // of these, which may be read
  ap_uint<bits_of(Image)> arrived = 0;  // of the image that comes
  ap_uint<bits_of(Depth)> reads = 0;    // the ring's place for the image that is sent
  ap_uint<bits_of(Depth)> writes = 0;   // and for the one that comes

  static int behind(int place) { return place + Turn < Depth ? place + Turn : place + Turn - Depth; }

  void step(bool takes, bool ends) {
#pragma HLS inline
    const int gone = ends ? Image : 0;
    taken = static_cast<int>(taken) + (takes ? 1 : 0) - gone;
    whole = static_cast<int>(whole) + (fresh[kSettle - 1] ? 1 : 0) - gone;
    fresh = (fresh << 1) | ap_uint<kSettle>(takes ? 1 : 0);
    const bool last = takes && arrived == Image - 1;
    arrived = last ? 0 : static_cast<int>(arrived) + (takes ? 1 : 0);
    writes = last ? behind(writes) : static_cast<int>(writes);
    reads = ends ? behind(reads) : static_cast<int>(reads);
  }
};

/// The word of a memory that holds what is `address` words behind the ring's place for an image.
template <int Depth>
int in_ring(int address, int place) {
#pragma HLS inline
  const int word = address + place;
  return word < Depth ? word : word - Depth;
}

/// A beat inside the kernel: neighbouring values of a row of a channel; rows in order of row, channel and column.
template <int kBits>
struct Row {
  ap_uint<kBits> data;
};

/// Sends the image as beats, one a cycle: II=1.
void send_1(hls::stream<Row<128>>& rows, hls::stream<ap_axiu<128, 0, 0, 0>>& out) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
    ap_axiu<128, 0, 0, 0> word;
    word.data = rows.read().data;
    word.keep = -1;
    word.last = i == 64 - 1;
    out.write(word);
@@ same: 3
/// Gives each beat to every outlet: II=1.
void fork_beats(
    hls::stream<Row<128>>& rows, hls::stream<Row<128>>& forked_0, hls::stream<Row<128>>& forked_1) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
    const Row<128> beat = rows.read();
    forked_0.write(beat);
    forked_1.write(beat);
@@ same: 3
/// Brings what first sends in order of rows.
namespace from0 {

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

// Beats of an image on each way that must have come before each round is sent, and that may come meanwhile: where no later
// round reads what they replace; more than kBeats are the next image's. The first round's stand behind the last.
constexpr int kNeeds[kOutRounds + 1] = {64, 128, 192, 256, 64};
constexpr int kRoom[kOutRounds + 1] = {128, 192, 256, 320, 128};

using InWord = ap_axiu<kInBits, 0, 0, 0>;
using OutWord = Row<kOutBits>;

/// Neighbouring pixels of a channel, and their place in the line buffers: one word in each of kBeat banks.
struct Beat {
  float value[kBeat];
  ap_uint<kAddressBits> address;
  ap_uint<kBankBits> bank;  // the first one
  bool keep;                // false: outside the image
};
@@ same: 3

using Line = Beat;  // what the writers take; the layers before them have beats of their own

/// Computes kBeat neighbouring values of a channel, side by side, and says where they go.
Line beat_of_line(const float (&values)[kBeat], int channel, int y, int x, bool keep) {
#pragma HLS inline
  Line beat;
  for (int i = 0; i < kBeat; ++i) {
#pragma HLS unroll
    float value = values[i];
    beat.value[i] = value;
  }
  const int across = x / kStep;
  beat.address = (y % kRows * kSetChannels + channel) * kColumns + across / kBanks * kStep + x % kStep;
  beat.bank = across % kBanks;
  beat.keep = keep;
  return beat;
}

/// pool: what it keeps of what a way brings.
namespace pool_lines {

constexpr int kInLanes = 2;  // values of a word: 64 / 32
constexpr int kInStride = 2;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
constexpr int kInShare = 1;  // parts of the channels that a reader takes
constexpr int kInTiles = 1;  // that a reader takes in turn: 1 groups x 1
constexpr int kInTileBeats = 512;  // of a tile, for each way
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 1;  // cores along the pixels
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

/// Neighbouring pixels of a channel, and their place in the line buffer: one word in each of kBeat banks of a row.
struct Beat {
  float value[kBeat];
  ap_uint<kAddressBits> address;
  ap_uint<kRowBits> row;    // its banks
  ap_uint<kBankBits> bank;  // the first one
  bool keep;                // false: outside the image
};

/// Computes kBeat neighbouring values of a channel, side by side, and says where they go.
Beat pool_beat(const float (&values)[kBeat], int channel, int y, int x, bool keep) {
#pragma HLS inline
  Beat beat;
  for (int i = 0; i < kBeat; ++i) {
#pragma HLS unroll
    float value = values[i];
    value = act_value(value);
    beat.value[i] = value;
  }
  beat.address = (y / kRowBanks % kRows * kSetChannels + channel) * kColumns + x / kBanks;
  beat.row = y % kRowBanks;
  beat.bank = x % kBanks;
  beat.keep = keep;
  return beat;
}

/// max_pool: the largest value of a window, NaN if it has one; outside the image lies minus infinity.
struct pool_fold {
  float best = as_float(0xFF800000U);  // minus infinity

  void take(float value, bool inside) { best = inside && (value > best || value != value) ? value : best; }

  float result() const { return best; }
};

/// Stores a beat: each bank is written at most once.
void store(const Beat& beat, int place, float (&line)[kRowBanks][kBanks][kDepth]) {
#pragma HLS inline
  for (int row = 0; row < kRowBanks; ++row) {
#pragma HLS unroll
    for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
      if (beat.keep && row == static_cast<int>(beat.row) && bank / kBeat == static_cast<int>(beat.bank) / kBeat) {
        line[row][bank][in_ring<kDepth>(beat.address, place)] = beat.value[bank % kBeat];
@@ same: 5
// Beats of an image that must have come before each row of the result is sent, and that may come meanwhile: where no later row
// reads what they replace; more than kBeats are the next image's. The first row's stand behind the last.
constexpr int kNeeds[kOutHeight + 1] = {512, 512, 512, 512, 512};
constexpr int kRoom[kOutHeight + 1] = {1024, 1024, 1024, 1024, 1024};

/// Folds the windows of kOutBeat neighbouring results from (y, x) on: every bank is read once, for all places that they see.
void fold(
    const float (&line)[kRowBanks][kBanks][kDepth], int channel, int y, int x, bool real, int place,
    float (&results)[kOutBeat]) {
#pragma HLS inline
  const int top = y / kUpY * kStrideY - kTop;
  const int left = x / kUpX * kStrideX - kLeft;
  float found[kRowBanks][kBanks];
  for (int i = 0; i < kRowBanks; ++i) {
#pragma HLS unroll
    for (int j = 0; j < kBanks; ++j) {
#pragma HLS unroll
      const int row = top + (i + kRowBanks - (top + kShiftY) % kRowBanks) % kRowBanks;
      const int column = left + (j + kBanks - (left + kShiftX) % kBanks) % kBanks;
      const bool inside = real && 0 <= row && row < kInHeight && 0 <= column && column < kInWidth;
      const int address = (row / kRowBanks % kRows * kSetChannels + channel) * kColumns + column / kBanks;
      found[i][j] = inside ? line[i][j][in_ring<kDepth>(address, place)] : 0.0F;
    }
  }
  for (int i = 0; i < kOutBeat; ++i) {
#pragma HLS unroll
    pool_fold window;
    for (int dy = 0; dy < kKernelY; ++dy) {
#pragma HLS unroll
      for (int dx = 0; dx < kKernelX; ++dx) {
#pragma HLS unroll
        const int row = top + dy;
        const int column = (x + i) / kUpX * kStrideX - kLeft + dx;
        const bool inside = 0 <= row && row < kInHeight && 0 <= column && column < kInWidth;
        window.take(found[(row + kShiftY) % kRowBanks][(column + kShiftX) % kBanks], inside);
      }
    }
    results[i] = window.result();
@@ same: 3
/// What is sent next.
struct Next {
  ap_uint<bits_of(kOutHeight)> round = 0;
  ap_uint<bits_of(kSetChannels)> channel = 0;
  ap_uint<bits_of(kOutBeats)> beat = 0;

  /// Whether it is the last of its round.
  bool ends_round() const { return channel == kSetChannels - 1 && beat == kOutBeats - 1; }

  /// Goes on; returns whether an image is complete.
  bool step() {
#pragma HLS inline
    if (beat != kOutBeats - 1) {
      ++beat;
      return false;
    }
    beat = 0;
    if (channel != kSetChannels - 1) {
      ++channel;
      return false;
    }
    channel = 0;
    if (round != kOutHeight - 1) {
      ++round;
      return false;
    }
    round = 0;
    return true;
  }
};

/// The results that are sent next.
Line result_of(const float (&line)[kRowBanks][kBanks][kDepth], int way, const Next& next, int place) {
#pragma HLS inline
  const int channel = next.channel;
  const int x = next.beat * kOutBeat;
  const int whole = way * kSetChannels + channel;
  const bool real = whole < kChannels;
  float values[kOutBeat];
  fold(line, channel, next.round, x, real, place, values);
  return beat_of_line(values, channel, next.round, x, real);
}

/// Gives the rows of the result in order, of each all channels that a way brings, image after image; takes beats meanwhile.
/// II=1: addresses follow from counters alone; every bank is read once and written once at most.
void window(int way, hls::stream<Beat>& beats, hls::stream<Line>& results) {
#pragma HLS inline
  float line[kRowBanks][kBanks][kDepth];
#pragma HLS array_partition variable=line dim=1 complete
#pragma HLS array_partition variable=line dim=2 complete
#pragma HLS bind_storage variable=line type=ram_s2p impl=bram
// What a step writes is read kSettle steps later at the earliest: a beat counts as whole only then.
#pragma HLS dependence variable=line type=inter direction=RAW dependent=false
#pragma HLS array_partition variable=kNeeds complete
#pragma HLS array_partition variable=kRoom complete
  Next next;
  Flow<kBeats, kMost, kTurn, kDepth> flow;
  Quiet<40> quiet;
  int needs = kNeeds[0];
  int room = kRoom[0];
  for (;;) {
#pragma HLS pipeline II=1
    const bool sends = flow.whole >= needs;
    const bool waits = !sends && quiet.enough();
    const bool takes = flow.taken < room && (waits || !(beats.empty()));
    if (sends) {
      results.write(result_of(line, way, next, flow.reads));
    }
    if (takes) {
      store(beats.read(), flow.writes, line);
    }
    if (sends && next.ends_round()) {
      needs = kNeeds[next.round + 1];
      room = kRoom[next.round + 1];
    }
    flow.step(takes, sends && next.step());
    quiet.step(sends || takes);
@@ same: 3
void window_0(hls::stream<Beat>& beats, hls::stream<Line>& results) {
  window(0, beats, results);
}

/// Brings kBeat values of a word from `first` on.
Beat beat_of(ap_uint<kInBits> word, int first, int channel, int y, int x, bool keep) {
#pragma HLS inline
  float values[kBeat];
  for (int i = 0; i < kBeat; ++i) {
#pragma HLS unroll
    const int lane = first + i;
    values[i] = as_float(word.range(32 * lane + 31, 32 * lane));
  }
  return pool_beat(values, channel, y, x, keep);
}

/// A beat of a tile, of which `word` has come: its place follows from its number alone.
Beat beat_of_tile(ap_uint<kInBits> word, int reader, int band, int tile, int number) {
#pragma HLS inline
  constexpr int kBlock = kInBlockRows * kInBlockCols;
  const int group = tile / kInShare;
  const int part = tile % kInShare;
  const int element = number * kInStride;
  const int block = element / kBlock;
  const int row = element % kBlock / kInBlockCols;
  const int channel = part * kInTileM + block / kInColTiles * kInBlockRows + row;
  const int pixel =
      (band * kInGroups + group) * kInTileN + block % kInColTiles * kInBlockCols + element % kInBlockCols;
  const bool keep = reader * kSetChannels + channel < kInChannels && pixel < kInPixels;
  return beat_of(word, element % kInLanes, channel, pixel / kInWidth, pixel % kInWidth, keep);
}

/// Brings a beat a cycle, at most one word of 1 stream(s), tile after tile: II=1, the loops are one. They end with
/// an image, so that its last beats leave: a stream from outside may only be waited for [UG1399 2022.2, Non-Blocking API].
void read_0(
    hls::stream<InWord>& in, hls::stream<Beat>& beats) {
  InWord word;
  for (int band = 0; band < kInRounds; ++band) {
    for (int tile = 0; tile < kInTiles; ++tile) {
      for (int number = 0; number < kInTileBeats; ++number) {
#pragma HLS pipeline II=1
        if (number % kInWordBeats == 0) {
          switch (tile) {
            default:
              word = in.read();
              break;
          }
        }
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
@@ same: 5
}  // namespace pool_lines

/// The row of a writer's ring that holds row `y`.
int row_at(int, int y) {
#pragma HLS inline
  return y % kRows;
}

/// Stores a beat of one way in all copies: each bank is written at most once.
void store(const Beat& beat, int place, float (&line)[kCopies][kBanks][kDepth]) {
#pragma HLS inline
  for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
    for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
      if (beat.keep && bank / kBeat == static_cast<int>(beat.bank) / kBeat) {
        line[copy][bank][in_ring<kDepth>(beat.address, place)] = beat.value[bank % kBeat];
@@ same: 5
/// Takes one beat of every way.
void take(hls::stream<Beat>& beats_0, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
#pragma HLS inline
  store(beats_0.read(), place, line[0]);
}

/// What bank `bank` of a copy holds of (channel, row of the ring, x): all banks of all ways are read once, one value is chosen.
float look(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int bank, int channel, int row, int x, int place) {
#pragma HLS inline
  const int way = channel / kSetChannels;
  const int number = channel % kSetChannels;
  const int address = (row * kSetChannels + number) * kColumns + x / kStep / kBanks * kStep + x % kStep;
  return line[way][copy][bank][in_ring<kDepth>(address, place)];
}

/// What is sent next.
struct Next {
  ap_uint<bits_of(kOutRounds)> round = 0;
  ap_uint<bits_of(kOutWords)> w = 0;

  /// Whether it is the last of its round.
  bool ends_round() const { return w == kOutWords - 1; }

  /// Goes on; returns whether an image is complete.
  bool step() {
#pragma HLS inline
    if (w != kOutWords - 1) {
      ++w;
      return false;
    }
    w = 0;
    if (round != kOutRounds - 1) {
      ++round;
      return false;
    }
    round = 0;
    return true;
  }
};

/// kPixels values of a row, kStep columns apart, from column `left` on: each bank of a copy is read once.
void row_of(
    const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int channel, int row, int left, bool inside,
    int place, float (&values)[kPixels]) {
#pragma HLS inline
  const int first = (left + kShift) / kStep;  // not negative
  float found[kBanks];
  for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
    const int across = first + (bank + kBanks - first % kBanks) % kBanks;
    const int x = across * kStep + (left + kShift) % kStep - kShift;
    found[bank] = inside && 0 <= x && x < kInWidth ? look(line, copy, bank, channel, row, x, place) : 0.0F;
  }
  for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
    values[i] = found[(first + i) % kBanks];
@@ same: 3
/// A word of an image in order of row, channel and column, from rows that it keeps.
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int, const Next& next, int place) {
#pragma HLS inline
  OutWord word;
  for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
    const int element = (next.round * kOutWords + next.w) * kLanes + copy * kPixels;
    const int channel = element / kOutWidth % kOutChannels;
    const int y = element / (kOutChannels * kOutWidth);
    float values[kPixels];
    row_of(line, copy, channel, row_at(0, y), element % kOutWidth, true, place, values);
    for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
      const int lane = copy * kPixels + i;
      word.data.range(32 * lane + 31, 32 * lane) = float_bits(values[i]);
    }
  }
  return word;
}

/// Sends word after word, image after image, and takes beats meanwhile.
/// II=1: a word's addresses follow from counters alone; every bank is read once and written once at most.
void write(int writer, hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
#pragma HLS inline
  float line[kWays][kCopies][kBanks][kDepth];
#pragma HLS array_partition variable=line dim=1 complete
#pragma HLS array_partition variable=line dim=2 complete
#pragma HLS array_partition variable=line dim=3 complete
#pragma HLS bind_storage variable=line type=ram_s2p impl=lutram
// What a step writes is read kSettle steps later at the earliest: a beat counts as whole only then.
#pragma HLS dependence variable=line type=inter direction=RAW dependent=false
#pragma HLS array_partition variable=kNeeds complete
#pragma HLS array_partition variable=kRoom complete
  Next next;
  Flow<kBeats, kMost, kTurn, kDepth> flow;
  Quiet<kSettle> quiet;
  int needs = kNeeds[0];
  int room = kRoom[0];
  for (;;) {
#pragma HLS pipeline II=1
    const bool sends = flow.whole >= needs;
    const bool waits = !sends && quiet.enough();
    const bool takes = flow.taken < room && (waits || !(beats_0.empty()));
    if (sends) {
      out.write(word_of(line, writer, next, flow.reads));
    }
    if (takes) {
      take(beats_0, flow.writes, line);
    }
    if (sends && next.ends_round()) {
      needs = kNeeds[next.round + 1];
      room = kRoom[next.round + 1];
    }
    flow.step(takes, sends && next.step());
    quiet.step(sends || takes);
@@ same: 3
void write_0(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(0, beats_0, out);
}

}  // namespace from0

/// Keeps the lines that second reads.
namespace to0 {

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
constexpr int kInBits = 128;  // width of an input stream
constexpr int kInLanes = 4;  // values of a word: 128 / 32
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
@@ same: 4
constexpr int kOutDepth = 36;  // 72 / 2
constexpr int kOutBlockWords = 4;  // 2 x 4 / 2
constexpr int kOutWidth = 8;  // of the convolution's output
constexpr int kOutPixels = 32;  // 4 x 8
@@ same: 8
// Beats of an image on each way that must have come before each round is sent, and that may come meanwhile: where no later
// round reads what they replace; more than kBeats are the next image's. The first round's stand behind the last.
constexpr int kNeeds[kOutRounds + 1] = {128, 128};
constexpr int kRoom[kOutRounds + 1] = {256, 256};

using InWord = Row<kInBits>;
using OutWord = ap_axiu<kOutBits, 0, 0, 0>;

/// Neighbouring pixels of a channel, and their place in the line buffers: one word in each of kBeat banks.
struct Beat {
  float value[kBeat];
  ap_uint<kRowBits> row;  // of the image: each writer knows where it keeps it
  ap_uint<kAddressBits> address;
  ap_uint<kBankBits> bank;  // the first one
  bool keep;                // false: outside the image
};

/// Computes kBeat values of a word from `first` on, side by side, and says where they go.
Beat beat_of(ap_uint<kInBits> word, int first, int channel, int y, int x, bool keep) {
#pragma HLS inline
  Beat beat;
  for (int i = 0; i < kBeat; ++i) {
#pragma HLS unroll
    const int lane = first + i;
    float value = as_float(word.range(32 * lane + 31, 32 * lane));
    beat.value[i] = value;
  }
  const int across = x / kStep;
  beat.row = y;
  beat.address = channel * kColumns + across / kBanks * kStep + x % kStep;
  beat.bank = across % kBanks;
  beat.keep = keep;
  return beat;
}

/// A beat of an image in order of row, channel and column, of which `word` has come: its place follows from its number alone.
Beat beat_of_tile(ap_uint<kInBits> word, int, int, int, int number) {
#pragma HLS inline
  const int element = number * kInStride;
  const int channel = element / kInWidth % kInChannels;
  const int y = element / (kInChannels * kInWidth);
  const bool keep = element < kInSize;
  return beat_of(word, element % kInLanes, keep ? channel : 0, y, element % kInWidth, keep);
}

/// Brings a beat a cycle, at most one word of 1 stream(s), tile after tile: II=1, the loops are one. They end with
/// an image, so that its last beats leave: a stream from outside may only be waited for [UG1399 2022.2, Non-Blocking API].
void read_0(
    hls::stream<InWord>& forked_0, hls::stream<Beat>& beats) {
  InWord word;
  for (int band = 0; band < kInRounds; ++band) {
    for (int tile = 0; tile < kInTiles; ++tile) {
      for (int number = 0; number < kInTileBeats; ++number) {
#pragma HLS pipeline II=1
        if (number % kInWordBeats == 0) {
          switch (tile) {
            default:
              word = forked_0.read();
              break;
          }
        }
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
@@ same: 5
/// Where each row of an image lies in each writer's ring: it keeps the rows that its own tiles see.
constexpr int kRowAt[kWriters][kInHeight] = {
    {0, 1, -1, -1},
    {0, 1, 2, -1},
    {-1, 0, 1, 2},
    {-1, -1, 0, 1},
};

/// A beat as a writer keeps it.
Beat kept_by(int writer, const Beat& beat) {
#pragma HLS inline
  const int row = beat.keep ? kRowAt[writer][beat.row] : -1;
  Beat kept = beat;
  kept.address = row * kSetChannels * kColumns + beat.address;
  kept.keep = row >= 0;
  return kept;
}

/// The row of a writer's ring that holds row `y`.
int row_at(int writer, int y) {
#pragma HLS inline
  return kRowAt[writer][y];
}

/// Gives each beat to every writer: II=1, for each queue takes one word a cycle.
void share(
    hls::stream<Beat>& beats, hls::stream<Beat>& to_0, hls::stream<Beat>& to_1, hls::stream<Beat>& to_2,
    hls::stream<Beat>& to_3) {
  for (int i = 0; i < kBeats; ++i) {
#pragma HLS pipeline II=1
    const Beat beat = beats.read();
    to_0.write(kept_by(0, beat));
    to_1.write(kept_by(1, beat));
    to_2.write(kept_by(2, beat));
    to_3.write(kept_by(3, beat));
@@ same: 3
/// Stores a beat of one way in all copies: each bank is written at most once.
void store(const Beat& beat, int place, float (&line)[kCopies][kBanks][kDepth]) {
#pragma HLS inline
  for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
    for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
      if (beat.keep && bank / kBeat == static_cast<int>(beat.bank) / kBeat) {
        line[copy][bank][in_ring<kDepth>(beat.address, place)] = beat.value[bank % kBeat];
@@ same: 5
/// Takes one beat of every way.
void take(hls::stream<Beat>& beats_0, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
#pragma HLS inline
  store(beats_0.read(), place, line[0]);
}

/// What bank `bank` of a copy holds of (channel, row of the ring, x): all banks of all ways are read once, one value is chosen.
float look(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int bank, int channel, int row, int x, int place) {
#pragma HLS inline
  const int way = channel / kSetChannels;
  const int number = channel % kSetChannels;
  const int address = (row * kSetChannels + number) * kColumns + x / kStep / kBanks * kStep + x % kStep;
  return line[way][copy][bank][in_ring<kDepth>(address, place)];
}

/// What is sent next.
struct Next {
  ap_uint<bits_of(kOutRounds)> round = 0;
  ap_uint<bits_of(kOutPasses)> pass = 0;
  ap_uint<bits_of(kOutColTiles)> nt = 0;
  ap_uint<bits_of(kOutDepth)> kt = 0;
  ap_uint<bits_of(kOutBlockWords)> w = 0;

  /// Whether it is the last of its round.
  bool ends_round() const { return pass == kOutPasses - 1 && nt == kOutColTiles - 1 && kt == kOutDepth - 1 && w == kOutBlockWords - 1; }

  /// Goes on; returns whether an image is complete.
  bool step() {
#pragma HLS inline
    if (w != kOutBlockWords - 1) {
      ++w;
      return false;
    }
    w = 0;
    if (kt != kOutDepth - 1) {
      ++kt;
      return false;
    }
    kt = 0;
    if (nt != kOutColTiles - 1) {
      ++nt;
      return false;
    }
    nt = 0;
    if (pass != kOutPasses - 1) {
      ++pass;
      return false;
    }
    pass = 0;
    if (round != kOutRounds - 1) {
      ++round;
      return false;
    }
    round = 0;
    return true;
  }
};

/// kPixels neighbouring output pixels of row k of the im2col matrix, from `pixel` on.
void row_of(
    const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int k, int pixel, int writer, int place,
    float (&values)[kPixels]) {
#pragma HLS inline
  const int channel = k / kKernelArea;
  const int tap = k % kKernelArea;
  const int y = pixel / kOutWidth * kStrideY + tap / kKernelWidth - kPaddingY;
  const int left = pixel % kOutWidth * kStrideX + tap % kKernelWidth - kPaddingX + kShift;  // not negative
  const int first = left / kStep;
  float found[kBanks];
  for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
    const int across = first + (bank + kBanks - first % kBanks) % kBanks;
    const int x = across * kStep + left % kStep - kShift;
    const bool inside = k < kTaps && pixel < kOutPixels && 0 <= y && y < kInHeight && 0 <= x && x < kInWidth;
    found[bank] = inside ? look(line, copy, bank, channel, row_at(writer, y), x, place) : 0.0F;
  }
  for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
    values[i] = found[(first + i) % kBanks];
@@ same: 3
/// A word of a group's tile of the im2col matrix, [round][pass][nt][kt][k][n], from rows that it keeps.
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int writer, const Next& next, int place) {
#pragma HLS inline
  OutWord word;
  for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
    const int element = next.w * kLanes + copy * kPixels;  // of a block of kOutBlockRows x kOutBlockCols
    const int row = element / kOutBlockCols;
    const int column = element % kOutBlockCols;
    const int k = next.pass * kOutTileK + next.kt * kOutBlockRows + row;
    const int tile = next.round * kOutGroups + writer;
    const int pixel = tile * kOutTileN + next.nt * kOutBlockCols + column;
    float values[kPixels];
    row_of(line, copy, k, pixel, writer, place, values);
    for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
      const int lane = copy * kPixels + i;
      word.data.range(32 * lane + 31, 32 * lane) = float_bits(values[i]);
    }
  }
  word.keep = -1;
  word.last = next.ends_round();
  return word;
}

/// Sends word after word, image after image, and takes beats meanwhile.
/// II=1: a word's addresses follow from counters alone; every bank is read once and written once at most.
void write(int writer, hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
#pragma HLS inline
  float line[kWays][kCopies][kBanks][kDepth];
#pragma HLS array_partition variable=line dim=1 complete
#pragma HLS array_partition variable=line dim=2 complete
#pragma HLS array_partition variable=line dim=3 complete
#pragma HLS bind_storage variable=line type=ram_s2p impl=lutram
// What a step writes is read kSettle steps later at the earliest: a beat counts as whole only then.
#pragma HLS dependence variable=line type=inter direction=RAW dependent=false
#pragma HLS array_partition variable=kNeeds complete
#pragma HLS array_partition variable=kRoom complete
  Next next;
  Flow<kBeats, kMost, kTurn, kDepth> flow;
  Quiet<kSettle> quiet;
  int needs = kNeeds[0];
  int room = kRoom[0];
  for (;;) {
#pragma HLS pipeline II=1
    const bool sends = flow.whole >= needs;
    const bool waits = !sends && quiet.enough();
    const bool takes = flow.taken < room && (waits || !(beats_0.empty()));
    if (sends) {
      out.write(word_of(line, writer, next, flow.reads));
    }
    if (takes) {
      take(beats_0, flow.writes, line);
    }
    if (sends && next.ends_round()) {
      needs = kNeeds[next.round + 1];
      room = kRoom[next.round + 1];
    }
    flow.step(takes, sends && next.step());
    quiet.step(sends || takes);
@@ same: 3
void write_0(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(0, beats_0, out);
}

void write_1(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(1, beats_0, out);
}

void write_2(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(2, beats_0, out);
}

void write_3(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(3, beats_0, out);
}

}  // namespace to0
@@ same: 3
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
  hls_thread_local hls::task from0_reader_0(from0::pool_lines::read_0,
      in, from0_to_pool[0]);
  hls_thread_local hls::task from0_task_pool_0(from0::pool_lines::window_0,
      from0_to_pool[0], from0_taken[0][0]);
  hls_thread_local hls::task from0_writer_0(from0::write_0,
      from0_taken[0][0], joined);
  hls_thread_local hls::task to0_reader_0(to0::read_0,
      forked_0, to0_beats[0]);
  hls_thread_local hls::task to0_share_0(to0::share,
      to0_beats[0], to0_taken[0][0], to0_taken[1][0], to0_taken[2][0], to0_taken[3][0]);
  hls_thread_local hls::task to0_writer_0(to0::write_0,
      to0_taken[0][0], out0_0);
  hls_thread_local hls::task to0_writer_1(to0::write_1,
      to0_taken[1][0], out0_1);
  hls_thread_local hls::task to0_writer_2(to0::write_2,
      to0_taken[2][0], out0_2);
  hls_thread_local hls::task to0_writer_3(to0::write_3,
      to0_taken[3][0], out0_3);
  hls_thread_local hls::task task_fork(fork_beats,
      joined, forked_0, forked_1);
  hls_thread_local hls::task task_send_1(send_1,
      forked_1, out1);
}
