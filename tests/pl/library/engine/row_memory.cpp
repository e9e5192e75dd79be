// A store that gives bands and blocks to what asks for them, and takes results, while the next layer's first band is asked for: an image is
// brought as rows, goes through layers of every kind, and is given back.
#include "engine/row_memory.h"

#include <hls_task.h>

using namespace aieloom::pl;
using namespace aieloom::pl::row;

struct Small {
  static constexpr int kRows = 2, kTileM = 4, kTileWords = 2, kStoreWords = 1024, kRowWords = 4, kSettles = 8;
};

constexpr int kLayersInAll = 8;

// What is computed stands for products: of a band's words a number that tells their order, and where the result's word lies.
std::uint64_t fold(std::uint64_t before, std::uint64_t word) { return before * 31 + word; }
std::uint64_t made_of(std::uint64_t band, int pixel, int word, std::uint64_t other) { return band * 7 + pixel * 13 + word + 5 * other; }

Layer layer(int opcode, int size_y, int size_x, int words, int out_y, int out_x, int out_words, int kernel, int stride, int top, int groups,
            int tap_words, int group_words, int rows, int tiles, int together, int x_at, int y_at, int other_at) {
  Layer l = {};
  l.opcode = opcode;
  l.images = 3;
  l.height = size_y;
  l.width = size_x;
  l.words = words;
  l.out_height = out_y;
  l.out_width = out_x;
  l.out_words = out_words;
  l.kernel_y = l.kernel_x = kernel;
  l.stride_y = l.stride_x = stride;
  l.top = top;
  l.groups = groups;
  l.tap_words = tap_words;
  l.group_words = group_words;
  l.rows = rows;
  l.bands = (out_y + rows - 1) / rows;
  l.tiles = tiles;
  l.together = together;
  l.x_at = x_at;
  l.y_at = y_at;
  l.sum = other_at >= 0 ? 1 : 0;
  l.other_at = other_at >= 0 ? other_at : 0;
  return l;
}

void program(Layer (&layers)[kLayersInAll]) {
  layers[0] = layer(kBring, 10, 12, 30, 5, 6, 1, 2, 1, 0, 3, 1, 1, 1, 1, 1, 2, 0, -1);
  layers[1] = layer(kProduct, 5, 6, 1, 5, 6, 3, 3, 1, 1, 1, 1, 3, 2, 2, 1, 0, 100, -1);
  layers[2] = layer(kFold, 5, 6, 3, 2, 3, 3, 2, 2, 0, 3, 1, 1, 1, 1, 1, 100, 300, -1);
  layers[3] = layer(kProduct, 5, 6, 1, 5, 6, 4, 1, 1, 0, 1, 1, 4, 3, 2, 2, 0, 400, -1);
  layers[4] = layer(kProduct, 5, 6, 3, 5, 6, 4, 1, 1, 0, 1, 3, 4, 5, 2, 2, 100, 600, 400);
  layers[5] = layer(kProduct, 5, 6, 4, 3, 3, 2, 3, 2, 1, 2, 2, 1, 1, 1, 1, 600, 800, -1);
  layers[6] = layer(kGive, 3, 3, 18, 3, 3, 2, 0, 0, 0, 0, 0, 0, 1, 1, 1, 800, 3, -1);
  layers[7].opcode = kEnd;
}

// The bands of x that row_load asks for.
void bands(hls::stream<Packet>& x, hls::stream<Control>& ask, hls::stream<std::uint64_t>& folded) {
  Layer layers[kLayersInAll];
  program(layers);
  for (const Layer& l : layers) {
    for (int set = 0; set < (is_served(l) ? l.groups * sets_of(l) : 0); ++set) {
      for (int band = 0; band < l.bands; ++band) {
        int seen = 0;
        for (int y = 0; y < l.height; ++y) {
          const int first = band * l.rows * l.stride_y - l.top;
          const int last = first + (pixels_of(l, band) / l.out_width - 1) * l.stride_y + l.kernel_y;
          seen += first <= y && y < last ? l.width * l.tap_words : 0;
        }
        ask.write(token());
        std::uint64_t all = 0;
        for (int i = 0; i < seen; ++i) {
          all = fold(all, x.read().data.range(63, 0).to_uint64());
        }
        folded.write(all);
      }
    }
  }
}

// Results of a band, block by block.
void results(hls::stream<std::uint64_t>& folded, hls::stream<Packet>& other, hls::stream<Control>& ask, hls::stream<Packet>& sums, hls::stream<Packet>& folds) {
  Layer layers[kLayersInAll];
  program(layers);
  for (const Layer& l : layers) {
    for (int set = 0; set < (is_served(l) ? l.groups * sets_of(l) : 0); ++set) {
      const int most = l.opcode == kProduct ? Small::kTileWords : l.group_words;
      for (int band = 0; band < l.bands; ++band) {
        const std::uint64_t all = folded.read();
        for (int tile = 0; tile < tiles_of(l, set % sets_of(l)); ++tile) {
          const int first = (set % sets_of(l) * l.together + tile) * most;
          for (int block = 0; block < pixels_of(l, band); block += Small::kTileM) {
            const int pixels = pixels_of(l, band) - block < Small::kTileM ? pixels_of(l, band) - block : Small::kTileM;
            const int words = l.group_words - first < most ? l.group_words - first : most;
            std::uint64_t beside[Small::kTileM * Small::kTileWords] = {};  // there is room for all of a block that is asked for
            if (l.sum != 0) {
              ask.write(token());
              for (int i = 0; i < pixels * words; ++i) {
                beside[i] = other.read().data.range(63, 0).to_uint64();
              }
            }
            for (int p = 0; p < pixels; ++p) {
              for (int w = 0; w < words; ++w) {
                const int pixel = band * l.rows * l.out_width + block + p;
                const Bits word = made_of(all, pixel, set / sets_of(l) * l.group_words + first + w, beside[p * words + w]);
                (l.opcode == kProduct ? sums : folds).write(axis_of(word, false));
              }
            }
          }
        }
      }
    }
  }
}

extern "C" void top(const Bits* images, Bits* given, int unit, hls::stream<Control>& control, hls::stream<Control>& done) {
#pragma HLS dataflow
  hls::stream<Number, kNumbers> of_x, of_other, of_made, copies;
  hls::stream<Piece, kPieces> xs, others, mades;
  hls_thread_local hls::stream<Packet> x;
  hls_thread_local hls::stream<Packet> other;
  hls_thread_local hls::stream<Packet> sums;
  hls_thread_local hls::stream<Packet> folds;
  hls_thread_local hls::stream<Control> ask_x;
  hls_thread_local hls::stream<Control> ask_other;
  hls_thread_local hls::stream<std::uint64_t> folded;
  hls_thread_local hls::task load(bands, x, ask_x, folded);  // tasks, so that C simulation too has all side by side
  hls_thread_local hls::task store(results, folded, other, ask_other, sums, folds);
  hand(control, of_x, of_other, of_made, copies);
  count_x(of_x, xs);
  count_tiles<Small>(true, of_other, others);
  count_tiles<Small>(false, of_made, mades);
  keep<Small>(images, given, unit, copies, xs, others, mades, done, x, ask_x, other, ask_other, sums, folds);
}

// The same by its definition, a layer at a time.
void reference(const Bits* images, int image, std::uint64_t (&store)[Small::kStoreWords], Bits* given) {
  Layer layers[kLayersInAll];
  program(layers);
  for (const Layer& l : layers) {
    if (l.opcode == kBring) {
      for (int pixel = 0; pixel < 30; ++pixel) {
        std::uint64_t word = 0;
        for (int lane = 0; lane < 8; ++lane) {  // of 12: the lower half of a word is looked at
          const int channel = lane % 3, dx = lane / 3 % 2, dy = lane / 6;
          const Bits row = images[2 + 30 * image + channel * 10 + pixel / 6 * 2 + dy];
          const int column = pixel % 6 * 2 + dx;
          word |= row.range(8 * column + 7, 8 * column).to_uint64() << (8 * lane);
        }
        store[pixel] = word;
      }
    } else if (l.opcode == kGive) {
      for (int i = 0; i < 18; ++i) {
        given[3 + 18 * image + i] = store[800 + i];
      }
    }
    std::uint64_t y[200] = {};
    for (int set = 0; set < (is_served(l) ? l.groups * sets_of(l) : 0); ++set) {
      const int group = set / sets_of(l);
      for (int band = 0; band < l.bands; ++band) {
        const int begin = band * l.rows;
        const int end = begin + l.rows < l.out_height ? begin + l.rows : l.out_height;
        std::uint64_t all = 0;
        for (int row = begin * l.stride_y - l.top; row < (end - 1) * l.stride_y - l.top + l.kernel_y; ++row) {
          for (int i = 0; i < (0 <= row && row < l.height ? l.width * l.tap_words : 0); ++i) {
            all = fold(all, store[l.x_at + (row * l.width + i / l.tap_words) * l.words + group * l.tap_words + i % l.tap_words]);
          }
        }
        const int most = (l.opcode == kProduct ? Small::kTileWords : l.group_words) * l.together;
        const int first = set % sets_of(l) * most;
        for (int pixel = begin * l.out_width; pixel < end * l.out_width; ++pixel) {
          for (int w = first; w < l.group_words && w < first + most; ++w) {
            const int at = pixel * l.out_words + group * l.group_words + w;
            y[at] = made_of(all, pixel, group * l.group_words + w, l.sum != 0 ? store[l.other_at + at] : 0);
          }
        }
      }
    }
    for (int i = 0; i < (is_served(l) ? l.out_height * l.out_width * l.out_words : 0); ++i) {
      store[l.y_at + i] = y[i];
    }
  }
}

int main() {
  static hls::stream<Control> control, done;
  Layer layers[kLayersInAll];
  program(layers);
  for (const Layer& l : layers) {
    for (int i = 0; i < kNumbers; ++i) {
      Control word;
      word.data = reinterpret_cast<const int*>(&l)[i];
      control.write(word);
    }
  }
  static Bits images[2 + 3 * 30], given[3 + 3 * 18], wanted[3 + 3 * 18];
  for (int i = 0; i < 2 + 3 * 30; ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      images[i].range(8 * lane + 7, 8 * lane) = (i * 37 + lane * 101 + i * lane) & 0xFF;
    }
  }
  top(images, given, 1, control, done);
  static std::uint64_t store[Small::kStoreWords];
  reference(images, 1, store, wanted);
  for (int i = 0; i < 7; ++i) {
    done.read();
  }
  for (int i = 0; i < 3 + 3 * 18; ++i) {
    if (given[i].range(63, 0) != wanted[i].range(63, 0)) {
      return 1;
    }
  }
  return wanted[3 + 18] != 0 && done.empty() ? 0 : 2;
}
