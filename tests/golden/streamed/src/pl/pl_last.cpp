// pl_last.cpp: last on programmable logic, 4x4x8 float32 to 4x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// 1 reader(s), one beat of 2 value(s) a cycle each, 2 values side by side: 84 cycles an image
// 1 writer(s), one word of 4 values a cycle each: 64 cycles an image
// each writer's line buffer: 8 rows in 1 x 4 x 2 memories (ways x copies x banks) of 128 values in lutram
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

constexpr int kWays = 1;  // of beats to a writer, each of a share of the channels
constexpr int kWriters = 1;  // tasks that write, one for each stream
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
constexpr int kInLanes = 2;  // values of a word: 64 / 32
constexpr int kInStride = 2;  // values of a row that a reader passes in a cycle
constexpr int kInWordBeats = 1;  // of a word, for each way
constexpr int kInShare = 1;  // parts of the channels that a reader takes
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
constexpr int kOutWidth = 8;  // of the result

// Beats of an image on each way that must have come before each round is sent, and that may come meanwhile: where no later
// round reads what they replace; more than kBeats are the next image's. The first round's stand behind the last.
constexpr int kNeeds[kOutRounds + 1] = {64, 64};
constexpr int kRoom[kOutRounds + 1] = {128, 128};

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

/// tanh at -2.0F + i / 4.0F, for i = 0 .. 15.
const float last_value_table[16] = {
    -0.9640276F, -0.94137555F, -0.90514827F, -0.84828365F, -0.7615942F, -0.63514894F, -0.46211717F,
    -0.24491866F, 0.0F, 0.24491866F, 0.46211717F, 0.63514894F, 0.7615942F, 0.84828365F, 0.90514827F,
    0.94137555F,
};

/// tanh by the nearest entry: min(15, round(x * 4.0F) + 8), halves away from zero;
/// NaN stays NaN. Nothing beyond the range becomes an index.
float last_value(float x) {
  const float scaled = x * 4.0F;
  const bool low = x < -2.0F;
  const bool high = x >= 2.0F;
  const bool inside = x >= -2.0F && x < 2.0F;  // NaN is neither
  const int whole = inside ? static_cast<int>(scaled) : 0;  // towards zero
  const float rest = scaled - static_cast<float>(whole);  // exact
  const int nearest = whole + (rest >= 0.5F ? 1 : 0) - (rest <= -0.5F ? 1 : 0) + 8;
  const int index = nearest > 15 ? 15 : nearest;
  const float value = last_value_table[inside ? index : 0];
  return inside ? value : low ? -1.0F : high ? 1.0F : x;
}

/// Computes kBeat values of a word from `first` on, side by side, and says where they go.
Beat beat_of(ap_uint<kInBits> word, int first, int channel, int y, int x, bool keep) {
#pragma HLS inline
#pragma HLS bind_storage variable=last_value_table type=rom_np impl=bram
  Beat beat;
  for (int i = 0; i < kBeat; ++i) {
#pragma HLS unroll
    const int lane = first + i;
    float value = as_float(word.range(32 * lane + 31, 32 * lane));
    value = last_value(value);
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
    hls::stream<InWord>& in_0, hls::stream<InWord>& in_1, hls::stream<InWord>& in_2,
    hls::stream<InWord>& in_3, hls::stream<Beat>& beats) {
  InWord word;
  for (int band = 0; band < kInRounds; ++band) {
    for (int tile = 0; tile < kInTiles; ++tile) {
      for (int number = 0; number < kInTileBeats; ++number) {
#pragma HLS pipeline II=1
        if (number % kInWordBeats == 0) {
          switch (tile) {
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

/// Where the line buffer holds the value that leaves as (channel, y, x).
float value_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int copy, int channel, int y, int x, int place) {
#pragma HLS inline
  float found[kBanks];
  for (int bank = 0; bank < kBanks; ++bank) {
#pragma HLS unroll
    found[bank] = look(line, copy, bank, channel, y, x, place);
  }
  return found[x / kStep % kBanks];
}

/// A word of an image in plain order, channel, row, column, from rows that it keeps; the last one is filled up with zeros.
/// Every value of a word has a copy of its own.
OutWord word_of(const float (&line)[kWays][kCopies][kBanks][kDepth], int, const Next& next, int place) {
#pragma HLS inline
  OutWord word;
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
    const int element = (next.round * kOutWords + next.w) * kLanes + lane;
    const bool inside = element < kOutValues;
    const int channel = inside ? element / (kOutHeight * kOutWidth) : 0;
    const int y = element / kOutWidth % kOutHeight;
    const int x = element % kOutWidth;
    const float value = inside ? value_of(line, lane, channel, y, x, place) : 0.0F;
    word.data.range(32 * lane + 31, 32 * lane) = as_bits(value);
  }
  word.keep = -1;
  word.last = next.round == kOutRounds - 1 && next.ends_round();
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

}  // namespace

extern "C" void pl_last(
    hls::stream<InWord>& in_0, hls::stream<InWord>& in_1, hls::stream<InWord>& in_2,
    hls::stream<InWord>& in_3, hls::stream<OutWord>& out) {
#pragma HLS interface axis port=in_0
#pragma HLS interface axis port=in_1
#pragma HLS interface axis port=in_2
#pragma HLS interface axis port=in_3
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<Beat> taken[kWriters][kWays];
#pragma HLS stream variable=taken depth=32
  hls_thread_local hls::task reader_0(read_0,
      in_0, in_1, in_2, in_3, taken[0][0]);
  hls_thread_local hls::task writer_0(write_0,
      taken[0][0], out);
}
