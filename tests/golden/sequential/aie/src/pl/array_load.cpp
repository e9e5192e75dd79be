@@ sha256: 4b23c7a7dc6f0f59f3438c1aaa989cdd65e1586e7ef8d10467aa70400c982347
// array_load.cpp: the engine on the array.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 4 x 2 chains of 3 cores on the array: 128 pixels x 64 output channels, 192 of K a pass; 7,680 GOP/s at 1250 MHz at most
// 10 movers in the logic: 960 DSP, 237200 LUT, 72 UltraRAM blocks, modelled
@@ same: 3

#include <cstdint>
@@ same: 3
constexpr int kLanes = 16;  // channels of a word of device memory
constexpr int kRows = 4;  // rows of chains
constexpr int kParts = 3;  // cores of a chain: parts of K
constexpr int kColumns = 2;  // columns of chains
constexpr int kTileM = 32;  // pixels of a core's tile
constexpr int kTileN = 32;  // output channels of a core's tile
constexpr int kBlockM = 2;  // pixels of an mmul
constexpr int kBlockN = 8;  // output channels of an mmul
constexpr int kTileWords = 4;  // words of K of a core's tile
constexpr int kTailWords = 2;  // stream words that say whether a pass is the last
constexpr int kWeightWords = 128;  // stream words of a core's tile of weights
constexpr int kLineWords = 4096;  // words of the input that a band sees, at most
constexpr int kCacheWords = 4096;  // words of weights of a part of K, at most
constexpr int kMostTogether = 16;  // tiles of output channels that share loads, at most
constexpr int kSumInterval = 2;  // cycles of a word with a sum
constexpr int kBanks = 32;  // of a tile of sums: 16 neighbouring channels lie in as many

using Word = ap_uint<128>;  // kLanes channels of a pixel
using Packet = ap_axiu<128, 0, 0, 0>;

using Control = ap_axiu<32, 0, 0, 0>;

/// A product, as the sequencer sends it.
struct Layer {
  int opcode;                        // 0: there is no other
  int images, height, width, words;  // of the input; words of a pixel
  int out_height, out_width, out_words;
  int kernel_y, kernel_x, stride_y, stride_x, top, left;
  int groups, tap_words, group_words;  // words of a tap that a group sees; of a pixel that it makes
  int passes, rows, bands, tiles;      // over K; rows of the output of a band; bands of an image; tiles of a group's output channels
  int x_at, w_at, channels_at, y_at;   // words from the beginning of a buffer
  int outside, zero, shift, low, high;
  int together;  // tiles of output channels that share a load of the input: their weights are kept at the same time
  int sum;       // with another tensor: 0 none, 1 the product is the first of the two, 2 the second
  int other_at;
  int zero_a, zero_b, zero_y;                      // of the sum
  int a_low, a_high, b_low, b_high, multiplier_y;  // of 64 bits the halves
  int shift_a, shift_b, shift_y, sum_low, sum_high;
  int unused[2];
};

constexpr int kNumbers = sizeof(Layer) / sizeof(int);

/// Takes a product from the sequencer.
Layer take(hls::stream<Control>& control) {
  union {
    Layer layer;
    int number[kNumbers];
  } both;
  for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
    both.number[i] = control.read().data.to_int();
  }
  return both.layer;
}

/// Rounds of a layer: in each every row of chains has a band of an image, or none.
int rounds_of(const Layer& l) { return (l.images * l.bands + kRows - 1) / kRows; }

/// Sets of a group's tiles, and the tiles of one: the last may have fewer.
int sets_of(const Layer& l) { return (l.tiles + l.together - 1) / l.together; }

int tiles_of(const Layer& l, int set) {
  const int left = l.tiles - set * l.together;
  return left < l.together ? left : l.together;
}

/// Blocks of kTileM pixels of a band, the same of all.
int blocks_of(const Layer& l, int /*round*/) { return (l.rows * l.out_width + kTileM - 1) / kTileM; }

/// Pixels of a band of an image: the last may have fewer rows; 0 where there is none.
int pixels_of(const Layer& l, int band) {
  const int first = band % l.bands * l.rows;
  const int rows = l.out_height - first < l.rows ? l.out_height - first : l.rows;
  return band < l.images * l.bands ? rows * l.out_width : 0;
}

using Lines = Word[kParts][kLineWords];  // a band's rows of the input, once for each part of K

/// Reads the rows that a band's windows see.
void load_band(const Word* x, const Layer& l, int group, int band, Lines& lines) {
  const int image = band / l.bands;
  const int first = band % l.bands * l.rows * l.stride_y - l.top;
  const int rows = pixels_of(l, band) > 0 ? (l.rows - 1) * l.stride_y + l.kernel_y : 0;
  for (int r = 0; r < rows; ++r) {
    const bool inside = 0 <= first + r && first + r < l.height;
    const std::int64_t from = l.x_at + (std::int64_t(image) * l.height + first + r) * l.width * l.words + group * l.tap_words;
    for (int column = 0; column < (inside ? l.width : 0); ++column) {
      for (int j = 0; j < l.tap_words; ++j) {
#pragma HLS pipeline II=1
        const Word word = x[from + std::int64_t(column) * l.words + j];
        for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
          lines[part][(r * l.width + column) * l.tap_words + j] = word;
@@ same: 6
/// A word of a window: where it lies from the window's first, and its tap.
struct Place {
  int offset, dy, dx;
  bool there;
};

/// Sends a band's tiles: for each block of pixels and pass over K one to every part, and whether it is the last.
void send_band(const Lines& lines, const Layer& l, int band, hls::stream<Packet> out[kParts]) {
  Word outside;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    outside.range(8 * i + 7, 8 * i) = l.outside & 0xFF;
  }
  const int pixels = pixels_of(l, band);
  const int first = band % l.bands * l.rows * l.stride_y - l.top;
  const int blocks = blocks_of(l, 0);
  const int words = l.kernel_y * l.kernel_x * l.tap_words;
  for (int block = 0; block < blocks; ++block) {
    int rows[kTileM];
    int columns[kTileM];
    for (int i = 0; i < kTileM; ++i) {
#pragma HLS pipeline II=1
      const int pixel = block * kTileM + i;
      rows[i] = pixel < pixels ? pixel / l.out_width * l.stride_y : -(1 << 24);  // beyond the band: outside of every image
      columns[i] = pixel % l.out_width * l.stride_x - l.left;
    }
    for (int pass = 0; pass < l.passes; ++pass) {
      Place places[kParts][kTileWords];
      for (int part = 0; part < kParts; ++part) {
        for (int k = 0; k < kTileWords; ++k) {
#pragma HLS pipeline II=1
          const int word = (pass * kParts + part) * kTileWords + k;
          const int tap = word / l.tap_words;
          const int dy = tap / l.kernel_x;
          const int dx = tap % l.kernel_x;
          places[part][k] = {(dy * l.width + dx) * l.tap_words + word % l.tap_words, dy, dx, word < words};
        }
      }
      for (int m = 0; m < kTileM; m += kBlockM) {
        for (int k = 0; k < kTileWords; ++k) {
#pragma HLS pipeline II=kBlockM
          for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
            const Place& place = places[part][k];
            Word seen[kBlockM];
            for (int i = 0; i < kBlockM; ++i) {
              const int row = rows[m + i];
              const int column = columns[m + i];
              const bool inside = place.there && 0 <= first + row + place.dy && first + row + place.dy < l.height &&
                                  0 <= column + place.dx && column + place.dx < l.width;
              seen[i] = inside ? lines[part][(row * l.width + column) * l.tap_words + place.offset] : outside;
            }
            for (int i = 0; i < kBlockM; ++i) {
              const int half = i / (kBlockM / 2) * 64;
              const int pair = i % (kBlockM / 2) * 2;
              Packet packet;
              packet.data.range(63, 0) = seen[pair].range(half + 63, half);
              packet.data.range(127, 64) = seen[pair + 1].range(half + 63, half);
              packet.keep = -1;
              packet.last = 0;
              out[part].write(packet);
@@ same: 4
      for (int i = 0; i < kTailWords; ++i) {
#pragma HLS pipeline II=1
        for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
          Packet packet;
          packet.data = pass == l.passes - 1 ? 1 : 0;
          packet.keep = -1;
          packet.last = i == kTailWords - 1;
          out[part].write(packet);
@@ same: 6
/// Sends a band's tiles once for every tile of output channels of a set.
void send_tiles(const Lines& lines, const Layer& l, int band, int tiles, hls::stream<Packet> out[kParts]) {
  for (int tile = 0; tile < tiles; ++tile) {
    send_band(lines, l, band, out);
@@ same: 3
/// A band: while it is sent the next one is loaded.
void band_of(const Word* x, const Layer& l, int group, int band, int tiles, hls::stream<Packet> out[kParts]) {
#pragma HLS dataflow
  static Lines lines;
#pragma HLS array_partition variable=lines type=complete dim=1
#pragma HLS bind_storage variable=lines type=ram_s2p impl=uram
  load_band(x, l, group, band, lines);
  send_tiles(lines, l, band, tiles, out);
@@ same: 4
/// The inputs of row `unit` of chains, product after product: x lies in device memory pixel by pixel, kLanes channels in a word.
extern "C" void array_load(const ap_uint<128>* x, int unit, hls::stream<Control>& control, hls::stream<Packet> out[kParts]) {
#pragma HLS interface m_axi port=x offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=x bundle=control
#pragma HLS interface s_axilite port=unit bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=control
#pragma HLS interface axis port=out
  for (Layer l = take(control); l.opcode != 0; l = take(control)) {
    const int rounds = rounds_of(l);
    const int sets = sets_of(l);
    for (int set = 0; set < l.groups * sets; ++set) {
      for (int round = 0; round < rounds; ++round) {
        band_of(x, l, set / sets, round * kRows + unit, tiles_of(l, set % sets), out);
@@ same: 4
