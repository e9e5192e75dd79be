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
// 4 value(s) a cycle join or part: 64 cycles an image
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

/// A beat inside the kernel: neighbouring values of a row of a channel; rows in order of row, channel and column.
template <int kBits>
struct Row {
  ap_uint<kBits> data;
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

/// add: the sum of two values.
float sum_join_of(float a, float b) { return a + b; }

/// Joins a beat of each input a cycle, 4 values side by side: II=1.
void join_beats(
    hls::stream<Row<128>>& kept_0, hls::stream<Row<128>>& kept_1, hls::stream<Row<128>>& joined) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
    const Row<128> beat_0 = kept_0.read();
    const Row<128> beat_1 = kept_1.read();
    Row<128> beat;
    for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
      float value = sum_join_of(as_float(beat_0.data.range(32 * lane + 31, 32 * lane)), as_float(beat_1.data.range(32 * lane + 31, 32 * lane)));
      beat.data.range(32 * lane + 31, 32 * lane) = as_bits(value);
    }
    joined.write(beat);
  }
}

/// Brings the image that comes as beats, one a cycle: II=1.
void bring_1(hls::stream<ap_axiu<128, 0, 0, 0>>& in, hls::stream<Row<128>>& rows) {
  for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
    Row<128> beat;
    beat.data = in.read().data;
    rows.write(beat);
  }
}

/// Brings what second sends in order of rows.
namespace from0 {

constexpr int kWays = 1;  // of beats to a writer, each of a share of the channels
constexpr int kWriters = 1;  // tasks that write, one for each stream
constexpr int kBeat = 2;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 128;  // of an image on each way
constexpr int kCopies = 1;  // of a line buffer: rows of K in an output word
constexpr int kPixels = 4;  // neighbouring pixels that a word takes from a copy
constexpr int kBanks = 4;  // of a copy: neighbouring pixels lie in different ones
constexpr int kRows = 8;  // of an image that a line buffer holds
constexpr int kColumns = 2;  // words of a bank for a row of 8 pixels
constexpr int kSetChannels = 8;  // that a way brings
constexpr int kDepth = 128;  // words of a bank: 8 x 8 x 2
constexpr int kTurn = 64;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 256;  // beats that may have come since an image's first
constexpr int kAddressBits = 7;  // for 128 words
constexpr int kBankBits = 2;  // for 4 banks
constexpr int kShift = 0;  // keeps columns left of the image positive
constexpr int kStep = 1;  // columns from one output pixel to the next
constexpr int kInWidth = 8;  // of the image that arrives
constexpr int kLanes = 4;  // values of an output word
constexpr int kInBits = 64;  // width of an input stream
constexpr int kInLanes = 2;  // values of a word: 64 / 32
constexpr int kInStride = 2;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
constexpr int kInShare = 1;  // parts of the channels that a reader takes
constexpr int kInTiles = 4;  // that a reader takes in turn: 4 groups x 1
constexpr int kInTileBeats = 32;  // of a tile, for each way
constexpr int kInRounds = 1;  // tiles that each core works on, one after another
constexpr int kInGroups = 4;  // cores along the pixels
constexpr int kInTileM = 8;  // channels of a tile
constexpr int kInTileN = 8;  // pixels of a tile
constexpr int kInBlockRows = 4;  // channels of an mmul block
constexpr int kInBlockCols = 4;  // pixels of an mmul block
constexpr int kInColTiles = 2;  // 8 / 4
constexpr int kInChannels = 8;  // of the image that arrives
constexpr int kInPixels = 32;  // 4 x 8
constexpr int kOutBits = 128;  // width of an output stream
constexpr int kOutRounds = 4;  // rows of the input
constexpr int kOutWords = 16;  // of a round
constexpr int kOutChannels = 8;  // of the result
constexpr int kOutWidth = 8;  // of the result

// Beats of an image on each way that must have come before each round is sent, and that may come meanwhile: where no later
// round reads what they replace; more than kBeats are the next image's. The first round's stand behind the last.
constexpr int kNeeds[kOutRounds + 1] = {128, 128, 128, 128, 128};
constexpr int kRoom[kOutRounds + 1] = {256, 256, 256, 256, 256};

using InWord = ap_axiu<kInBits, 0, 0, 0>;
using OutWord = Row<kOutBits>;

/// Neighbouring pixels of a channel, and their place in the line buffers: one word in each of kBeat banks.
struct Beat {
  float value[kBeat];
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
  beat.address = (y % kRows * kSetChannels + channel) * kColumns + across / kBanks * kStep + x % kStep;
  beat.bank = across % kBanks;
  beat.keep = keep;
  return beat;
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

/// Brings a beat a cycle, at most one word of 4 stream(s), tile after tile: II=1, the loops are one. They end with
/// an image, so that its last beats leave: a stream from outside may only be waited for [UG1399 2022.2, Non-Blocking API].
void read_0(
    hls::stream<InWord>& in0_0, hls::stream<InWord>& in0_1, hls::stream<InWord>& in0_2,
    hls::stream<InWord>& in0_3, hls::stream<Beat>& beats) {
  InWord word;
  for (int band = 0; band < kInRounds; ++band) {
    for (int tile = 0; tile < kInTiles; ++tile) {
      for (int number = 0; number < kInTileBeats; ++number) {
#pragma HLS pipeline II=1
        if (number % kInWordBeats == 0) {
          switch (tile) {
            case 0:
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
              break;
          }
        }
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
      }
    }
  }
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
      }
    }
  }
}

/// Takes one beat of every way.
void take(hls::stream<Beat>& beats_0, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
#pragma HLS inline
  store(beats_0.read(), place, line[0]);
}

/// What bank `bank` of a copy holds of (channel, y, x): all banks of all ways are read once, one value is chosen.
float look(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int bank, int channel, int y, int x, int place) {
#pragma HLS inline
  const int address = (y % kRows * kSetChannels + channel % kSetChannels) * kColumns + x / kStep / kBanks * kStep + x % kStep;
  return line[channel / kSetChannels][copy][bank][in_ring<kDepth>(address, place)];
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
    const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int channel, int y, int left, bool inside,
    int place, float (&values)[kPixels]) {
#pragma HLS inline
  const int first = (left + kShift) / kStep;  // not negative
  float found[kBanks];
  for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
    const int across = first + (bank + kBanks - first % kBanks) % kBanks;
    const int x = across * kStep + (left + kShift) % kStep - kShift;
    found[bank] = inside && 0 <= x && x < kInWidth ? look(line, copy, bank, channel, y, x, place) : 0.0F;
  }
  for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
    values[i] = found[(first + i) % kBanks];
  }
}

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
    row_of(line, copy, channel, y, element % kOutWidth, true, place, values);
    for (int i = 0; i < kPixels; ++i) {
#pragma HLS unroll
      const int lane = copy * kPixels + i;
      word.data.range(32 * lane + 31, 32 * lane) = as_bits(values[i]);
    }
  }
  return word;
}

/// Sends word after word, image after image, and takes beats meanwhile.
/// II=1: a word's addresses follow from counters alone; every bank is read once and written once at most.
void write(int group, hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
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
      out.write(word_of(line, group, next, flow.reads));
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
  }
}

void write_0(
    hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
  write(0, beats_0, out);
}

}  // namespace from0

/// Keeps the lines that third reads.
namespace to0 {

constexpr int kWays = 1;  // of beats to a writer, each of a share of the channels
constexpr int kWriters = 4;  // tasks that write, one for each stream
constexpr int kBeat = 4;  // neighbouring values that a way brings in a cycle
constexpr int kBeats = 64;  // of an image on each way
constexpr int kCopies = 2;  // of a line buffer: rows of K in an output word
constexpr int kPixels = 1;  // neighbouring pixels that a word takes from a copy
constexpr int kBanks = 4;  // of a copy: neighbouring pixels lie in different ones
constexpr int kRowBits = 2;  // for 4 rows
constexpr int kColumns = 2;  // words of a bank for a row of 8 pixels
constexpr int kSetChannels = 8;  // that a way brings
constexpr int kDepth = 32;  // words of a bank: 2 x 8 x 2
constexpr int kTurn = 16;  // words of a bank from an image's first row to the next one's
constexpr int kMost = 128;  // beats that may have come since an image's first
constexpr int kAddressBits = 5;  // for 32 words
constexpr int kBankBits = 2;  // for 4 banks
constexpr int kShift = 0;  // keeps columns left of the image positive
constexpr int kStep = 1;  // columns from one output pixel to the next
constexpr int kInHeight = 4;  // of the image that arrives
constexpr int kInWidth = 8;  // of the image that arrives
constexpr int kLanes = 2;  // values of an output word
constexpr int kInBits = 128;  // width of an input stream
constexpr int kInLanes = 4;  // values of a word: 128 / 32
constexpr int kInStride = 4;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
constexpr int kInRounds = 1;  // an image in whole
constexpr int kInTiles = 1;  // of which a reader takes all
constexpr int kInTileBeats = 64;  // of an image
constexpr int kInSize = 256;  // 8x4x8 float32
constexpr int kInChannels = 8;  // of the image that arrives
constexpr int kOutBits = 64;  // width of an output stream
constexpr int kOutRounds = 1;  // tiles that each group works on, one after another
constexpr int kOutGroups = 4;  // cores along the pixels
constexpr int kOutPasses = 1;  // tiles along K = 8
constexpr int kOutTileK = 8;  // rows of a tile: inputs of one output
constexpr int kOutTileN = 8;  // columns of a tile: output pixels
constexpr int kOutBlockRows = 2;  // rows of an mmul block
constexpr int kOutBlockCols = 4;  // columns of an mmul block
constexpr int kOutColTiles = 2;  // 8 / 4
constexpr int kOutDepth = 4;  // 8 / 2
constexpr int kOutBlockWords = 4;  // 2 x 4 / 2
constexpr int kOutWidth = 8;  // of the convolution's output
constexpr int kOutPixels = 32;  // 4 x 8
constexpr int kKernelWidth = 1;  // kernel 1 x 1
constexpr int kKernelArea = 1;  // 1 x 1
constexpr int kTaps = 8;  // inputs of one output: 8 x 1 x 1
constexpr int kStrideY = 1;  // stride
constexpr int kStrideX = 1;  // stride
constexpr int kPaddingY = 0;  // padding
constexpr int kPaddingX = 0;  // padding

// Beats of an image on each way that must have come before each round is sent, and that may come meanwhile: where no later
// round reads what they replace; more than kBeats are the next image's. The first round's stand behind the last.
constexpr int kNeeds[kOutRounds + 1] = {64, 64};
constexpr int kRoom[kOutRounds + 1] = {128, 128};

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
    hls::stream<InWord>& joined, hls::stream<Beat>& beats) {
  InWord word;
  for (int band = 0; band < kInRounds; ++band) {
    for (int tile = 0; tile < kInTiles; ++tile) {
      for (int number = 0; number < kInTileBeats; ++number) {
#pragma HLS pipeline II=1
        if (number % kInWordBeats == 0) {
          switch (tile) {
            default:
              word = joined.read();
              break;
          }
        }
        beats.write(beat_of_tile(word.data, 0, band, tile, number));
      }
    }
  }
}

/// Where each row of an image lies in each writer's ring: it keeps the rows that its own tiles see.
constexpr int kRowAt[kWriters][kInHeight] = {
    {0, -1, -1, -1},
    {-1, 0, -1, -1},
    {-1, -1, 0, -1},
    {-1, -1, -1, 0},
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
  }
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
      }
    }
  }
}

/// Takes one beat of every way.
void take(hls::stream<Beat>& beats_0, int place, float (&line)[kWays][kCopies][kBanks][kDepth]) {
#pragma HLS inline
  store(beats_0.read(), place, line[0]);
}

/// What bank `bank` of a copy holds of (channel, y, x): all banks of all ways are read once, one value is chosen.
float look(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int bank, int channel, int y, int x, int place) {
#pragma HLS inline
  const int address = (y * kSetChannels + channel % kSetChannels) * kColumns + x / kStep / kBanks * kStep + x % kStep;
  return line[channel / kSetChannels][copy][bank][in_ring<kDepth>(address, place)];
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
    const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int k, int pixel, int group, int place,
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
    found[bank] = inside ? look(line, copy, bank, channel, kRowAt[group][y], x, place) : 0.0F;
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
    row_of(line, copy, k, pixel, group, place, values);
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
void write(int group, hls::stream<Beat>& beats_0, hls::stream<OutWord>& out) {
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
      out.write(word_of(line, group, next, flow.reads));
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
  }
}

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

}  // namespace

extern "C" void pl_sum(
    hls::stream<from0::InWord>& in0_0, hls::stream<from0::InWord>& in0_1, hls::stream<from0::InWord>& in0_2,
    hls::stream<from0::InWord>& in0_3, hls::stream<ap_axiu<128, 0, 0, 0>>& in1,
    hls::stream<to0::OutWord>& out_0, hls::stream<to0::OutWord>& out_1, hls::stream<to0::OutWord>& out_2,
    hls::stream<to0::OutWord>& out_3) {
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
  hls_thread_local hls::stream<Row<128>> kept_0;  // what second sends; 1 image(s) of it wait for the others
#pragma HLS stream variable=kept_0 depth=64
#pragma HLS bind_storage variable=kept_0 type=fifo impl=lutram
  hls_thread_local hls::stream<Row<128>> kept_1;  // what pl_act_pool sends; 1 image(s) of it wait for the others
#pragma HLS stream variable=kept_1 depth=64
#pragma HLS bind_storage variable=kept_1 type=fifo impl=lutram
  hls_thread_local hls::stream<Row<128>> joined;  // what leaves, or is worked on
#pragma HLS stream variable=joined depth=32
  hls_thread_local hls::stream<from0::Beat> from0_taken[from0::kWriters][from0::kWays];
#pragma HLS stream variable=from0_taken depth=32
  hls_thread_local hls::task from0_reader_0(from0::read_0,
      in0_0, in0_1, in0_2, in0_3, from0_taken[0][0]);
  hls_thread_local hls::task from0_writer_0(from0::write_0,
      from0_taken[0][0], kept_0);
  hls_thread_local hls::stream<to0::Beat> to0_taken[to0::kWriters][to0::kWays];
#pragma HLS stream variable=to0_taken depth=32
  hls_thread_local hls::stream<to0::Beat> to0_beats[to0::kWays];
#pragma HLS stream variable=to0_beats depth=32
  hls_thread_local hls::task to0_reader_0(to0::read_0,
      joined, to0_beats[0]);
  hls_thread_local hls::task to0_share_0(to0::share,
      to0_beats[0], to0_taken[0][0], to0_taken[1][0], to0_taken[2][0], to0_taken[3][0]);
  hls_thread_local hls::task to0_writer_0(to0::write_0,
      to0_taken[0][0], out_0);
  hls_thread_local hls::task to0_writer_1(to0::write_1,
      to0_taken[1][0], out_1);
  hls_thread_local hls::task to0_writer_2(to0::write_2,
      to0_taken[2][0], out_2);
  hls_thread_local hls::task to0_writer_3(to0::write_3,
      to0_taken[3][0], out_3);
  hls_thread_local hls::task task_bring_1(bring_1,
      in1, kept_1);
  hls_thread_local hls::task task_join(join_beats,
      kept_0, kept_1, joined);
}
