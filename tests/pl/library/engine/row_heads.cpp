// Heads laid out in the orders of both engines, as they are and transposed, with what columns of int8 need beside them.
#include "engine/row_heads.h"

#include <array>

using namespace aieloom::pl;
using namespace aieloom::pl::rows;

struct OnArray {
  using Values = Integers;
  static constexpr int kNumbers = 15, kHeldWords = 8, kMostSums = 128, kApart = 4, kWordChannels = 1;
  static constexpr int kParts = 2, kColumns = 2, kTileN = 16, kDepth = 16, kBlockN = 8;
};
struct InLogic : OnArray {
  static constexpr int kParts = 1, kColumns = 1, kTileN = 32, kBlockN = 16;
};
struct OfFloats : OnArray {
  using Values = Floats;
  static constexpr int kWordChannels = 4;
};

constexpr int kTokens = 21, kStride = 5, kFirst = 1, kWords = 2, kHeads = 2, kImages = 2, kZero = 7;

template <class Element>
using Memory = Word<Element>[4096];

int given(int i) { return static_cast<int>((static_cast<unsigned>(i) * 2654435761U >> 9) % 251) - 125; }

/// Checks one layout: `place_of` gives of a word and lane of a head's weights the place of K and the column.
template <class T, class Lay, class PlaceOf>
int checked(bool transposed, Lay lay, PlaceOf place_of) {
  using Element = typename T::Values::Element;
  static Memory<Element> x, w, y;
  for (int i = 0; i < 4096; ++i) {
    for (int q = 0; q < 16; ++q) {
      x[i].lane[q] = static_cast<Element>(given(16 * i + q));
    }
  }
  if (sizeof(Element) == 1) {
    w[3] = *reinterpret_cast<const Word<Element>*>(std::array<int, 4>{{1234567, -8, 0, 0}}.data());
  }
  const int columns = transposed ? kTokens : kWords * 16, deep = transposed ? kWords * 16 : kTokens;
  const int tiles = (columns + T::kColumns * T::kTileN - 1) / (T::kColumns * T::kTileN), passes = (deep + T::kParts * T::kDepth - 1) / (T::kParts * T::kDepth);
  const int n[15] = {3, 2, 3, 4, kLayOut, kImages, kTokens, kStride, kFirst, kWords, kHeads, transposed ? 1 : 0, kZero, tiles, passes};
  if (!lay(x, w, y, n)) {
    return 1;
  }
  const int filled = tiles * T::kColumns * T::kTileN, weights = filled * passes * T::kParts * T::kDepth / 16, beside = filled / T::kWordChannels;
  for (int image = 0; image < kImages; ++image) {
    for (int head = 0; head < kHeads; ++head) {
      const auto element = [&](int place, int column) {
        const int token = transposed ? column : place, channel = transposed ? place : column;
        const bool inside = token < kTokens && channel < kWords * 16;
        const int at = 2 + (image * kTokens + token) * kStride + kFirst + head * kWords + channel / 16;
        return inside ? static_cast<int>(x[at].lane[channel % 16]) : 0;
      };
      const int begin = 4 + image * kHeads * (weights + beside);
      for (int i = 0; i < weights * 16; ++i) {
        int place = 0, column = 0;
        place_of(i / 16, i % 16, passes, place, column);
        if (y[begin + head * weights + i / 16].lane[i % 16] != static_cast<Element>(element(place, column))) {
          return 2;
        }
      }
      for (int column = 0; column < filled; ++column) {
        int sum = 0;
        for (int place = 0; place < deep; ++place) {
          sum += element(place, column);
        }
        const Word<Element>& word = y[begin + kHeads * weights + head * beside + column / T::kWordChannels];
        const bool is_right = sizeof(Element) == 1 ? T::Values::number_at(word, 0) == (column < columns ? -kZero * sum : 0) &&
                                                         T::Values::number_at(word, 1) == 1234567 && T::Values::number_at(word, 2) == -8
                                                   : word.lane[0] == 0 && word.lane[15] == 0;
        if (!is_right) {
          return 3;
        }
      }
    }
  }
  return 0;
}

/// The array's: tiles and columns of chains, parts of K, passes, mmul by mmul of 2 places x 8 columns.
template <class T>
void of_array(int word, int lane, int passes, int& place, int& column) {
  const int deep = T::kDepth / (16 / T::kBlockN), k = word % deep * (16 / T::kBlockN), n = word / deep % (T::kTileN / T::kBlockN) * T::kBlockN;
  const int rest = word / deep / (T::kTileN / T::kBlockN), pass = rest % passes, part = rest / passes % T::kParts;
  place = (pass * T::kParts + part) * T::kDepth + k + lane / T::kBlockN;
  column = rest / passes / T::kParts * T::kTileN + n + lane % T::kBlockN;
}

/// The logic's: tiles, and of each a row of columns for every place of K.
void of_logic(int word, int lane, int passes, int& place, int& column) {
  const int row = InLogic::kTileN / 16, places = passes * InLogic::kDepth;
  place = word / row % places;
  column = word / row / places * InLogic::kTileN + word % row * 16 + lane;
}

int main() {
  for (int transposed = 0; transposed < 2; ++transposed) {
    const auto integers = [](const Word<std::int8_t>* x, const Word<std::int8_t>* w, Word<std::int8_t>* y, const int (&n)[15]) {
      return IntegerHeads<ArrayColumns>::lay_out<OnArray>(x, w, y, n, 0, kImages);
    };
    const auto logic = [](const Word<std::int8_t>* x, const Word<std::int8_t>* w, Word<std::int8_t>* y, const int (&n)[15]) {
      return IntegerHeads<EngineColumns>::lay_out<InLogic>(x, w, y, n, 0, kImages);
    };
    const auto floats = [](const Word<float>* x, const Word<float>* w, Word<float>* y, const int (&n)[15]) {
      return FloatHeads<ArrayColumns>::lay_out<OfFloats>(x, w, y, n, 0, kImages);
    };
    const int found = checked<OnArray>(transposed != 0, integers, of_array<OnArray>) + 10 * checked<InLogic>(transposed != 0, logic, of_logic) +
                      100 * checked<OfFloats>(transposed != 0, floats, of_array<OfFloats>);
    if (found != 0) {
      return found % 251 + 1;
    }
  }
  static Word<float> none[1];
  const int other[15] = {3, 0, 0, 0, kNorm};
  return FloatHeads<ArrayColumns>::lay_out<OfFloats>(none, none, none, other, 0, 1) || NoHeads::lay_out<OfFloats>(none, none, none, other, 0, 1) ? 9 : 0;
}
