@@ sha256: 8f3e244abac8ae4e4d3181d67321b70168aa05b402d7c39e6f245574d5b10a50
// row_unit.cpp: the row unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements a cycle, 4 of them: 512 DSP, 204800 LUT, 288 block RAMs, modelled
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_fence.h>
#include <hls_stream.h>

#include <cstdint>
@@ same: 3
constexpr int kLanes = 16;  // elements of a word of device memory
constexpr int kRowUnits = 4;  // that share images
constexpr int kMostWords = 2;  // of a row
constexpr int kNumbers = 48;  // of a layer that the sequencer sends
constexpr int kPowers = 256;  // of the table of exponentials
constexpr int kFraction = 12;  // bits of a normalised value behind the point
constexpr int kSpread = 8;  // bits of a variance behind the point
constexpr int kHeldWords = 1;  // of each bank: keys or values of a head
constexpr int kMostSums = 16;  // columns of a head
constexpr int kParts = 2;  // cores of a chain: parts of K
constexpr int kColumns = 2;  // columns of chains
constexpr int kTileN = 32;  // columns of a core's tile
constexpr int kDepth = 64;  // places of K of a core's tile
constexpr int kBlockK = 8;  // places of K of an mmul
constexpr int kBlockN = 8;  // columns of an mmul

using Element = std::int8_t;
using Control = ap_axiu<32, 0, 0, 0>;

enum Operation { kNorm = 0, kAffine = 1, kShares = 2, kLayOut = 3 };
@@ same: 3
/// Neighbouring channels of a pixel, or as many bytes of numbers: what a memory port carries in a cycle.
@@ same: 6
/// What the passes make of a word.
struct Wide {
  int lane[kLanes];
};

/// A layer's rows: `inner` of them, `step` rows apart, for each of the factors that are read.
struct Rows {
  int operation;
  int inner, step;
  int words, valid;  // of a row: the words are filled up
  int zero_x, zero;
  int shift;             // of factors; of shares the steps
  std::int64_t epsilon;  // beside a variance
};

/// What a row's first pass finds.
struct Seen {
  int total, squares, largest;
};

/// What a row's elements are told: the sum, and 1 / sqrt(variance) as root / 2^shift; or the largest.
struct Told {
  int total, root, shift, largest;
};

/// Factor and offset of a channel.
struct Scale {
  int factor, offset;
};

using Scales = Scale[kMostWords][kLanes];
using Powers = int[kLanes / 2][kPowers];  // a copy for two lanes
@@ same: 11
/// A word of four numbers.
Word of_numbers(int a, int b, int c, int d) {
  const int all[4] = {a, b, c, d};
  Word word;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    word.lane[i] = Element(std::uint8_t(unsigned(all[i / 4]) >> (8 * (i % 4))));
@@ same: 4
/// Reads rows word by word.
void load(const Word* x, const Rows& r, hls::stream<Word>& to) {
  for (int row = 0; row < r.inner; ++row) {
    for (int j = 0; j < r.words; ++j) {
#pragma HLS pipeline II=1
      to.write(x[std::int64_t(row) * r.step * r.words + j]);
@@ same: 4
/// The first pass: what a row's elements are together.
void look(const Rows& r, hls::stream<Word>& words, hls::stream<Word>& values, hls::stream<Seen>& seen) {
  for (int row = 0; row < r.inner; ++row) {
    Seen found = {0, 0, -128};
    for (int j = 0; j < r.words; ++j) {
#pragma HLS pipeline II=1
      const Word word = words.read();
      values.write(word);
      for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
        const int value = j * kLanes + i < r.valid ? word.lane[i] : 0;
        found.total += value;
        found.squares += value * value;
        found.largest = j * kLanes + i < r.valid && value > found.largest ? value : found.largest;
      }
    }
    seen.write(found);
@@ same: 3
/// The largest integer whose square is not above m.
unsigned root_of(std::uint64_t m) {
  unsigned root = 0;
  for (int bit = 15; bit >= 0; --bit) {
#pragma HLS unroll
    const unsigned tried = root | 1U << bit;
    root = std::uint64_t(tried) * tried <= m ? tried : root;
  }
  return root;
}

/// Of a row's sums the factor of its elements: one root and one quotient.
void tell(const Rows& r, hls::stream<Seen>& seen, hls::stream<Told>& told) {
  for (int row = 0; row < r.inner; ++row) {
#pragma HLS pipeline II=1
    const Seen s = seen.read();
    const std::int64_t variance = std::int64_t(r.valid) * s.squares - std::int64_t(s.total) * s.total;
    const std::int64_t spread = (variance << kSpread) + r.epsilon;
    const std::uint64_t v = spread > 1 ? std::uint64_t(spread) : 1;
    int bits = 0;
    for (int i = 0; i < 56; ++i) {
#pragma HLS unroll
      bits = (v >> i) != 0 ? i + 1 : bits;
    }
    const int half = (bits + 1) / 2 - 16;
    const std::uint64_t mantissa = half >= 0 ? v >> (2 * half) : v << (-2 * half);
    const int root = int((std::uint64_t{1} << 32) / root_of(mantissa));
    told.write({s.total, root, 32 - kFraction - kSpread / 2 + half, s.largest});
@@ same: 3
/// The second pass: normalised values, elements above their zero point, or exponentials and their sum.
void raise(const Rows& r, const Powers& powers, hls::stream<Word>& values, hls::stream<Told>& told, hls::stream<Wide>& raised,
           hls::stream<std::int64_t>& totals) {
  for (int row = 0; row < r.inner; ++row) {
    const Told t = told.read();
    std::int64_t total = 0;
    for (int j = 0; j < r.words; ++j) {
#pragma HLS pipeline II=1
      const Word word = values.read();
      Wide wide;
      for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
        const int value = word.lane[i];
        const std::int64_t normal = (std::int64_t(r.valid * value - t.total) * t.root + (std::int64_t{1} << (t.shift - 1))) >> t.shift;
        const int below = t.largest - value;
        const bool is_there = j * kLanes + i < r.valid && 0 <= below && below < kPowers;
        const int power = is_there ? powers[i / 2][kPowers - 1 - below] : 0;
        wide.lane[i] = r.operation == kNorm ? int(normal) : r.operation == kAffine ? value - r.zero_x : power;
        total += power;
      }
      raised.write(wide);
    }
    totals.write(total);
@@ same: 3
/// rest / by, rounded down, 255 at most.
int quotient(std::uint64_t rest, std::uint64_t by) {
  int found = 0;
  const bool beyond = rest >= by << 8;
  for (int bit = 7; bit >= 0; --bit) {
#pragma HLS unroll
    const bool fits = rest >= by << bit;
    rest = fits ? rest - (by << bit) : rest;
    found |= int(fits) << bit;
  }
  return beyond ? 255 : found;
}

/// The third pass: elements.
void make(const Rows& r, const Scales& scales, hls::stream<Wide>& raised, hls::stream<std::int64_t>& totals, hls::stream<Word>& results) {
  for (int row = 0; row < r.inner; ++row) {
    const std::uint64_t total = std::uint64_t(totals.read());
    for (int j = 0; j < r.words; ++j) {
#pragma HLS pipeline II=1
      const Wide wide = raised.read();
      Word word;
      for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
        int element;
        if (r.operation == kShares) {
          element = r.zero + (total > 0 ? quotient(std::uint64_t(wide.lane[i]) * unsigned(r.shift) + total / 2, total) : 0);
        } else {
          const std::int64_t half = (std::int64_t{1} << r.shift) >> 1;
          const std::int64_t made = ((std::int64_t(wide.lane[i]) * scales[j][i].factor + scales[j][i].offset + half) >> r.shift) + r.zero;
          element = made < -128 ? -128 : made > 127 ? 127 : int(made);
        }
        word.lane[i] = Element(element);
      }
      results.write(word);
@@ same: 4
/// Writes rows word by word.
void store(const Rows& r, hls::stream<Word>& results, Word* y) {
  for (int row = 0; row < r.inner; ++row) {
    for (int j = 0; j < r.words; ++j) {
#pragma HLS pipeline II=1
      y[std::int64_t(row) * r.step * r.words + j] = results.read();
@@ same: 4
/// All passes over rows: those of neighbouring rows overlap.
void rows_of(const Word* x, const Rows& r, const Powers& powers, const Scales& scales, Word* y) {
#pragma HLS dataflow
  hls::stream<Word, 2 * kMostWords> words;
  hls::stream<Word, 2 * kMostWords> values;
  hls::stream<Seen, 2> seen;
  hls::stream<Told, 64> told;
  hls::stream<Wide, 2 * kMostWords> raised;
  hls::stream<std::int64_t, 2> totals;
  hls::stream<Word, 2 * kMostWords> results;
  load(x, r, words);
  look(r, words, values, seen);
  tell(r, seen, told);
  raise(r, powers, values, told, raised, totals);
  make(r, scales, raised, totals, results);
  store(r, results, y);
}

/// Reads factors and offsets of a row's channels.
void take_scales(const Word* w, int words, Scales& scales) {
  for (int i = 0; i < words * kLanes / 2; ++i) {
#pragma HLS pipeline II=1
    const Word word = w[i];
    for (int k = 0; k < 2; ++k) {
#pragma HLS unroll
      scales[2 * i / kLanes][2 * i % kLanes + k] = {number(word, 2 * k), number(word, 2 * k + 1)};
@@ same: 4
/// A layer of whole rows: images from `first` on.
void layer(const Word* x, const Word* w, Word* y, const int (&n)[kNumbers], int first, int images) {
  static Scales scales;
#pragma HLS array_partition variable=scales type=complete dim=2
  static Powers powers;
#pragma HLS array_partition variable=powers type=complete dim=1
  const Word head = w[n[2]];
  const Word* const table = w + n[2] + 1;
  const int pixels = n[6];
  const bool each = n[10] != 0;
  const int rows = each ? images : images * pixels * n[9];
  const Rows r = {n[4], rows, each ? pixels : 1, n[7], n[8], n[11], n[12], number(head, 0), std::int64_t(number(head, 2)) << 32 | std::uint32_t(number(head, 1))};
  for (int i = 0; i < (r.operation == kShares ? kPowers / 4 : 0); ++i) {
#pragma HLS pipeline II=1
    const Word word = table[i];
    for (int k = 0; k < 4; ++k) {
      for (int copy = 0; copy < kLanes / 2; ++copy) {
#pragma HLS unroll
        powers[copy][4 * i + k] = number(word, k);
@@ same: 3
  const std::int64_t skipped = std::int64_t(first) * pixels * n[9] * r.words;
  for (int pixel = 0; pixel < (each ? pixels : 1); ++pixel) {
    if (r.operation != kShares) {
      take_scales(table + std::int64_t(pixel) * r.words * kLanes / 2, r.words, scales);
    }
    const std::int64_t at = skipped + std::int64_t(pixel) * r.words;
    rows_of(x + n[1] + at, r, powers, scales, y + n[3] + at);
@@ same: 3
/// Keys or values of a head, in banks of neighbouring rows.
using Held = Word[kLanes][kHeldWords];

using Sums = int[kMostSums];

/// Reads a head, and sums it over what the array multiplies along.
void hold(const Word* x, int tokens, int stride, int words, bool transposed, Held& held, Sums& sums) {
  for (int token = 0; token < tokens; ++token) {
    for (int j = 0; j < words; ++j) {
#pragma HLS pipeline II=1
      const Word word = x[std::int64_t(token) * stride + j];
      held[token % kLanes][token / kLanes * words + j] = word;
      int total = 0;
      for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
        total += word.lane[i];
        if (!transposed) {
          sums[j * kLanes + i] = (token == 0 ? 0 : sums[j * kLanes + i]) + word.lane[i];
        }
      }
      if (transposed) {
        sums[token] = (j == 0 ? 0 : sums[token]) + total;
@@ same: 5
/// Writes a head in the order in which the array's cores take weights: tiles, columns of chains, parts of K, passes, mmul by mmul.
void write_columns(const Held& held, int tokens, int words, bool transposed, int tiles, int passes, Word* y) {
  int at = 0;
  for (int column = 0; column < tiles * kColumns; ++column) {
    for (int part = 0; part < kParts; ++part) {
      for (int pass = 0; pass < passes; ++pass) {
        for (int n = 0; n < kTileN; n += kBlockN) {
          for (int k = 0; k < kDepth; k += kLanes / kBlockN) {
#pragma HLS pipeline II=1
            Word word;
            for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
              const int place = (pass * kParts + part) * kDepth + k + i / kBlockN;
              const int across = column * kTileN + n + i % kBlockN;
              const int token = transposed ? across : place;
              const int channel = transposed ? place : across;
              const bool inside = token < tokens && channel < words * kLanes;
              const Word from = held[inside ? token % kLanes : 0][inside ? token / kLanes * words + channel / kLanes : 0];
              word.lane[i] = inside ? from.lane[channel % kLanes] : Element(0);
            }
            y[at] = word;
            ++at;
@@ same: 7
/// Writes what each column needs beside it: a bias that takes the zero point of what meets it back, multiplier and shift.
void write_channels(const Sums& sums, int columns, int zero, int count, const Word& head, Word* y) {
  for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    const int sum = i < columns ? sums[i] : 0;
    y[i] = of_numbers(-zero * sum, number(head, 0), number(head, 1), 0);
@@ same: 3
/// Lays heads out as the array reads weights: images from `first` on.
void lay_out(const Word* x, const Word* w, Word* y, const int (&n)[kNumbers], int first, int images) {
  static Held held;
#pragma HLS array_partition variable=held type=complete dim=1
  static Sums sums;
#pragma HLS array_partition variable=sums type=cyclic factor=kLanes
  const int tokens = n[6];
  const int stride = n[7];
  const int words = n[9];
  const int heads = n[10];
  const bool transposed = n[11] != 0;
  const int tiles = n[13];
  const int passes = n[14];
  const int weights = tiles * kColumns * kParts * passes * (kTileN * kDepth / kLanes);
  const int channels = tiles * kColumns * kTileN;
  const Word head = w[n[2]];
  for (int image = first; image < first + images; ++image) {
    Word* const to = y + n[3] + std::int64_t(image) * heads * (weights + channels);
    for (int h = 0; h < heads; ++h) {
      hold(x + n[1] + std::int64_t(image) * tokens * stride + n[8] + h * words, tokens, stride, words, transposed, held, sums);
      write_columns(held, tokens, words, transposed, tiles, passes, to + std::int64_t(h) * weights);
      write_channels(sums, transposed ? tokens : words * kLanes, n[12], channels, head, to + std::int64_t(heads) * weights + std::int64_t(h) * channels);
@@ same: 6
/// Computes its share of the images of layer after layer as the sequencer sends them, and tells it when one lies in memory. Tensors lie in device memory pixel by
/// pixel, kLanes channels in a word, the last word of a row filled up.
extern "C" void row_unit(const Word* x, const Word* w, Word* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
@@ same: 4
#pragma HLS interface m_axi port=y offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
@@ same: 3
#pragma HLS interface axis port=done
@@ same: 9
    const int share = (n[5] + kRowUnits - 1) / kRowUnits;
    const int first = unit * share;
    const int left = n[5] - first < share ? n[5] - first : share;
    const int images = left > 0 ? left : 0;
    if (n[4] == kLayOut) {
      lay_out(x, w, y, n, first, images);
    } else {
      layer(x, w, y, n, first, images);
    }
@@ same: 8
