// Places of results in images: each is compared with the image that it shows.
#include "reorder.h"

using namespace aieloom::pl;

/// Whether a result of so many channels, rows and columns shows image[wanted(c, y, x)] of a height and a width.
template <class Reorder, class Wanted>
bool shows(int channels, int height, int width, int from_height, int from_width, Wanted wanted) {
  for (int c = 0; c < channels; ++c) {
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; ++j) {
        int channel = c, y = i, x = j;
        Reorder::from(channel, y, x);
        if ((channel * from_height + y) * from_width + x != wanted(c, i, j)) {
          return false;
        }
      }
    }
  }
  return true;
}

struct Shapes {  // 3 x 4 x 5 as 2 x 3 x 10
  static constexpr int kHeight = 3, kWidth = 10, kFromHeight = 4, kFromWidth = 5, kFeatures = 3;
};
struct Axis201 {  // [width, channels, height] of the image
  static constexpr int kChannel = 1, kRow = 2, kColumn = 0;
};
struct Blocks {
  static constexpr int kUpscale = 2, kPerChannel = 4, kPerRow = 2, kPerColumn = 1;
};
struct Twice {
  static constexpr int kVertical = 2, kHorizontal = 3;
};
struct Sides {
  static constexpr int kTop = 2, kLeft = 1, kHeight = 4, kWidth = 5;
};
struct Turned {  // every second value of a matrix's 3 rows of 4 features, from 1 on, as an image 2 x 3 x 1
  static constexpr int kWidth = 1, kChannels = 2, kHeight = 3, kOffset = 1, kFromHeight = 3, kFromWidth = 1, kFeatures = 4;
  static constexpr bool kRows = false, kFromRows = true;
};

int reflected(int at, int size) { return at < 0 ? -at : at < size ? at : 2 * size - 2 - at; }
int held(int at, int size) { return at < 0 ? 0 : at < size ? at : size - 1; }

int main() {
  const bool plain = shows<Reshape<Shapes>>(2, 3, 10, 4, 5, [](int c, int y, int x) { return (c * 3 + y) * 10 + x; });
  const bool rows = shows<ReshapeRows<Shapes>>(2, 3, 10, 4, 5, [](int c, int y, int x) {
    const int number = (c * 3 + y) * 10 + x;  // of pixel after pixel, three features each
    return number % 3 * 20 + number / 3;
  });
  const bool axes = shows<Transpose<Axis201>>(5, 3, 4, 4, 5, [](int c, int y, int x) { return (y * 4 + x) * 5 + c; });
  const bool blocks = shows<PixelShuffle<Blocks>>(2, 6, 4, 3, 2, [](int c, int y, int x) {
    return ((c * 4 + y % 2 * 2 + x % 2) * 3 + y / 2) * 2 + x / 2;
  });
  const bool twice =
      shows<Upsample<Twice>>(2, 6, 9, 3, 3, [](int c, int y, int x) { return (c * 3 + y / 2) * 3 + x / 3; });
  const bool mirror = shows<Reflect<Sides>>(
      2, 8, 7, 4, 5, [](int c, int y, int x) { return (c * 4 + reflected(y - 2, 4)) * 5 + reflected(x - 1, 5); });
  const bool again = shows<Replicate<Sides>>(
      2, 8, 7, 4, 5, [](int c, int y, int x) { return (c * 4 + held(y - 2, 4)) * 5 + held(x - 1, 5); });
  const bool turned = shows<Rearrange<Turned, 2, 4, 3, 2>>(2, 3, 1, 3, 1, [](int c, int y, int) {
    const int element = c * 3 + y, place = 1 + element % 2 * 4 + element / 2 * 2;
    return place % 4 * 3 + place / 4;  // row after row of 4 features
  });
  const bool both = shows<Through<Upsample<Twice>, Transpose<Axis201>>>(
      5, 6, 12, 4, 5, [](int c, int y, int x) { return (y / 2 * 4 + x / 3) * 5 + c; });
  return plain && rows && axes && blocks && twice && mirror && again && turned && both ? 0 : 1;
}
