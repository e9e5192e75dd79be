// part.h: what a data mover brings to the array and takes from it, and how that lies in memory.
//
// A part is a struct of the generated host program:
//
//   Values                policy of convert.h: what memory holds of float32 values
//   Order                 Raster: images lie as they are, and zeros fill the last word;
//                         Tiled: `sources()` says for every element of an image's memory which value of the image it is, or -1 for none
//   kMm2s, kS2mm          the movers
//   kInValues, kOutValues of an image and of its result
//   kInBytes, kOutBytes   in memory, whole words
//   kInWords, kOutWords   of each stream; none where movers cut images into tiles
//   kZero                 the element that means 0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace aieloom::host {

struct Raster {};
struct Tiled {};

/// Brings `count` images into the order of the device's memory.
template <class Part, class Element>
void pack(const Element* images, std::size_t count, Element* memory) {
  constexpr std::size_t kStride = Part::kInBytes / sizeof(Element);
  if constexpr (std::is_same_v<typename Part::Order, Tiled>) {
    static const std::vector<std::int32_t> table = Part::sources();
    for (std::size_t i = 0; i < count; ++i, images += Part::kInValues) {
      for (const std::int32_t source : table) {
        *memory++ = source < 0 ? Element(Part::kZero) : images[static_cast<std::size_t>(source)];
      }
    }
  } else if constexpr (kStride == Part::kInValues) {
    std::copy_n(images, count * kStride, memory);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      Element* const end = std::copy_n(images + i * Part::kInValues, Part::kInValues, memory + i * kStride);
      std::fill(end, memory + (i + 1) * kStride, Element(Part::kZero));
    }
  }
}

/// Takes the results of `count` images out of the device's memory.
template <class Part, class Element>
void unpack(const Element* memory, std::size_t count, Element* results) {
  constexpr std::size_t kStride = Part::kOutBytes / sizeof(Element);
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(memory + i * kStride, Part::kOutValues, results + i * Part::kOutValues);
  }
}

}  // namespace aieloom::host
