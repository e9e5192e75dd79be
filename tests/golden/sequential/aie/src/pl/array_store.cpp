@@ sha256: 5b37b2778526fc905bbd936e90116b186d661a4fee1ff766912498034f6aaf73
// array_store.cpp: the engine on the array.
@@ same: 5
#include <hls_fence.h>
@@ same: 23
using Element = std::int8_t;
using Sum = std::int32_t;
using Packet = ap_axiu<128, 0, 0, 0>;  // four sums
@@ same: 3
/// Neighbouring channels of a pixel.
struct Word {
  Element lane[kLanes];
};

/// What an output channel needs beside its weights.
struct Channel {
  int bias;
  int multiplier;  // see finished()
  int shift;
  int unused;
};
@@ same: 60
/// How sums become elements.
struct Finish {
  int zero, shift;
  int low, high;
};

using Tiles = Sum[kColumns][kTileM * kTileN];
using Channels = Channel[kMostTogether * kColumns * kTileN];

/// An element within the layer's bounds.
Element held(std::int64_t value, const Finish& f) {
  const std::int64_t raised = value < f.low ? f.low : value;
  return Element(raised > f.high ? f.high : raised);
}

/// TensorFlow Lite's scaling: times the channel's multiplier / 2^31, halves up, then by a power of two, halves away from zero.
Element finished(Sum sum, const Channel& channel, const Finish& f) {
  const int left = channel.shift > 0 ? channel.shift : 0;
  const int right = channel.shift < 0 ? -channel.shift : 0;
  const std::int64_t whole = std::int64_t(sum + channel.bias) * (std::int64_t{1} << left);
  const std::int64_t high = (whole * channel.multiplier + (std::int64_t{1} << 30)) >> 31;
  const std::int64_t half = right > 0 ? std::int64_t{1} << (right - 1) : 0;
  const std::int64_t size = ((high < 0 ? -high : high) + half) >> right;
  return held((high < 0 ? -size : size) + f.zero, f);
}

/// How a sum of two tensors becomes elements.
struct Scaling {
  int zero_a, zero_b, zero;
  std::int64_t a, b;
  int y;
  int shift_a, shift_b, shift;
  int low, high;
};

/// A number of 64 bits of its two halves, the lower first.
std::int64_t wide(int low, int high) { return (std::int64_t(high) << 32) | std::uint32_t(low); }

/// An element within the layer's bounds.
Element held(std::int64_t value, const Scaling& s) {
  const std::int64_t raised = value < s.low ? s.low : value;
  return Element(raised > s.high ? s.high : raised);
}

/// value / 2^shift, halves to even.
std::int64_t to_even(std::int64_t value, int shift) {
  const std::int64_t quotient = value >> shift;
  const std::int64_t rest = value & ((std::int64_t{1} << shift) - 1);
  const std::int64_t half = (std::int64_t{1} << shift) >> 1;
  return quotient + (rest > half || (shift > 0 && rest == half && (quotient & 1) != 0) ? 1 : 0);
}

using Part = std::int32_t;  // what an element is of a sum, at 1 / 2^20 of the larger scale

/// (value * multiplier) / 2^31, halves up, then / 2^shift, halves away from zero.
std::int64_t scaled(std::int64_t value, std::int64_t multiplier, int shift) {
  const std::int64_t high = (value * multiplier + (std::int64_t{1} << 30)) >> 31;
  const std::int64_t half = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
  const std::int64_t size = ((high < 0 ? -high : high) + half) >> shift;
  return high < 0 ? -size : size;
}

Part part_a(Element first, const Scaling& s) {
  return Part(scaled((std::int64_t(first) - s.zero_a) * (std::int64_t{1} << 20), s.a, s.shift_a));
}

Part part_b(Element second, const Scaling& s) {
  return Part(scaled((std::int64_t(second) - s.zero_b) * (std::int64_t{1} << 20), s.b, s.shift_b));
}

Element joined(Part a, Part b, const Scaling& s) { return held(scaled(std::int64_t(a) + b, s.y, s.shift) + s.zero, s); }

/// TensorFlow Lite's sum: both elements at 1 / 2^20 of the larger scale, added, and scaled to the result's.
Element added(Element first, Element second, const Scaling& s) { return joined(part_a(first, s), part_b(second, s), s); }

/// Takes a tile of sums from each chain.
void receive(hls::stream<Packet> in[kColumns], Tiles& tiles) {
  for (int i = 0; i < kTileM * kTileN; i += 4) {
#pragma HLS pipeline II=1
    for (int z = 0; z < kColumns; ++z) {
#pragma HLS unroll
      const ap_uint<128> four = in[z].read().data;
      for (int j = 0; j < 4; ++j) {
#pragma HLS unroll
        tiles[z][i + j] = four.range(32 * j + 31, 32 * j).to_int();
@@ same: 5
/// Elements of a word of a pixel.
Word made(const Tiles& tiles, const Channel* channels, const Finish& f, int p, int word) {
#pragma HLS inline
  const int z = word / (kTileN / kLanes);
  const int first = word % (kTileN / kLanes) * kLanes;
  Word result;
  for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
    const int n = first + q;
    const int at = ((p / kBlockM * (kTileN / kBlockN) + n / kBlockN) * kBlockM + p % kBlockM) * kBlockN + n % kBlockN;
    result.lane[q] = finished(tiles[z][at], channels[word * kLanes + q], f);
  }
  return result;
}

/// Where the words of a block of pixels lie: so many of each pixel, pixels `stride` words apart.
struct Place {
  int pixels, words, stride;
};

/// Reads the words of the other tensor, where there is one.
void fetch_block(const Word* other, const Place& b, int sum, hls::stream<Word>& others) {
  for (int p = 0; p < (sum != 0 ? b.pixels : 0); ++p) {
    for (int word = 0; word < b.words; ++word) {
#pragma HLS pipeline II=1
      others.write(other[std::int64_t(p) * b.stride + word]);
@@ same: 4
/// Writes the elements of a block of pixels that are there; with another tensor their sums.
void write_block(const Tiles& tiles, const Channel* channels, const Finish& f, const Scaling& s, const Place& b, int sum, hls::stream<Word>& others,
                 Word* to) {
  for (int p = 0; p < (sum == 0 ? b.pixels : 0); ++p) {
    for (int word = 0; word < b.words; ++word) {
#pragma HLS pipeline II=1
      to[std::int64_t(p) * b.stride + word] = made(tiles, channels, f, p, word);
    }
  }
  for (int p = 0; p < (sum != 0 ? b.pixels : 0); ++p) {
    for (int word = 0; word < b.words; ++word) {
#pragma HLS pipeline II=kSumInterval
      const Word product = made(tiles, channels, f, p, word);
      const Word other = others.read();
      Word result;
      for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
        result.lane[q] = sum == 1 ? added(product.lane[q], other.lane[q], s) : added(other.lane[q], product.lane[q], s);
      }
      to[std::int64_t(p) * b.stride + word] = result;
@@ same: 4
/// A block: while it is written the next one is taken.
void block_of(hls::stream<Packet> in[kColumns], const Channel* channels, const Finish& f, const Scaling& s, const Place& b, int sum, const Word* other,
              Word* to) {
#pragma HLS dataflow
  hls::stream<Word, kTileM> others;
  Tiles tiles;
#pragma HLS array_partition variable=tiles type=complete dim=1
#pragma HLS array_partition variable=tiles type=cyclic factor=kBanks dim=2
  fetch_block(other, b, sum, others);
  receive(in, tiles);
  write_block(tiles, channels, f, s, b, sum, others, to);
}

/// All of a product.
void product(const Channel* trained, const Word* other, Word* y, const Layer& l, int unit, hls::stream<Packet> in[kColumns]) {
  const Finish f = {l.zero, l.shift, l.low, l.high};
  const Scaling s = {l.zero_a, l.zero_b, l.zero_y, wide(l.a_low, l.a_high), wide(l.b_low, l.b_high), l.multiplier_y, l.shift_a, l.shift_b,
                     l.shift_y, l.sum_low, l.sum_high};
  const int rounds = rounds_of(l);
  const int blocks = blocks_of(l, 0);
  const int sets = sets_of(l);
  constexpr int channels_of_tile = kColumns * kTileN;
  constexpr int tile_words = channels_of_tile / kLanes;
  for (int set = 0; set < l.groups * sets; ++set) {
    const int group = set / sets;
    const int first_tile = set % sets * l.together;
    const int tiles = tiles_of(l, set % sets);
    static Channels channels;
#pragma HLS array_partition variable=channels type=cyclic factor=kLanes
    for (int i = 0; i < tiles * channels_of_tile; ++i) {
#pragma HLS pipeline II=1
      channels[i] = trained[l.channels_at + (group * l.tiles + first_tile) * channels_of_tile + i];
    }
    for (int round = 0; round < rounds; ++round) {
      const int band = round * kRows + unit;
      const int pixels = pixels_of(l, band);
      const std::int64_t begin = std::int64_t(band / l.bands) * l.out_height * l.out_width + band % l.bands * l.rows * l.out_width;
      for (int tile = 0; tile < tiles; ++tile) {
        const int first = (first_tile + tile) * tile_words;
        const int words = l.group_words - first < tile_words ? l.group_words - first : tile_words;
        for (int block = 0; block < blocks; ++block) {
          const int left = pixels - block * kTileM;
          const int some = left < 0 ? 0 : left < kTileM ? left : kTileM;
          const std::int64_t at = some > 0 ? (begin + block * kTileM) * l.out_words + group * l.group_words + first : 0;
          const Place place = {some, words, l.out_words};
          block_of(in, channels + tile * channels_of_tile, f, s, place, l.sum, other + l.other_at + at, y + l.y_at + at);
@@ same: 8
/// The results of row `unit` of chains, product after product; tells the sequencer when one lies in memory.
extern "C" void array_store(const Channel* channels, const Word* other, Word* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done,
                            hls::stream<Packet> in[kColumns]) {
#pragma HLS interface m_axi port=channels offset=slave bundle=channels max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=channels bundle=control
#pragma HLS interface m_axi port=other offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=other bundle=control
#pragma HLS interface m_axi port=y offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
@@ same: 3
#pragma HLS interface axis port=done
#pragma HLS interface axis port=in
  for (Layer l = take(control); l.opcode != 0; l = take(control)) {
    product(channels, other, y, l, unit, in);
    hls::fence(y, done);  // the results are in memory before the token leaves [UG1399 hls::fence]
    Control token;
    token.data = 1;
    token.keep = -1;
    token.last = 1;
    done.write(token);
  }
}
