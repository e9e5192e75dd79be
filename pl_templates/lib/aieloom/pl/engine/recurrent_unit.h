// LSTMs and GRUs in float32, kImages images at a time, step after step.
//
//   x: a step's gates ---------------------------.
//   w: rows of weights --> product: h by them ---+--> cell --> h --> y
//                          ^-----------------------------------'
//
// Weights stay on the chip where kHeldWords hold them all. II: a word of weights a cycle for all images, a cell every kCellCycles cycles. Cost: a product and
// a sum for each of kImages x kLanes lanes (5 DSPs, estimate), five exponentials and quotients.
#pragma once

#include <hls_stream.h>

#include "../exponential.h"
#include "../storage.h"
#include "values.h"

namespace aieloom {
namespace pl {
namespace recurrent {

/// As the command list numbers them.
enum Cell {
  kLstm = 0,
  kGru = 1,       // the reset gate is a factor of the product with h
  kGruBefore = 2  // the reset gate is a factor of h before the product
};

using FloatWord = Word<float>;

/// The traits of a unit: kImages side by side, kMostGates of a step and kMostHidden features of h, both filled up to whole words, kLeastWords of a row of
/// weights while an adder works and kMostWords at most, kHeldWords on the chip.
template <class T>
struct Of {
  static_assert(T::kMostGates % kLanes == 0 && T::kMostHidden % kLanes == 0, "gates and features fill whole words");
  static_assert(T::kMostWords >= T::kLeastWords, "the longest row of weights is no shorter than the least");
  using Held = FloatWord[T::kHeldWords];
  using Gates = float[T::kImages][T::kMostGates];
  using States = float[T::kImages][T::kMostHidden];
  using Sums = float[T::kImages][T::kMostWords][kLanes];
};

/// 1 / (1 + exp(-x)), of the exponential of what is not above 0.
inline float sigmoid(float x) {
  const float power = exponential(-magnitude(x));
  const float found = (x < 0.0F ? power : 1.0F) / (1.0F + power);
  return x == x ? found : x;
}

/// (1 - exp(-2 |x|)) / (1 + exp(-2 |x|)), with the sign of x.
inline float hyperbolic(float x) {
  const float power = exponential(-(2.0F * magnitude(x)));
  const float found = (1.0F - power) / (1.0F + power);
  return x == x ? (x < 0.0F ? -found : found) : x;
}

inline int words_of(int channels) { return (channels + kLanes - 1) / kLanes; }

/// Words of a row of weights: sums of so many take turns while an adder works.
template <class T>
int row_of(int gates) {
  return words_of(gates) > T::kLeastWords ? words_of(gates) : T::kLeastWords;
}

/// Gives weights to the multipliers: those on the chip, or those in device memory.
template <class T>
void give_weights(const FloatWord* w, const typename Of<T>::Held& held, bool is_held, int first, int count, hls::stream<FloatWord>& to) {
  if (is_held) {
    for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
      to.write(held[first + i]);
    }
  } else {
    for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
      to.write(w[first + i]);
    }
  }
}

/// Adds a word's products of each image a cycle, every sum in order of h's features. One loop: an inner one of a variable count
/// would end its pipeline for each feature [UG1399 Working with Nested Loops].
template <class T>
void multiply(hls::stream<FloatWord>& weights, const typename Of<T>::States& h, int depth, int row_words, typename Of<T>::Sums& sums) {
  int k = 0;
  int r = 0;
  for (int at = 0; at < depth * row_words; ++at) {
#pragma HLS pipeline II=1
// the next product of a sum comes `row_words` iterations later, kLeastWords at least
#pragma HLS dependence variable=sums type=inter direction=RAW distance=T::kLeastWords true
    const FloatWord word = weights.read();
    for (int n = 0; n < T::kImages; ++n) {
#pragma HLS unroll
      for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
        const float product = word.lane[i] * h[n][k];
        sums[n][r][i] = (k == 0 ? 0.0F : sums[n][r][i]) + product;
      }
    }
    k = r == row_words - 1 ? k + 1 : k;
    r = r == row_words - 1 ? 0 : r + 1;
  }
}

/// Products of h by `depth` rows of weights from word `first` on.
template <class T>
void product(const FloatWord* w, const typename Of<T>::Held& held, bool is_held, int first, const typename Of<T>::States& h, int depth, int row_words,
             typename Of<T>::Sums& sums) {
#pragma HLS dataflow
  hls::stream<FloatWord, 64> weights;
  give_weights<T>(w, held, is_held, first, depth * row_words, weights);
  multiply<T>(weights, h, depth, row_words, sums);
}

/// What h gives to a gate.
template <class T>
float sum_of(const typename Of<T>::Sums& sums, int image, int gate) {
  return sums[image][gate / kLanes][gate % kLanes];
}

/// Makes c and h of an LSTM's gates i, f, g, o.
template <class T>
void lstm_cell(const typename Of<T>::Gates& x, const typename Of<T>::Sums& sums, int hidden, typename Of<T>::States& c, typename Of<T>::States& h) {
  int n = 0;
  int j = 0;
  for (int turn = 0; turn < T::kImages * hidden; ++turn) {
#pragma HLS pipeline II=T::kCellCycles
#pragma HLS dependence variable=c type=inter dependent=false  // every turn has places of its own
    const float i = sigmoid(x[n][j] + sum_of<T>(sums, n, j));
    const float f = sigmoid(x[n][hidden + j] + sum_of<T>(sums, n, hidden + j));
    const float g = hyperbolic(x[n][2 * hidden + j] + sum_of<T>(sums, n, 2 * hidden + j));
    const float o = sigmoid(x[n][3 * hidden + j] + sum_of<T>(sums, n, 3 * hidden + j));
    const float kept = f * c[n][j];
    const float made = i * g;
    c[n][j] = kept + made;
    h[n][j] = o * hyperbolic(kept + made);
    const bool last = j == hidden - 1;
    n = last ? n + 1 : n;
    j = last ? 0 : j + 1;
  }
}

/// Makes h of a GRU's gates r, z and n; `c` has its bias.
template <class T>
void gru_cell(const typename Of<T>::Gates& x, const typename Of<T>::Sums& sums, int hidden, const typename Of<T>::States& c,
              typename Of<T>::States& h) {
  int n = 0;
  int j = 0;
  for (int turn = 0; turn < T::kImages * hidden; ++turn) {
#pragma HLS pipeline II=T::kCellCycles
#pragma HLS dependence variable=h type=inter dependent=false  // every turn has places of its own
    const float r = sigmoid(x[n][j] + sum_of<T>(sums, n, j));
    const float z = sigmoid(x[n][hidden + j] + sum_of<T>(sums, n, hidden + j));
    const float seen = sum_of<T>(sums, n, 2 * hidden + j) + c[0][j];
    const float product = r * seen;
    const float made = (1.0F - z) * hyperbolic(x[n][2 * hidden + j] + product);
    const float kept = z * h[n][j];
    h[n][j] = made + kept;
    const bool last = j == hidden - 1;
    n = last ? n + 1 : n;
    j = last ? 0 : j + 1;
  }
}

/// The first half of a GRU whose reset gate comes before the product: `c` becomes r h, `z` the update gate.
template <class T>
void gru_reset(const typename Of<T>::Gates& x, const typename Of<T>::Sums& sums, int hidden, const typename Of<T>::States& h,
               typename Of<T>::States& c, typename Of<T>::States& z) {
  int n = 0;
  int j = 0;
  for (int turn = 0; turn < T::kImages * hidden; ++turn) {
#pragma HLS pipeline II=T::kCellCycles
    c[n][j] = sigmoid(x[n][j] + sum_of<T>(sums, n, j)) * h[n][j];
    z[n][j] = sigmoid(x[n][hidden + j] + sum_of<T>(sums, n, hidden + j));
    const bool last = j == hidden - 1;
    n = last ? n + 1 : n;
    j = last ? 0 : j + 1;
  }
}

/// Its second half.
template <class T>
void gru_new(const typename Of<T>::Gates& x, const typename Of<T>::Sums& sums, int hidden, const typename Of<T>::States& z,
             typename Of<T>::States& h) {
  int n = 0;
  int j = 0;
  for (int turn = 0; turn < T::kImages * hidden; ++turn) {
#pragma HLS pipeline II=T::kCellCycles
#pragma HLS dependence variable=h type=inter dependent=false  // every turn has places of its own
    const float made = (1.0F - z[n][j]) * hyperbolic(x[n][2 * hidden + j] + sum_of<T>(sums, n, j));
    const float kept = z[n][j] * h[n][j];
    h[n][j] = made + kept;
    const bool last = j == hidden - 1;
    n = last ? n + 1 : n;
    j = last ? 0 : j + 1;
  }
}

/// Reads a step's gates, or a bias, word by word.
template <int kMost>
void take(const FloatWord* x, int words, float (&to)[kMost]) {
  for (int j = 0; j < words; ++j) {
#pragma HLS pipeline II=1
    const FloatWord word = x[j];
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      to[j * kLanes + i] = word.lane[i];
    }
  }
}

/// Writes h of an image word by word.
template <int kMost>
void give(const float (&h)[kMost], int words, FloatWord* y) {
  for (int j = 0; j < words; ++j) {
#pragma HLS pipeline II=1
    FloatWord word;
    for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
      word.lane[i] = h[j * kLanes + i];
    }
    y[j] = word;
  }
}

template <class T>
void clear(typename Of<T>::States& states) {
  for (int j = 0; j < T::kMostHidden; ++j) {
#pragma HLS pipeline II=1
    for (int n = 0; n < T::kImages; ++n) {
#pragma HLS unroll
      states[n][j] = 0.0F;
    }
  }
}

/// Computes an LSTM or GRU over all steps of `images` images. x has the gates' inputs step by step, y gets h, kLanes channels in a word, the last word
/// of a step filled up; w has rows of weights, one for each feature of h, then a bias. `*_at` are words from the beginning of a buffer.
template <class T>
void unit(const FloatWord* x, const FloatWord* w, FloatWord* y, unsigned x_at, unsigned w_at, unsigned y_at, int images, int steps, int hidden,
          int cell, int reverse) {
#pragma HLS inline
  static typename Of<T>::Held held;
  bind_storage(held, typename T::HeldStorage());
  static typename Of<T>::Gates gates;
#pragma HLS array_partition variable=gates type=complete dim=1
#pragma HLS array_partition variable=gates type=cyclic factor=kLanes dim=2
  static typename Of<T>::Sums sums;
#pragma HLS array_partition variable=sums type=complete dim=1
#pragma HLS array_partition variable=sums type=complete dim=3
  static typename Of<T>::States h;
#pragma HLS array_partition variable=h type=complete dim=1
#pragma HLS array_partition variable=h type=cyclic factor=kLanes dim=2
  static typename Of<T>::States c;  // of a GRU its bias, or r h
#pragma HLS array_partition variable=c type=complete dim=1
#pragma HLS array_partition variable=c type=cyclic factor=kLanes dim=2
  static typename Of<T>::States z;  // of a GRU whose reset gate comes first
#pragma HLS array_partition variable=z type=complete dim=1
#pragma HLS array_partition variable=z type=cyclic factor=kLanes dim=2
  const int words = words_of(hidden);
  const int x_words = words_of((cell == kLstm ? 4 : 3) * hidden);
  const int row_words = cell == kGruBefore ? row_of<T>(2 * hidden) : row_of<T>((cell == kLstm ? 4 : 3) * hidden);
  const int second_words = cell == kGruBefore ? row_of<T>(hidden) : 0;
  const int first = hidden * row_words;
  const int all = first + hidden * second_words;
  const bool is_held = all <= T::kHeldWords;
  const FloatWord* const weights = w + w_at;
  for (int i = 0; i < (is_held ? all : 0); ++i) {
#pragma HLS pipeline II=1
    held[i] = weights[i];
  }
  for (int image = 0; image < images; image += T::kImages) {
    const int some = images - image < T::kImages ? images - image : T::kImages;
    clear<T>(h);
    clear<T>(c);
    if (cell == kGru) {
      take(weights + all, words, c[0]);
    }
    for (int step = 0; step < steps; ++step) {
      const int t = reverse != 0 ? steps - 1 - step : step;
      for (int n = 0; n < some; ++n) {
        take(x + x_at + (static_cast<std::int64_t>(image + n) * steps + t) * x_words, x_words, gates[n]);
      }
      product<T>(weights, held, is_held, 0, h, hidden, row_words, sums);
      if (cell == kLstm) {
        lstm_cell<T>(gates, sums, hidden, c, h);
      } else if (cell == kGru) {
        gru_cell<T>(gates, sums, hidden, c, h);
      } else {
        gru_reset<T>(gates, sums, hidden, h, c, z);
        product<T>(weights, held, is_held, first, c, hidden, second_words, sums);
        gru_new<T>(gates, sums, hidden, z, h);
      }
      for (int n = 0; n < some; ++n) {
        give(h[n], words, y + y_at + (static_cast<std::int64_t>(image + n) * steps + t) * words);
      }
    }
  }
}

}  // namespace recurrent
}  // namespace pl
}  // namespace aieloom
