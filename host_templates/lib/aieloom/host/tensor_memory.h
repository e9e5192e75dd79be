// tensor_memory.h: tensors in device memory: images laid out there, and taken out in order of channel, row and column.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "command.h"
#include "convert.h"

namespace aieloom::host {

/// Whether all elements of a tensor's memory are its own.
inline bool whole(const Tensor& t) { return t.channels % Tensor::kLanes == 0; }

inline bool is_alike(const Tensor& x, const Tensor& y) {
  return x.channels == y.channels && x.height == y.height && x.width == y.width;
}

/// Takes a tensor's image out of device memory, in order of channel, row and column.
template <class T>
void laid_out(const std::uint8_t* memory, const Tensor& t, std::size_t image, T* to) {
  const T* const from = reinterpret_cast<const T*>(memory + t.offset + image * t.image_bytes());
  const std::size_t pixels = t.pixels();
  const std::size_t stride = t.words() * Tensor::kLanes;
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < t.channels; ++c) {
      to[c * pixels + p] = from[p * stride + c];
    }
  }
}

/// Lays an image into device memory; what fills up its words is 0.
template <class T>
void lay(std::uint8_t* memory, const T* from, const Tensor& t, std::size_t image) {
  T* const to = reinterpret_cast<T*>(memory + t.offset + image * t.image_bytes());
  const std::size_t pixels = t.pixels();
  const std::size_t stride = t.words() * Tensor::kLanes;
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < stride; ++c) {
      to[p * stride + c] = c < t.channels ? from[c * pixels + p] : T(0);
    }
  }
}

/// What a tensor's elements mean.
inline void get_values(const std::uint8_t* memory, const Tensor& t, std::size_t image, float* values) {
  if (t.type == Tensor::kBfloat16) {
    std::vector<std::uint16_t> elements(t.elements());
    laid_out(memory, t, image, elements.data());
    Bfloat16::to_values(elements.data(), elements.size(), values);
    return;
  }
  if (t.type != Tensor::kInt8) {
    laid_out(memory, t, image, values);
    return;
  }
  std::vector<std::int8_t> elements(t.elements());
  laid_out(memory, t, image, elements.data());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    values[i] = static_cast<float>(elements[i] - t.zero) * t.scale;
  }
}

/// Lays an image whose rows and columns become channels: `rows` x `columns` of them of one pixel.
template <class T>
void lay_folded(std::uint8_t* memory, const T* from, const Tensor& t, std::size_t image, std::size_t rows,
                std::size_t columns) {
  T* const to = reinterpret_cast<T*>(memory + t.offset + image * t.image_bytes());
  const std::size_t stride = t.words() * Tensor::kLanes;
  const std::size_t channels = t.channels / (rows * columns);
  const std::size_t height = t.height * rows;
  const std::size_t width = t.width * columns;
  std::fill_n(to, t.pixels() * stride, T(0));
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t pixel = y / rows * t.width + x / columns;
        to[pixel * stride + (y % rows * columns + x % columns) * channels + c] = from[(c * height + y) * width + x];
      }
    }
  }
}

/// Lays an image's rows one after another, each filled up to whole words.
inline void lay_rows(std::uint8_t* memory, const std::int8_t* from, const Tensor& t, std::size_t image) {
  std::uint8_t* const to = memory + t.offset + image * t.image_bytes();
  for (std::size_t row = 0; row < t.height; ++row) {
    std::memcpy(to + row * t.words() * Tensor::kLanes, from + row * t.channels, t.channels);
  }
}

/// Makes elements of values by division.
inline void divide(const float* values, std::size_t count, float scale, int zero, std::int8_t* elements) {
  const float low = static_cast<float>(-128 - zero);
  const float high = static_cast<float>(127 - zero);
  for (std::size_t i = 0; i < count; ++i) {
    const float steps = std::nearbyint(values[i] / scale);
    const float held = steps > low ? std::min(steps, high) : low;
    elements[i] = static_cast<std::int8_t>(static_cast<int>(held) + zero);
  }
}

/// Makes elements of values: the quotient by the scale, nearest, halves to even, saturated; NaN gives the smallest. A product with
/// the inverse stands for the quotient, which is dear: both are less than 2^-13 apart where they are not saturated, so only where
/// it lies so near to a half may they be rounded to two elements, and such blocks are divided.
inline void quantise(const float* values, std::size_t count, float scale, int zero, std::int8_t* elements) {
  constexpr std::size_t kBlock = 64;
  constexpr float kSure = 0.5F - 1.0F / 8192;
  const float low = static_cast<float>(-128 - zero);
  const float high = static_cast<float>(127 - zero);
  const float inverse = 1.0F / scale;
  std::size_t i = 0;
  for (; std::isnormal(inverse) && i + kBlock <= count; i += kBlock) {
    std::array<std::int8_t, kBlock> made;
    std::int32_t near = 0;
    for (std::size_t j = 0; j < kBlock; ++j) {
      const float product = values[i + j] * inverse;
      const float steps = std::nearbyint(product);
      const float above = steps > low ? steps : low;
      near |= -static_cast<std::int32_t>(std::fabs(product - steps) > kSure);
      made[j] = static_cast<std::int8_t>(static_cast<int>(above < high ? above : high) + zero);
    }
    if (near == 0) {
      std::memcpy(elements + i, made.data(), kBlock);
    } else {
      divide(values + i, kBlock, scale, zero, elements + i);
    }
  }
  divide(values + i, count - i, scale, zero, elements + i);
}

/// The nearest elements of values: halves to even, saturated; NaN gives the smallest. Of an image `rows` x `columns` values become
/// channels of one pixel.
inline void put_values(std::uint8_t* memory, const float* values, const Tensor& t, std::size_t image,
                       std::size_t rows = 1, std::size_t columns = 1) {
  if (t.type == Tensor::kBfloat16) {
    std::vector<std::uint16_t> elements(t.elements());
    Bfloat16::to_elements(values, elements.size(), elements.data());
    lay_folded(memory, elements.data(), t, image, rows, columns);
    return;
  }
  if (t.type != Tensor::kInt8) {
    lay_folded(memory, values, t, image, rows, columns);
    return;
  }
  std::vector<std::int8_t> elements(t.elements());
  quantise(values, elements.size(), t.scale, t.zero, elements.data());
  if (rows == 0) {
    lay_rows(memory, elements.data(), t, image);
  } else {
    lay_folded(memory, elements.data(), t, image, rows, columns);
  }
}

}  // namespace aieloom::host
