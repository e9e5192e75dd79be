@@ sha256: 43a30fd180a30b418a071c33f8fd75dc0061b72264fe2d1a09ad4ec60a6b68c2
// vector_unit.cpp: the vector unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements of int8 a cycle: 304 DSP, 59200 LUT, modelled
@@ same: 10
constexpr int kBlock = 128;  // words of a pixel that are folded together
constexpr int kQueue = 256;  // words between loads, folds and stores
constexpr int kMostWeights = 2048;  // words of weights
constexpr int kVectorUnits = 1;  // that share images
@@ same: 3
using Bound = std::int32_t;
using Control = ap_axiu<32, 0, 0, 0>;

constexpr int kNumbers = 48;  // of a layer that the sequencer sends
@@ same: 4
enum Operation { kAdd = 0, kMaximum = 1, kAverage = 2, kMean = 3, kTable = 4, kBounds = 5, kDepthwise = 6 };
@@ same: 3
/// Neighbouring channels of a pixel: what a memory port carries in a cycle.
@@ same: 6
/// A layer, from the registers.
struct Layer {
  int operation;
  int images, height, width, words;  // of the input; words of a pixel
  int out_height, out_width;
  int kernel_y, kernel_x, stride_y, stride_x, top, left;
  bool counts_padding;
};

/// How elements become elements.
@@ same: 5
  Bound low, high;
};

using Table = Element[256];
@@ same: 38
/// What lies outside the image: the smallest element to a maximum; to an average the zero point, or 0 where it does not count.
Element outside_of(int operation, bool counts_padding, const Scaling& s) {
  return operation == kMaximum ? Element(-128) : Element(counts_padding ? s.zero_a : 0);
}

/// A window's fold with its next tap.
Sum folded(int operation, bool first, Sum before, Element value, const Scaling& s) {
  if (operation == kMaximum) {
    return first || value > before ? Sum(value) : before;
  }
  return (first ? 0 : before) + value - (operation == kMean ? s.zero_a : 0);
}

/// A sum by a count, halves away from zero.
Element divided(Sum sum, int count) {
  const int half = sum > 0 ? count / 2 : -(count / 2);
  return Element((sum + half) / count);
}

Element finished(int operation, Sum fold, Element value, Element other, int count, const Table& table, const Scaling& s) {
  if (operation == kAdd) {
    return added(value, other, s);
  }
  if (operation == kTable) {
    return table[value + 128];
  }
  if (operation == kAverage) {
    return divided(fold, count);
  }
  if (operation == kMean) {
    const std::int64_t mean = to_even(fold * s.a, s.shift) + s.zero;
    const std::int64_t raised = mean < -128 ? -128 : mean;
    return Element(raised > 127 ? 127 : raised);
  }
  return Element(fold);
}
@@ same: 32
/// Weights and channels of a layer in which every channel sees itself alone.
struct Trained {
  Word weights[kMostWeights];  // tap after tap
  Channel channels[kBlock][kLanes];
};

/// A number of 32 bits in a word.
int number(const Word& word, int at) {
  unsigned found = 0;
  for (int i = 0; i < 4; ++i) {
#pragma HLS unroll
    found |= unsigned(std::uint8_t(word.lane[4 * at + i])) << (8 * i);
  }
  return int(found);
}

/// Reads them: a word for each channel, then the weights.
void take_trained(const Word* from, const Layer& l, Trained& t) {
  const int channels = l.operation == kDepthwise ? l.words * kLanes : 0;
  for (int i = 0; i < channels; ++i) {
#pragma HLS pipeline II=1
    const Word word = from[i];
    t.channels[i / kLanes][i % kLanes] = {number(word, 0), number(word, 1), number(word, 2), 0};
  }
  const int weights = l.operation == kDepthwise ? l.kernel_y * l.kernel_x * l.words : 0;
  for (int i = 0; i < weights; ++i) {
#pragma HLS pipeline II=1
    t.weights[i] = from[channels + i];
@@ same: 3
Sum tapped(int operation, bool first, Sum before, Element value, const Trained& t, int tap_word, int lane, const Scaling& s) {
  const Sum product = Sum(value) * t.weights[operation == kDepthwise ? tap_word : 0].lane[lane];
  return operation == kDepthwise ? (first ? 0 : before) + product : folded(operation, first, before, value, s);
}

Element ended(int operation, Sum fold, Element value, Element other, int count, const Table& table, const Trained& t, int word, int lane,
              const Scaling& s) {
  const Finish f = {s.zero, s.shift, s.low, s.high};
  return operation == kDepthwise ? finished(fold, t.channels[word][lane], f) : finished(operation, fold, value, other, count, table, s);
}

/// Reads what each pixel of the result sees, tap after tap: bursts of a tap's words.
void load(const Word* x, const Layer& l, Element outside, hls::stream<Word>& to) {
  Word around;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    around.lane[i] = outside;
  }
  for (int n = 0; n < l.images; ++n) {
    for (int y = 0; y < l.out_height; ++y) {
      for (int column = 0; column < l.out_width; ++column) {
        for (int word = 0; word < l.words; word += kBlock) {
          const int some = l.words - word < kBlock ? l.words - word : kBlock;
          for (int dy = 0; dy < l.kernel_y; ++dy) {
            for (int dx = 0; dx < l.kernel_x; ++dx) {
              const int from_y = y * l.stride_y + dy - l.top;
              const int from_x = column * l.stride_x + dx - l.left;
              const bool inside = 0 <= from_y && from_y < l.height && 0 <= from_x && from_x < l.width;
              const std::int64_t from = ((std::int64_t(n) * l.height + from_y) * l.width + from_x) * l.words + word;
              for (int j = 0; j < some; ++j) {
#pragma HLS pipeline II=1
                to.write(inside ? x[from + j] : around);
              }
@@ same: 8
/// How many of the places from `from` on lie within `size`.
int inside_of(int from, int places, int size) {
  const int first = from < 0 ? 0 : from;
  const int last = from + places < size ? from + places : size;
  return last > first ? last - first : 0;
}

/// Folds the taps of each word, and makes the result of the last.
void work(hls::stream<Word>& xs, hls::stream<Word>& others, const Table& table, const Trained& trained, const Layer& l, const Scaling& s,
          hls::stream<Word>& results) {
  static Sum folds[kBlock][kLanes];
#pragma HLS array_partition variable=folds type=complete dim=2
  const int taps = l.kernel_y * l.kernel_x;
  for (int n = 0; n < l.images; ++n) {
    for (int y = 0; y < l.out_height; ++y) {
      for (int column = 0; column < l.out_width; ++column) {
        const int seen = inside_of(y * l.stride_y - l.top, l.kernel_y, l.height) * inside_of(column * l.stride_x - l.left, l.kernel_x, l.width);
        const int counted = l.counts_padding ? taps : seen;
        const int count = counted > 0 ? counted : 1;
        for (int word = 0; word < l.words; word += kBlock) {
          const int some = l.words - word < kBlock ? l.words - word : kBlock;
          for (int tap = 0; tap < taps; ++tap) {
            for (int j = 0; j < some; ++j) {
#pragma HLS pipeline II=1
              const Word value = xs.read();
              Word other = value;
              if (l.operation == kAdd) {
                other = others.read();
              }
              Word result;
              for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
                const Sum fold = tapped(l.operation, tap == 0, folds[j][i], value.lane[i], trained, tap * l.words + word + j, i, s);
                folds[j][i] = fold;
                if (tap == taps - 1) {
                  result.lane[i] = ended(l.operation, fold, value.lane[i], other.lane[i], count, table, trained, word + j, i, s);
                }
              }
              if (tap == taps - 1) {
                results.write(result);
              }
@@ same: 8
/// Writes words one after another.
void store(hls::stream<Word>& results, const Layer& l, Word* y) {
  const std::int64_t count = std::int64_t(l.images) * l.out_height * l.out_width * l.words;
  for (std::int64_t i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    y[i] = results.read();
@@ same: 3
/// All of a layer: loads, folds and stores overlap.
void layer(const Word* a, const Word* b, const Table& table, const Trained& trained, const Layer& l, const Layer& second, const Scaling& s, Word* y) {
#pragma HLS dataflow
  hls::stream<Word, kQueue> xs;
  hls::stream<Word, kQueue> others;
  hls::stream<Word, kQueue> results;
  load(a, l, outside_of(l.operation, l.counts_padding, s), xs);
  load(b, second, Element(0), others);
  work(xs, others, table, trained, l, s, results);
  store(results, l, y);
@@ same: 4
/// Computes its share of the images of layer after layer as the sequencer sends them, and tells it when one lies in memory. Tensors lie in device memory pixel by
/// pixel, kLanes channels in a word, the last word of a pixel filled up.
extern "C" void vector_unit(const Word* a, const Word* b, const Word* table, Word* y, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
#pragma HLS interface m_axi port=a offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=a bundle=control
#pragma HLS interface m_axi port=b offset=slave bundle=b max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=b bundle=control
#pragma HLS interface m_axi port=table offset=slave bundle=table max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=table bundle=control
@@ same: 6
  for (;;) {
    int n[kNumbers];
    for (int i = 0; i < kNumbers; ++i) {
#pragma HLS pipeline II=1
      n[i] = control.read().data.to_int();
    }
    if (n[0] == 0) {
      break;
    }
    Table values;
    for (int i = 0; i < 256 / kLanes; ++i) {
#pragma HLS pipeline II=1
      Word word = {};
      if (n[5] == kTable) {
        word = table[n[3] + i];
      }
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
        values[i * kLanes + lane] = word.lane[lane];
      }
    }
    const int each = (n[6] + kVectorUnits - 1) / kVectorUnits;
    const int first = unit * each;
    const int left = n[6] - first < each ? n[6] - first : each;
    const int images = left > 0 ? left : 0;
    const Layer l = {n[5], images, n[7], n[8], n[9], n[10], n[11], n[12], n[13], n[14], n[15], n[16], n[17], n[18] != 0};
    Layer second = l;
    second.images = l.operation == kAdd ? l.images : 0;
    const Scaling s = {n[19], n[20], n[21], wide(n[22], n[23]), wide(n[24], n[25]), n[26], n[27], n[28], n[29], n[30], n[31]};
    const std::int64_t skipped = images > 0 ? std::int64_t(first) * l.height * l.width * l.words : 0;
    const std::int64_t made = images > 0 ? std::int64_t(first) * l.out_height * l.out_width * l.words : 0;
    static Trained trained;
    take_trained(table + n[3], l, trained);
    layer(a + n[1] + skipped, b + n[2] + skipped, values, trained, l, second, s, y + n[4] + made);
@@ same: 8
