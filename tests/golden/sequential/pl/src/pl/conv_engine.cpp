@@ sha256: 32753bd3d4b451ef9fa9176cee09dae726cc0059ad9ff4091d1cc97a1a9f4c79
// conv_engine.cpp: the convolution engine.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 pixels x 64 output channels: 1024 products of int8 a cycle, 640 GOP/s at 312.5 MHz at most
// 1184 DSP, 98784 LUT, 52224 FF, 112 block RAMs, modelled
@@ same: 5
constexpr int kPixels = 16;  // output pixels side by side
constexpr int kOut = 64;  // output channels side by side: a tile
constexpr int kOutWords = 4;  // words of them
constexpr int kRounds = 8;  // rounds of pixels that share a load of weights
constexpr int kTogether = 1;  // rounds that take turns while an adder works
constexpr int kDepth = 64;  // words of input channels of a block

using Element = std::int8_t;
using Factor = std::int16_t;  // wide enough for a product of two elements
using Sum = std::int32_t;
@@ same: 8
/// Weights of a tap and an input channel, one for each output channel of a tile.
struct Row {
  Word word[kOutWords];
@@ same: 4
  std::int32_t bias;
  std::int32_t multiplier;  // of integers: see finished()
  std::int32_t shift;
  std::int32_t unused;
@@ same: 6
  int height, width, words;  // of the input; words of a pixel
  int out_height, out_width, out_words;
  int kernel_y, kernel_x, stride_y, stride_x, top, left;
  int first;        // word of a pixel that this tile sees
  Element outside;  // around the image
@@ same: 5
  std::int32_t low, high;
};

using XBlock = Word[kDepth][kRounds][kPixels];
using WBlock = Row[kDepth * kLanes];
using Sums = Sum[kRounds][kPixels][kOut];
@@ same: 18
/// Which taps and words of a tap are loaded together; of a depthwise layer's words some may not be there.
struct Part {
  int tap, taps, word, words, there;
};

/// Reads what `count` output pixels from `pixel` on see: bursts of a tap's words. The rounds are filled up.
void load_x(const Word* x, const Layer& l, const Part& k, int pixel, int count, int rounds, XBlock& block) {
@@ same: 3
    outside.lane[i] = l.outside;
  }
  for (int t = 0; t < rounds * kPixels; ++t) {
    const int image = (pixel + t) / (l.out_height * l.out_width);
    const int place = (pixel + t) % (l.out_height * l.out_width);
    const int y0 = place / l.out_width * l.stride_y - l.top;
    const int x0 = place % l.out_width * l.stride_x - l.left;
    for (int i = 0; i < k.taps; ++i) {
      const int row = y0 + (k.tap + i) / l.kernel_x;
      const int column = x0 + (k.tap + i) % l.kernel_x;
      const bool inside = t < count && 0 <= row && row < l.height && 0 <= column && column < l.width;
      const std::int64_t from = ((std::int64_t(image) * l.height + row) * l.width + column) * l.words + l.first + k.word;
      for (int j = 0; j < k.words; ++j) {
#pragma HLS pipeline II=1
        block[i * k.words + j][t / kPixels][t % kPixels] = inside && j < k.there ? x[from + j] : outside;
@@ same: 5
/// Reads rows of weights.
void load_w(const Word* w, int rows, WBlock& block) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < kOutWords; ++j) {
#pragma HLS pipeline II=1
      block[i].word[j] = w[i * kOutWords + j];
@@ same: 4
void clear(Sums& sums) {
  for (int r = 0; r < kRounds; ++r) {
#pragma HLS pipeline II=1
    for (int p = 0; p < kPixels; ++p) {
#pragma HLS unroll
      for (int q = 0; q < kOut; ++q) {
#pragma HLS unroll
        sums[r][p][q] = Sum(0);
@@ same: 5
/// Adds kPixels x kOut products a cycle, every sum in order of taps and channels; kTogether rounds take turns, so that a sum is
/// there when its next product comes.
void compute(const XBlock& x, const WBlock& w, int steps, int rounds, Sums& sums) {
  for (int begin = 0; begin < rounds; begin += kTogether) {
    for (int k = 0; k < steps; ++k) {
      for (int i = 0; i < kLanes; ++i) {
        for (int r = begin; r < begin + kTogether; ++r) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=sums type=inter false
          for (int p = 0; p < kPixels; ++p) {
#pragma HLS unroll
            const Factor value = Factor(x[k][r][p].lane[i]);
            for (int j = 0; j < kOutWords; ++j) {
#pragma HLS unroll
              for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
                sums[r][p][j * kLanes + q] += Factor(value * Factor(w[k * kLanes + i].word[j].lane[q]));
@@ same: 9
/// The same where every channel sees itself alone: kOut products a cycle.
void compute_depthwise(const XBlock& x, const WBlock& w, int taps, int rounds, Sums& sums) {
  for (int k = 0; k < taps; ++k) {
    for (int r = 0; r < rounds; ++r) {
      for (int p = 0; p < kPixels; ++p) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=sums type=inter false
        for (int j = 0; j < kOutWords; ++j) {
#pragma HLS unroll
          for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
            sums[r][p][j * kLanes + q] += Factor(Factor(x[k * kOutWords + j][r][p].lane[q]) * Factor(w[k].word[j].lane[q]));
@@ same: 7
/// Loads a part of K and adds its products: loads of the next part and products of this one overlap.
void part(const Word* x, const Word* w, const Layer& l, const Part& k, bool depthwise, int pixel, int count, int rounds, Sums& sums) {
#pragma HLS dataflow
  XBlock x_block;
#pragma HLS array_partition variable=x_block type=complete dim=3
#pragma HLS aggregate variable=x_block
  WBlock w_block;
#pragma HLS aggregate variable=w_block
  load_x(x, l, k, pixel, count, rounds, x_block);
  load_w(w, depthwise ? k.taps : k.taps * k.words * kLanes, w_block);
  if (depthwise) {
    compute_depthwise(x_block, w_block, k.taps, rounds, sums);
  } else {
    compute(x_block, w_block, k.taps * k.words, rounds, sums);
@@ same: 3
/// Writes the elements of `count` pixels, `words` words of each.
void store(const Sums& sums, const Channel (&channels)[kOut], const Finish& f, int count, int words, int out_words, Word* y) {
  for (int t = 0; t < count; ++t) {
    for (int j = 0; j < words; ++j) {
#pragma HLS pipeline II=1
@@ same: 3
        result.lane[q] = finished(sums[t / kPixels][t % kPixels][j * kLanes + q], channels[j * kLanes + q], f);
      }
      y[std::int64_t(t) * out_words + j] = result;
@@ same: 6
/// Computes a convolution or matrix product. x and y lie in device memory pixel by pixel, kLanes channels in a word, the last word
/// of a pixel filled up; w and channels tile by tile of kOut output channels. `*_at` are words from the beginning of a buffer.
/// Of several sets each has images, weights and results of its own, one behind the other.
extern "C" void conv_engine(const Word* x, const Word* w, const Channel* channels, Word* y, unsigned x_at, unsigned w_at, unsigned channels_at,
                            unsigned y_at, int sets, int images, int height, int width, int words, int out_height, int out_width, int group_words,
                            int kernel_y, int kernel_x, int stride_y, int stride_x, int top, int left, int groups, int depthwise, int outside,
                            int zero, int shift, std::int32_t low, std::int32_t high) {
#pragma HLS interface m_axi port=x offset=slave bundle=x max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=x bundle=control
#pragma HLS interface m_axi port=w offset=slave bundle=w max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
#pragma HLS interface m_axi port=channels offset=slave bundle=channels max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=channels bundle=control
#pragma HLS interface m_axi port=y offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
#pragma HLS interface s_axilite port=x_at bundle=control
#pragma HLS interface s_axilite port=w_at bundle=control
#pragma HLS interface s_axilite port=channels_at bundle=control
#pragma HLS interface s_axilite port=y_at bundle=control
#pragma HLS interface s_axilite port=sets bundle=control
#pragma HLS interface s_axilite port=images bundle=control
#pragma HLS interface s_axilite port=height bundle=control
#pragma HLS interface s_axilite port=width bundle=control
#pragma HLS interface s_axilite port=words bundle=control
#pragma HLS interface s_axilite port=out_height bundle=control
#pragma HLS interface s_axilite port=out_width bundle=control
#pragma HLS interface s_axilite port=group_words bundle=control
#pragma HLS interface s_axilite port=kernel_y bundle=control
#pragma HLS interface s_axilite port=kernel_x bundle=control
#pragma HLS interface s_axilite port=stride_y bundle=control
#pragma HLS interface s_axilite port=stride_x bundle=control
#pragma HLS interface s_axilite port=top bundle=control
#pragma HLS interface s_axilite port=left bundle=control
#pragma HLS interface s_axilite port=groups bundle=control
#pragma HLS interface s_axilite port=depthwise bundle=control
#pragma HLS interface s_axilite port=outside bundle=control
#pragma HLS interface s_axilite port=zero bundle=control
#pragma HLS interface s_axilite port=shift bundle=control
#pragma HLS interface s_axilite port=low bundle=control
#pragma HLS interface s_axilite port=high bundle=control
#pragma HLS interface s_axilite port=return bundle=control
  static Sums sums;
#pragma HLS array_partition variable=sums type=complete dim=2
#pragma HLS array_partition variable=sums type=complete dim=3
  Channel tile_channels[kOut];
#pragma HLS array_partition variable=tile_channels type=cyclic factor=kLanes
  const Finish finish = {zero, shift, low, high};
  const int pixels = images * out_height * out_width;
  const int tiles = (group_words + kOutWords - 1) / kOutWords;
  const int taps = kernel_y * kernel_x;
  std::int64_t weights = w_at;
  for (int part_of = 0; part_of < sets * groups; ++part_of) {
    const int set = part_of / groups;
    const int g = part_of % groups;
    const Word* const set_x = x + x_at + std::int64_t(set) * images * height * width * words;
    Word* const set_y = y + y_at + std::int64_t(set) * pixels * group_words * groups;
    for (int m = 0; m < tiles; ++m) {
      const int out_words = group_words - m * kOutWords < kOutWords ? group_words - m * kOutWords : kOutWords;
      const int tap_words = depthwise != 0 ? out_words : words / groups;
      const Layer layer = {height, width,    words,    out_height, out_width, group_words * groups, kernel_y, kernel_x, stride_y,
                           stride_x, top, left, depthwise != 0 ? m * kOutWords : g * tap_words, Element(outside)};
      const int row_words = depthwise != 0 ? kOutWords : tap_words * kLanes * kOutWords;  // of weights, of a tap
      const int wide = depthwise != 0 ? kOutWords : tap_words;
      const int words_once = wide < kDepth ? wide : kDepth;
      const int taps_once = kDepth / words_once;
      for (int i = 0; i < kOut; ++i) {
#pragma HLS pipeline II=1
        tile_channels[i] = channels[channels_at + (g * tiles + m) * kOut + i];
      }
      for (int pixel = 0; pixel < pixels; pixel += kRounds * kPixels) {
        const int count = pixels - pixel < kRounds * kPixels ? pixels - pixel : kRounds * kPixels;
        const int rounds = ((count + kPixels - 1) / kPixels + kTogether - 1) / kTogether * kTogether;
        clear(sums);
        for (int tap = 0; tap < taps; tap += taps_once) {
          for (int word = 0; word < wide; word += words_once) {
            const int some_taps = taps - tap < taps_once ? taps - tap : taps_once;
            const int some_words = wide - word < words_once ? wide - word : words_once;
            const Part some = {tap, some_taps, word, some_words, tap_words - word};
            const Word* from = w + weights + std::int64_t(tap) * row_words + std::int64_t(word) * kLanes * kOutWords;
            part(set_x, from, layer, some, depthwise != 0, pixel, count, rounds, sums);
          }
        }
        store(sums, tile_channels, finish, count, out_words, group_words * groups,
              set_y + std::int64_t(pixel) * group_words * groups + g * group_words + m * kOutWords);
      }
      weights += std::int64_t(taps) * row_words;
@@ same: 3
