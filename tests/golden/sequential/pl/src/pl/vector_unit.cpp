// vector_unit.cpp: the vector unit.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
// 16 elements of int8 a cycle: 192 DSP, 48000 LUT, modelled
#include <hls_stream.h>

#include <cstdint>

namespace {

constexpr int kLanes = 16;  // channels of a word of device memory
constexpr int kBlock = 128;  // words of a pixel that are folded together
constexpr int kQueue = 256;  // words between loads, folds and stores

using Element = std::int8_t;
using Sum = std::int32_t;
using Bound = std::int32_t;

enum Operation { kAdd = 0, kMaximum = 1, kAverage = 2, kMean = 3, kTable = 4, kBounds = 5, kDepthwise = 6 };

}  // namespace

/// Neighbouring channels of a pixel: what a memory port carries in a cycle.
struct Word {
  Element lane[kLanes];
};

namespace {

/// A layer, from the registers.
struct Layer {
  int operation;
  int images, height, width, words;  // of the input; words of a pixel
  int out_height, out_width;
  int kernel_y, kernel_x, stride_y, stride_x, top, left;
  bool counts_padding;
};

/// How elements become elements.
struct Scaling {
  int zero_a, zero_b, zero;
  std::int64_t a, b;
  int y;
  int shift_a, shift_b, shift;
  Bound low, high;
};

using Table = Element[256];

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

/// (value * multiplier) / 2^31, halves up, then / 2^shift, halves away from zero.
std::int64_t scaled(std::int64_t value, std::int64_t multiplier, int shift) {
  const std::int64_t high = (value * multiplier + (std::int64_t{1} << 30)) >> 31;
  const std::int64_t half = shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
  const std::int64_t size = ((high < 0 ? -high : high) + half) >> shift;
  return high < 0 ? -size : size;
}

/// TensorFlow Lite's sum: both elements at 1 / 2^20 of the larger scale, added, and scaled to the result's.
Element added(Element first, Element second, const Scaling& s) {
  const std::int64_t a = scaled((std::int64_t(first) - s.zero_a) * (std::int64_t{1} << 20), s.a, s.shift_a);
  const std::int64_t b = scaled((std::int64_t(second) - s.zero_b) * (std::int64_t{1} << 20), s.b, s.shift_b);
  return held(scaled(a + b, s.y, s.shift) + s.zero, s);
}

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

/// What layers were trained to: nothing here.
struct Trained {};

Sum tapped(int operation, bool first, Sum before, Element value, const Trained& /*t*/, int /*tap_word*/, int /*lane*/, const Scaling& s) {
  return folded(operation, first, before, value, s);
}

Element ended(int operation, Sum fold, Element value, Element other, int count, const Table& table, const Trained& /*t*/, int /*word*/, int /*lane*/,
              const Scaling& s) {
  return finished(operation, fold, value, other, count, table, s);
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
            }
          }
        }
      }
    }
  }
}

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
            }
          }
        }
      }
    }
  }
}

/// Writes words one after another.
void store(hls::stream<Word>& results, const Layer& l, Word* y) {
  const std::int64_t count = std::int64_t(l.images) * l.out_height * l.out_width * l.words;
  for (std::int64_t i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    y[i] = results.read();
  }
}

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
}

}  // namespace

/// Computes a sum of two tensors, a pool, a table's function or bounds. Tensors lie in device memory pixel by pixel, kLanes channels
/// in a word, the last word of a pixel filled up. `*_at` are words from the beginning of a buffer, `table_at` bytes.
extern "C" void vector_unit(const Word* a, const Word* b, const Element* table, Word* y, unsigned a_at, unsigned b_at, unsigned table_at, unsigned y_at,
                            int operation, int images, int height, int width, int words, int out_height, int out_width, int kernel_y,
                            int kernel_x, int stride_y, int stride_x, int top, int left, int counts_padding, int zero_a, int zero_b, int zero,
                            std::int64_t multiplier_a, std::int64_t multiplier_b, int multiplier_y, int shift_a, int shift_b, int shift,
                            Bound low, Bound high) {
#pragma HLS interface m_axi port=a offset=slave bundle=a max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=a bundle=control
#pragma HLS interface m_axi port=b offset=slave bundle=b max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=b bundle=control
#pragma HLS interface m_axi port=table offset=slave bundle=table max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=table bundle=control
#pragma HLS interface m_axi port=y offset=slave bundle=y max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=y bundle=control
#pragma HLS interface s_axilite port=a_at bundle=control
#pragma HLS interface s_axilite port=b_at bundle=control
#pragma HLS interface s_axilite port=table_at bundle=control
#pragma HLS interface s_axilite port=y_at bundle=control
#pragma HLS interface s_axilite port=operation bundle=control
#pragma HLS interface s_axilite port=images bundle=control
#pragma HLS interface s_axilite port=height bundle=control
#pragma HLS interface s_axilite port=width bundle=control
#pragma HLS interface s_axilite port=words bundle=control
#pragma HLS interface s_axilite port=out_height bundle=control
#pragma HLS interface s_axilite port=out_width bundle=control
#pragma HLS interface s_axilite port=kernel_y bundle=control
#pragma HLS interface s_axilite port=kernel_x bundle=control
#pragma HLS interface s_axilite port=stride_y bundle=control
#pragma HLS interface s_axilite port=stride_x bundle=control
#pragma HLS interface s_axilite port=top bundle=control
#pragma HLS interface s_axilite port=left bundle=control
#pragma HLS interface s_axilite port=counts_padding bundle=control
#pragma HLS interface s_axilite port=zero_a bundle=control
#pragma HLS interface s_axilite port=zero_b bundle=control
#pragma HLS interface s_axilite port=zero bundle=control
#pragma HLS interface s_axilite port=multiplier_a bundle=control
#pragma HLS interface s_axilite port=multiplier_b bundle=control
#pragma HLS interface s_axilite port=multiplier_y bundle=control
#pragma HLS interface s_axilite port=shift_a bundle=control
#pragma HLS interface s_axilite port=shift_b bundle=control
#pragma HLS interface s_axilite port=shift bundle=control
#pragma HLS interface s_axilite port=low bundle=control
#pragma HLS interface s_axilite port=high bundle=control
#pragma HLS interface s_axilite port=return bundle=control
  Table values;
  for (int i = 0; i < 256; ++i) {
#pragma HLS pipeline II=1
    values[i] = operation == kTable ? table[table_at + i] : Element(0);
  }
  const Layer l = {operation,  images,   height,   width,    words,    out_height, out_width,
                   kernel_y, kernel_x, stride_y, stride_x, top, left, counts_padding != 0};
  Layer second = l;
  second.images = operation == kAdd ? images : 0;
  const Scaling s = {zero_a, zero_b, zero, multiplier_a, multiplier_b, multiplier_y, shift_a, shift_b, shift, low, high};
  layer(a + a_at, b + b_at, values, Trained(), l, second, s, y + y_at);
}
