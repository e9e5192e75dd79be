// Which place of an image a place of a result shows: types whose `from` makes (channel, y, x) of the result those of the
// image.
//
//   result (channel, y, x) --> from --> image (channel, y, x)
//
// No types of HLS: programs on the processor use them too. LUTs: sums; a quotient by a constant is a product with it.
#pragma once

namespace aieloom {
namespace pl {

/// The image as it is.
struct InPlace {
  static void from(int&, int&, int&) {}
};

/// One after another: a result's place through the last layer first.
template <class First, class... Others>
struct Through {
  static void from(int& channel, int& y, int& x) {
    First::from(channel, y, x);
    Through<Others...>::from(channel, y, x);
  }
};
template <class Last>
struct Through<Last> : Last {};

/// The same values in their order, read as an image of another shape.
template <class T>
struct Reshape {
  static void from(int& channel, int& y, int& x) {
    const int element = (channel * T::kHeight + y) * T::kWidth + x;
    channel = element / (T::kFromHeight * T::kFromWidth);
    y = element / T::kFromWidth % T::kFromHeight;
    x = element % T::kFromWidth;
  }
};

/// The same values, a matrix's row after row, read as an image of another shape.
template <class T>
struct ReshapeRows {
  static void from(int& channel, int& y, int& x) {
    const int element = (channel * T::kHeight + y) * T::kWidth + x;
    const int pixel = element / T::kFeatures;
    channel = element % T::kFeatures;
    y = pixel / T::kFromWidth;
    x = pixel % T::kFromWidth;
  }
};

/// The axes in another order: each of the image's is axis 0, 1 or 2 of the result.
template <class T>
struct Transpose {
  static int axis(int number, int channel, int y, int x) { return number == 0 ? channel : number == 1 ? y : x; }
  static void from(int& channel, int& y, int& x) {
    const int from_channel = axis(T::kChannel, channel, y, x);
    const int from_y = axis(T::kRow, channel, y, x);
    const int from_x = axis(T::kColumn, channel, y, x);
    channel = from_channel;
    y = from_y;
    x = from_x;
  }
};

/// kUpscale x kUpscale pixels of each channel are channels of the image.
template <class T>
struct PixelShuffle {
  static void from(int& channel, int& y, int& x) {
    constexpr int r = T::kUpscale;
    channel = channel * T::kPerChannel + y % r * T::kPerRow + x % r * T::kPerColumn;
    y /= r;
    x /= r;
  }
};

/// Every pixel of the image is shown kVertical x kHorizontal times.
template <class T>
struct Upsample {
  static void from(int& /*channel*/, int& y, int& x) {
    y /= T::kVertical;
    x /= T::kHorizontal;
  }
};

/// The image with a border: its rows and columns reflected at the outermost ones.
template <class T>
struct Reflect {
  static void from(int& /*channel*/, int& y, int& x) {
    y -= T::kTop;
    x -= T::kLeft;
    y = y < 0 ? -y : y;
    x = x < 0 ? -x : x;
    y = y < T::kHeight ? y : 2 * (T::kHeight - 1) - y;
    x = x < T::kWidth ? x : 2 * (T::kWidth - 1) - x;
  }
};

/// The image with a border: its outermost rows and columns again.
template <class T>
struct Replicate {
  static void from(int& /*channel*/, int& y, int& x) {
    y -= T::kTop;
    x -= T::kLeft;
    y = y < 0 ? 0 : y < T::kHeight ? y : T::kHeight - 1;
    x = x < 0 ? 0 : x < T::kWidth ? x : T::kWidth - 1;
  }
};

/// Pairs of an axis's length and of the image's values between neighbours along it, the fastest axis first.
template <int... kAxes>
struct Axes {
  static int place(int) { return 0; }
};
template <int kSize, int kStride, int... kOthers>
struct Axes<kSize, kStride, kOthers...> {
  static int place(int element) { return element % kSize * kStride + Axes<kOthers...>::place(element / kSize); }
};

/// From kOffset on, along each axis so many values further; in order of row, column and channel where kRows says so of
/// the result, kFromRows of the image.
template <class T, int... kAxes>
struct Rearrange {
  static void from(int& channel, int& y, int& x) {
    const int by_row = (y * T::kWidth + x) * T::kChannels + channel;
    const int by_channel = (channel * T::kHeight + y) * T::kWidth + x;
    const int place = T::kOffset + Axes<kAxes...>::place(T::kRows ? by_row : by_channel);
    constexpr int kPixels = T::kFromHeight * T::kFromWidth;
    channel = T::kFromRows ? place % T::kFeatures : place / kPixels;
    y = T::kFromRows ? place / (T::kFeatures * T::kFromWidth) : place % kPixels / T::kFromWidth;
    x = T::kFromRows ? place / T::kFeatures % T::kFromWidth : place % T::kFromWidth;
  }
};

}  // namespace pl
}  // namespace aieloom
