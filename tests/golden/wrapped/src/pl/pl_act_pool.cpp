// pl_act_pool.cpp: act, pool on programmable logic, 10x13x11 float32 to 10x6x5 float32.
// Made by aieloom 0.1.0 from random's network.yaml; edit that and run: doit gen project=random
// 1 reader(s), 2 beats, each of a channel, of 2 value(s) a cycle each, 2 values side by side, on into the next row: 452 cycles an image
// pool: 2 task(s), 1 result(s) of 2x2 places a cycle each (II=1, for each row and column that they see has a memory): 432 cycles an image
// pool's line buffers: 28 rows in 2 x 2 memories (rows x columns) of 504 values in bram
// 1 writer(s), one word of 4 values a cycle each: 200 cycles an image
// each writer's line buffer: 16 rows in 2 x 2 x 2 memories (ways x copies x banks) of 288 values in bram
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
#include <hls_task.h>

#include <cstdint>

namespace {

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
constexpr int kStrideY = 1;  // stride
constexpr int kStrideX = 1;  // stride
constexpr int kPaddingY = 0;  // padding
constexpr int kPaddingX = 0;  // padding

// Beats of an image on each way that must have come before each round is sent, and that may come meanwhile: where no later
// round reads what they replace; more than kBeats are the next image's. The first round's stand behind the last.
constexpr int kNeeds[kOutRounds + 1] = {180, 180};
constexpr int kRoom[kOutRounds + 1] = {480, 480};

using InWord = ap_axiu<kInBits, 0, 0, 0>;
using OutWord = ap_axiu<kOutBits, 0, 0, 0>;

/// Neighbouring pixels of a channel, and their place in the line buffers: one word in each of kBeat banks.
struct Beat {
  float value[kBeat];
  ap_uint<kAddressBits> address;
  ap_uint<kBankBits> bank;  // the first one
  bool keep;                // false: outside the image
};

float as_float(ap_uint<32> bits) {
  union {
    std::uint32_t u;
    float f;
  } both;
  both.u = bits.to_uint();
  return both.f;
}

ap_uint<32> as_bits(float value) {
  union {
    std::uint32_t u;
    float f;
  } both;
  both.f = value;
  return both.u;
}

/// leaky_relu: values that are not above 0 times -0.25F.
float act_value(float x) { return x > 0.0F ? x : x * -0.25F; }

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

constexpr int kInLanes = 4;  // values of a word: 128 / 32
constexpr int kInStride = 2;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
constexpr int kInShare = 1;  // parts of the channels that a reader takes
constexpr int kInTiles = 1;  // that a reader takes in turn: 1 groups x 1
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

/// Neighbouring pixels of a channel, the last of which may be the first of the next row, and their place in the line buffer.
struct Beat {
  float value[kBeat];
  ap_uint<kAddressBits> address;  // of the row
  ap_uint<kAddressBits> behind;   // of the next one
  ap_uint<kRowBits> row;          // its banks
  ap_uint<kColumnBits> column;    // of the first pixel
  bool keep;                      // false: outside the image
  bool more;                      // false: the image ends with the row
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
  beat.address = (y / kRowBanks % kRows * kSetChannels + channel) * kColumns;
  beat.behind = ((y + 1) / kRowBanks % kRows * kSetChannels + channel) * kColumns;
  beat.row = y % kRowBanks;
  beat.column = x;
  beat.more = y + 1 < kInHeight;
  beat.keep = keep;
  return beat;
}

/// max_pool: the largest value of a window, NaN if it has one; outside the image lies minus infinity.
struct pool_fold {
  float best = as_float(0xFF800000U);  // minus infinity

  void take(float value, bool inside) { best = inside && (value > best || value != value) ? value : best; }

  float result() const { return best; }
};

/// Stores a beat: each bank is written at most once, for two rows lie in different ones.
void store(const Beat& beat, int place, float (&line)[kRowBanks][kBanks][kDepth]) {
#pragma HLS inline
  for (int row = 0; row < kRowBanks; ++row) {
#pragma HLS unroll
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
      }
    }
  }
}

// Beats of an image that must have come before each row of the result is sent, and that may come meanwhile: where no later row
// reads what they replace; more than kBeats are the next image's. The first row's stand behind the last.
constexpr int kNeeds[kOutHeight + 1] = {432, 432, 432, 432, 432, 432, 432};
constexpr int kRoom[kOutHeight + 1] = {864, 864, 864, 864, 864, 864, 864};

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
  }
}

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
  const bool real = way / kTogether * kReadChannels + channel * kTogether + way % kTogether < kChannels;
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
  }
}

void window_0(hls::stream<Beat>& beats, hls::stream<Line>& results) {
  window(0, beats, results);
}

void window_1(hls::stream<Beat>& beats, hls::stream<Line>& results) {
  window(1, beats, results);
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
Beat beat_of_tile(ap_uint<kInBits> word, int reader, int band, int tile, int number, int word_row) {
#pragma HLS inline
  constexpr int kBlock = kInBlockRows * kInBlockCols;
  const int group = tile / kInShare;
  const int part = tile % kInShare;
  const int element = (number * kInStride / kInBlockCols * kTogether + word_row) * kInBlockCols + number * kInStride % kInBlockCols;
  const int block = element / kBlock;
  const int row = element % kBlock / kInBlockCols;
  const int channel = part * kInTileM + block / kInColTiles * kInBlockRows + row;
  const int pixel =
      (band * kInGroups + group) * kInTileN + block % kInColTiles * kInBlockCols + element % kInBlockCols;
  const bool keep = reader * kReadChannels + channel < kInChannels && pixel < kInPixels;
  return beat_of(word, element % kInLanes, channel / kTogether, pixel / kInWidth, pixel % kInWidth, keep);
}

/// Brings a beat a cycle, at most one word of 1 stream(s), tile after tile: II=1, the loops are one. They end with
/// an image, so that its last beats leave: a stream from outside may only be waited for [UG1399 2022.2, Non-Blocking API].
void read_0(
    hls::stream<InWord>& in, hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1) {
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
        beats_0.write(beat_of_tile(word.data, 0, band, tile, number, 0));
        beats_1.write(beat_of_tile(word.data, 0, band, tile, number, 1));
      }
    }
  }
}

}  // namespace pool_lines

/// Stores a beat of one way in all copies: each bank is written at most once.
void store(const Beat& beat, int place, float (&line)[kCopies][kBanks][kDepth]) {
#pragma HLS inline
  for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
    for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
      if (beat.keep && bank / kBeat == static_cast<int>(beat.bank) / kBeat) {
        line[copy][bank][in_ring<kDepth>(beat.address, place)] = beat.value[bank % kBeat];
      }
    }
  }
}

/// Takes one beat of every way.
void take(hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
#pragma HLS inline
  store(beats_0.read(), place, line[0]);
  store(beats_1.read(), place, line[1]);
}

/// What bank `bank` of a copy holds of (channel, y, x): all banks of all ways are read once, one value is chosen.
float look(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int bank, int channel, int y, int x, int place) {
#pragma HLS inline
  const int address = (y % kRows * kSetChannels + channel % kReadChannels / kTogether) * kColumns + x / kStep / kBanks * kStep + x % kStep;
  return line[channel / kReadChannels * kTogether + channel % kTogether][copy][bank][in_ring<kDepth>(address, place)];
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
    const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int k, int pixel, int place,
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
    found[bank] = inside ? look(line, copy, bank, channel, y, x, place) : 0.0F;
  }
  for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
    values[i] = found[(first + i) % kBanks];
  }
}

/// A word of a group's tile of the im2col matrix, [round][pass][nt][kt][k][n], from rows that it keeps.
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int group, const Next& next, int place) {
#pragma HLS inline
  OutWord word;
  for (int copy = 0; copy < kCopies; ++copy) {
#pragma HLS unroll
    const int element = next.w * kLanes + copy * kPixels;  // of a block of kOutBlockRows x kOutBlockCols
    const int k = next.pass * kOutTileK + next.kt * kOutBlockRows + element / kOutBlockCols;
    const int tile = next.round * kOutGroups + group;
    const int pixel = tile * kOutTileN + next.nt * kOutBlockCols + element % kOutBlockCols;
    float values[kPixels];
    row_of(line, copy, k, pixel, place, values);
    for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
      const int lane = copy * kPixels + i;
      word.data.range(32 * lane + 31, 32 * lane) = as_bits(values[i]);
    }
  }
  word.keep = -1;
  word.last = next.ends_round();
  return word;
}

/// Sends word after word, image after image, and takes beats meanwhile.
/// II=1: a word's addresses follow from counters alone; every bank is read once and written once at most.
void write(int group, hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, hls::stream<OutWord>& out) {
#pragma HLS inline
  float line[kWays][kCopies][kBanks][kDepth];
#pragma HLS array_partition variable=line dim=1 complete
#pragma HLS array_partition variable=line dim=2 complete
#pragma HLS array_partition variable=line dim=3 complete
#pragma HLS bind_storage variable=line type=ram_s2p impl=bram
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
    const bool takes = flow.taken < room && (waits || !(beats_0.empty() || beats_1.empty()));
    if (sends) {
      out.write(word_of(line, group, next, flow.reads));
    }
    if (takes) {
      take(beats_0, beats_1, flow.writes, line);
    }
    if (sends && next.ends_round()) {
      needs = kNeeds[next.round + 1];
      room = kRoom[next.round + 1];
    }
    flow.step(takes, sends && next.step());
    quiet.step(sends || takes);
  }
}

void write_0(
    hls::stream<Beat>& beats_0, hls::stream<Beat>& beats_1, hls::stream<OutWord>& out) {
  write(0, beats_0, beats_1, out);
}

}  // namespace

extern "C" void pl_act_pool(
    hls::stream<InWord>& in, hls::stream<OutWord>& out) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<Beat> taken[kWriters][kWays];
#pragma HLS stream variable=taken depth=32
  hls_thread_local hls::stream<pool_lines::Beat> to_pool[kWays];
#pragma HLS stream variable=to_pool depth=32
  hls_thread_local hls::task reader_0(pool_lines::read_0,
      in, to_pool[0], to_pool[1]);
  hls_thread_local hls::task task_pool_0(pool_lines::window_0,
      to_pool[0], taken[0][0]);
  hls_thread_local hls::task task_pool_1(pool_lines::window_1,
      to_pool[1], taken[0][1]);
  hls_thread_local hls::task writer_0(write_0,
      taken[0][0], taken[0][1], out);
}
