// command_list.h: a command list, read and checked.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "command.h"
#include "digest.h"
#include "units.h"

namespace aieloom::host {

/// Reads a command list and refuses what no compiler wrote: nothing beyond the file, the memory or the weights is ever touched.
template <class Units>
class CommandList {
 public:
  CommandList(const std::vector<std::uint8_t>& data, const std::vector<std::uint8_t>& weights)
      : data_(data), end_(data.size()), weights_bytes_(weights.size()) {
    if (data.size() < kHeader || std::memcmp(data.data(), "AIELOOMC", 8) != 0) {
      throw CommandError("is no command list");
    }
    at_ = 8;
    const auto version = take<std::uint32_t>();
    const auto header = take<std::uint32_t>();
    const auto element = take<std::uint32_t>();
    const auto out = take<std::uint32_t>();
    const auto count = take<std::uint32_t>();
    batch_ = take<std::uint32_t>();
    const auto size = take<std::uint64_t>();
    memory_bytes_ = take<std::uint64_t>();
    const auto weights_bytes = take<std::uint64_t>();
    const auto program = take<std::uint64_t>();
    store_bytes_ = take<std::uint64_t>();
    require(version == kVersion && header == kHeader,
            "is of version " + std::to_string(version) + ", not " + std::to_string(kVersion));
    require(size == data.size() - kHeader && weights_bytes == weights.size(),
            "does not have the length that it states, or its weights have not");
    Digest digest;
    digest.add(data.data(), kHeader - 32);
    digest.add(data.data() + kHeader, data.size() - kHeader);
    digest.add(weights.data(), weights.size());
    const std::array<std::uint8_t, 32> seen = digest.finish();
    require(std::equal(seen.begin(), seen.end(), data.begin() + kHeader - 32),
            "does not have its digest: it or its weights are damaged");
    require(element == Units::kElement && out == Units::kOut, "is of an engine of other elements or tiles");
    require(program == Units::kProgram, "is of another host program");
    require(store_bytes_ == Units::kStoreBytes, "is of an engine with other stores");
    require(0 < batch_ && batch_ <= kMostSide && count <= kMostCommands && memory_bytes_ <= kMostMemory,
            "has a header that no engine has");
    at_ = kHeader;
    std::uint64_t used = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      end_ = data.size();
      const std::size_t begin = at_;
      const auto opcode = take<std::uint32_t>();
      const auto bytes = take<std::uint32_t>();
      require(bytes >= 8 && bytes <= data.size() - begin, "has a command of more bytes than there are");
      end_ = begin + bytes;
      commands_.push_back(command(opcode));
      require(at_ == end_, "has a command of another length than its opcode's");
      const Command& last = commands_.back();
      for (const Tensor& x : last.x) {
        used = std::max(used, x.local ? 0 : x.offset + batch_ * x.image_bytes());
      }
      used = std::max(used, last.y.local ? 0 : std::max(last.y.offset, last.again) + batch_ * last.y.image_bytes());
    }
    require(at_ == data.size(), "has bytes behind its last command");
    require(memory_bytes_ < used + kAlignment, "wants more memory than its tensors have");
  }

  const std::vector<Command>& commands() const { return commands_; }
  std::size_t batch() const { return batch_; }
  std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  static constexpr std::size_t kHeader = 104;
  static constexpr std::uint32_t kVersion = 10;
  static constexpr std::uint32_t kMostSide = 1U << 20;
  static constexpr std::uint32_t kMostCommands = 1U << 16;
  static constexpr std::uint32_t kMostOperands = 64;
  static constexpr std::uint64_t kMostMemory = 1ULL << 31;
  static constexpr std::uint64_t kAlignment = 64;
  static constexpr std::uint64_t kChannelBytes = 16;
  static constexpr std::uint64_t kMostTapWords = 1U << 28;

  /// Whether the values of an image from `begin` on are an input, or all of them.
  static bool is_input(std::uint64_t begin, std::uint64_t values) {
    for (const auto& input : Units::inputs()) {
      if (begin == input[0] && values == input[1]) {
        return true;
      }
    }
    return begin == 0 && values == Units::kImageValues;
  }

  static void require(bool holds, const std::string& what) {
    if (!holds) {
      throw CommandError(what);
    }
  }

  template <typename T>
  T take() {
    require(end_ - at_ >= sizeof(T), "ends within a command");
    T value;
    std::memcpy(&value, &data_[at_], sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  Tensor tensor(bool local = false) {
    Tensor t{};
    t.local = local;
    t.offset = take<std::uint64_t>();
    t.type = take<std::uint32_t>();
    t.channels = take<std::uint32_t>();
    t.height = take<std::uint32_t>();
    t.width = take<std::uint32_t>();
    t.scale = take<float>();
    t.zero = take<std::int32_t>();
    require(t.type <= 2, "has a tensor of an unknown type");
    for (const std::uint32_t side : {t.channels, t.height, t.width}) {
      require(0 < side && side <= kMostSide, "has a tensor without elements, or of too many");
    }
    require(t.scale > 0 && -(1 << 16) < t.zero && t.zero < 1 << 16,
            "has a tensor of a scale or a zero point that none has");
    require(t.pixels() <= kMostMemory, "has a tensor beyond its memory");
    require(t.offset % kAlignment == 0, "has a tensor beyond its memory");
    if (local) {
      require(t.offset <= Units::kStoreBytes && t.image_bytes() <= Units::kStoreBytes - t.offset,
              "has a tensor beyond a row's store");
    } else {
      require(t.offset <= memory_bytes_ && t.image_bytes() <= (memory_bytes_ - t.offset) / batch_,
              "has a tensor beyond its memory");
    }
    return t;
  }

  Span span() {
    const auto offset = take<std::uint64_t>();
    const auto bytes = take<std::uint64_t>();
    require(offset % kAlignment == 0 && offset <= weights_bytes_ && bytes <= weights_bytes_ - offset,
            "has weights beyond their file");
    return {offset, bytes};
  }

  Command command(std::uint32_t opcode) {
    Command c;
    c.opcode = opcode;
    if (opcode == kInput) {
      c.y = tensor();
      c.again = take<std::uint64_t>();
      c.conv[0] = take<std::uint32_t>();
      c.conv[1] = take<std::uint32_t>();
      c.begin = take<std::uint64_t>();
      const std::uint64_t fold = std::uint64_t{c.conv[0]} * c.conv[1];
      require((c.conv[0] == 0 && c.conv[1] == 0 && c.y.width == 1) ||
                  (0 < fold && fold <= c.y.channels && c.y.channels % fold == 0),
              "folds an image by more rows and columns than its pixels have channels for");
      require(c.again % kAlignment == 0 && c.again <= memory_bytes_ &&
                  c.y.image_bytes() <= (memory_bytes_ - c.again) / batch_,
              "has a tensor beyond its memory");
      require(is_input(c.begin, c.y.elements()), "brings another number of values than an image has");
    } else if (opcode == kOutput) {
      c.x.push_back(tensor());
      c.y = c.x[0];
      require(c.y.elements() == Units::kResultValues, "takes another number of values than a result has");
    } else if (opcode == kConvert) {
      c.x.push_back(tensor());
      c.y = tensor();
      require(c.x[0].elements() == c.y.elements(), "converts a tensor into one of another number of elements");
    } else if (opcode == kSpatial) {
      c.x.push_back(tensor());
      c.y = tensor();
      c.function = take<std::uint32_t>();
      check_spatial(c);
    } else if (opcode == kConv || opcode == kProduct) {
      const bool local = opcode == kProduct && Units::kStoreBytes != 0;
      c.x.push_back(tensor(local));
      c.y = tensor(local);
      c.weights = {span(), span()};
      for (std::uint32_t& number : c.conv) {
        number = take<std::uint32_t>();
      }
      c.shift = take<std::int32_t>();
      c.low = take<std::int32_t>();
      c.high = take<std::int32_t>();
      if (opcode == kProduct) {
        c.rows = take<std::uint32_t>();
        c.together = take<std::uint32_t>();
        c.sum = take<std::uint32_t>();
        c.zero = take<std::int32_t>();
        c.x.push_back(tensor(local));
        take_scaling(c);
      }
      check_conv(c);
    } else if (opcode == kMatmul) {
      c.x = {tensor(), tensor()};
      c.y = tensor();
      c.weights = {span()};
      c.sets = take<std::uint32_t>();
      c.shift = take<std::int32_t>();
      c.low = take<std::int32_t>();
      c.high = take<std::int32_t>();
      check_matmul(c);
    } else if (opcode == kColumns || opcode == kHeads || opcode == kRow) {
      take_rows(c);
    } else if (opcode == kRecurrence) {
      c.x.push_back(tensor());
      c.y = tensor();
      c.weights = {span()};
      c.operation = take<std::uint32_t>();
      c.words = take<std::uint32_t>();
      const auto flag = take<std::uint32_t>();
      require(flag <= 1, "has a recurrence of a direction that there is not");
      c.flag = flag != 0;
      check_recurrence(c);
    } else if (opcode == kBring || opcode == kGive) {
      c.x.push_back(tensor(opcode == kGive));
      c.y = tensor(opcode == kBring);
      require(Units::kStoreBytes != 0, "has a copy to a row's store, which the design has not");
      if (opcode == kBring) {
        c.conv[0] = take<std::uint32_t>();
        c.conv[1] = take<std::uint32_t>();
      }
      require(c.x[0].type == c.y.type, "copies a tensor into one of another type");
      if (c.conv[0] == 0) {
        require(c.conv[1] == 0 && c.x[0].image_bytes() == c.y.image_bytes(),
                "copies a tensor into one of another number of bytes");
      } else {
        check_rows(c);
      }
    } else if (opcode == kVector) {
      const bool local = Units::kStoreBytes != 0;
      c.x = {tensor(local), tensor(local)};
      c.y = tensor(local);
      c.weights = {span()};
      const auto operation = take<std::uint32_t>();
      for (std::size_t i = 0; i < 7; ++i) {
        c.conv[i] = take<std::uint32_t>();
      }
      c.conv[7] = operation;
      take_scaling(c);
      c.low = c.sum_low;
      c.high = c.sum_high;
      c.rows = take<std::uint32_t>();
      c.sets = take<std::uint32_t>();
      check_vector(c);
    } else if (opcode == kCall) {
      c.function = take<std::uint32_t>();
      const auto inputs = take<std::uint32_t>();
      const auto trained = take<std::uint32_t>();
      require(c.function < Units::functions().size() && inputs <= kMostOperands && trained <= kMostOperands,
              "calls a function that is not there");
      for (std::uint32_t i = 0; i < inputs; ++i) {
        c.x.push_back(tensor());
      }
      c.y = tensor();
      for (std::uint32_t i = 0; i < trained; ++i) {
        c.weights.push_back(span());
      }
      check_call(c);
    } else {
      throw CommandError("has a command of the unknown opcode " + std::to_string(opcode));
    }
    return c;
  }

  static void check_spatial(const Command& c) {
    using Spatial = typename Units::Spatial;
    require(!std::is_void_v<Spatial> && c.x.size() == 1,
            "has a command for layers with cores of their own, which the design has not");
    if constexpr (!std::is_void_v<Spatial>) {
      require(c.function < Spatial::kCount && c.x[0].elements() == Spatial::kInValues[c.function] &&
                  c.y.elements() == Spatial::kOutValues[c.function],
              "gives layers with cores of their own other tensors than they take");
    }
  }

  /// A recurrence: the cell's gates from as many channels, h of as many features, weights filled up to whole words.
  static void check_recurrence(const Command& c) {
    const Tensor& x = c.x[0];
    const std::uint64_t hidden = c.words;
    const std::uint64_t gates = c.operation == 0 ? 4 : 3;
    require(Units::kRecurrentUnit != nullptr, "has a command for a recurrent unit, which the design has not");
    require(x.type == 1 && c.y.type == 1, "has other elements than the recurrent unit's");
    require(c.operation <= 2, "has a cell that there is not");
    require(0 < hidden && hidden <= Units::kMostHidden && gates * hidden <= Units::kMostGates,
            "has a recurrence of more features than the unit keeps");
    require(x.channels == gates * hidden && c.y.channels == hidden && x.pixels() == c.y.pixels(),
            "has a recurrence of other sizes than its tensors");
    const auto row = [hidden](std::uint64_t many) {
      return std::max(Units::kLeastRow, (many * hidden + Tensor::kLanes - 1) / Tensor::kLanes);
    };
    const std::uint64_t bias = c.operation == 1 ? c.y.words() : 0;
    const std::uint64_t words = c.operation == 2 ? hidden * (row(2) + row(1)) : hidden * row(gates);
    require(c.weights[0].bytes == (words + bias) * x.word_bytes(), "has another number of weights than its layer");
  }

  /// The commands of attention and of whole rows.
  void take_rows(Command& c) {
    c.x.push_back(tensor());
    if (c.opcode != kColumns) {
      c.x.push_back(tensor());
    }
    c.y = tensor();
    if (c.opcode == kHeads) {
      c.sets = take<std::uint32_t>();
      c.first = take<std::uint32_t>();
      c.words = take<std::uint32_t>();
      c.passes = take<std::uint32_t>();
      c.rows = take<std::uint32_t>();
      c.together = take<std::uint32_t>();
      c.zero = take<std::int32_t>();
      c.shift = take<std::int32_t>();
      c.low = take<std::int32_t>();
      c.high = take<std::int32_t>();
    } else {
      c.weights = {span()};
      c.operation = c.opcode == kRow ? take<std::uint32_t>() : std::uint32_t{kLayOut};
      c.sets = take<std::uint32_t>();
      if (c.opcode == kColumns) {
        c.first = take<std::uint32_t>();
      }
      c.words = take<std::uint32_t>();
      if (c.opcode == kRow) {
        c.valid = take<std::uint32_t>();
      }
      const auto flag = take<std::uint32_t>();
      const auto masked = c.opcode == kRow ? take<std::uint32_t>() : 0;
      require(flag <= 1 && masked <= 1, "has a row of a kind that there is not");
      c.flag = flag != 0;
      c.masked = masked != 0;
      c.zeros[0] = take<std::int32_t>();
      if (c.opcode == kRow) {
        c.zeros[2] = take<std::int32_t>();
      }
      for (const std::int32_t zero : c.zeros) {
        require(-129 < zero && zero < 129, "has a zero point that none has");
      }
    }
    for (const std::uint32_t number : {c.sets, c.words}) {
      require(0 < number && number <= kMostSide, "has rows that none has");
    }
    require(c.first <= kMostSide, "has rows that none has");
    require(Units::kHasRowUnit, "has a command for a row unit, which the design has not");
    const bool columns = c.opcode == kColumns;  // which are bytes, whatever is laid out
    require(c.x[0].type == Units::kElement && c.y.type == (columns ? Tensor::kInt8 : Units::kElement),
            "has other elements than the row unit's");
    require(columns || c.x[1].type == (c.opcode == kHeads ? Tensor::kInt8 : Units::kElement),
            "has other elements than the row unit's");
    require(batch_ * std::uint64_t{c.x[0].pixels()} * c.x[0].words() <= kMostTapWords, "has rows of too many words");
    if (c.opcode == kRow) {
      check_row(c);
    } else {
      check_heads(c);
    }
  }

  void check_row(const Command& c) const {
    const Tensor& x = c.x[0];
    require(x.channels == c.y.channels && x.height == c.y.height && x.width == c.y.width,
            "has rows of other sizes than its input's");
    require(c.operation < kLayOut || (Units::kFloatRows && kLayOut < c.operation && c.operation <= kTanh),
            "has an operation that there is not");
    require(std::uint64_t{c.sets} * c.words == x.words(), "has rows of other words than a pixel's");
    require((c.words - 1) * Tensor::kLanes < c.valid && c.valid <= c.words * Tensor::kLanes,
            "has rows of other words than a pixel's");
    require(c.words <= Units::kMostRowWords && c.valid <= Units::kMostRowElements,
            "has rows of more words than the row unit keeps");
    require(!c.flag || (c.operation == kAffine && c.sets == 1), "has factors for each pixel in a layer that has none");
    require(!c.masked || (c.operation == kShares && c.x[1].channels == c.valid && c.x[1].pixels() == 1),
            "has a mask of another row than its own");
    const std::uint64_t scales = (c.flag ? x.pixels() : 1) * c.words * Tensor::kLanes * 8;
    const std::uint64_t head = Units::kFloatRows ? x.word_bytes() : 16;
    const std::uint64_t powers = Units::kFloatRows ? 0 : 1024;
    require(c.weights[0].bytes == head + (c.operation == kNorm || c.operation == kAffine ? scales : powers),
            "has another table than its layer");
  }

  /// What is laid out for an engine is as much as it reads: weights of all heads, then what their columns need.
  void check_heads(const Command& c) const {
    const Tensor& x = c.x[0];
    const Tensor& w = c.opcode == kColumns ? c.y : c.x[1];
    require(c.first + std::uint64_t{c.sets} * c.words <= x.words(), "has heads beyond a pixel's channels");
    require(w.channels == Tensor::kLanes && w.width == 1, "has columns of another shape than the engine's");
    if (c.opcode == kColumns) {
      require(c.weights[0].bytes == 16, "has another table than its layer");
      const std::uint64_t held =
          (std::uint64_t{x.pixels()} + Tensor::kLanes - 1) / Tensor::kLanes * Tensor::kLanes * c.words;
      require(held <= Units::kHeldWords, "has heads that the row unit does not hold");
      require(std::max<std::uint64_t>(x.pixels(), std::uint64_t{c.words} * Tensor::kLanes) <= Units::kMostSums,
              "has heads that the row unit does not hold");
      const std::uint64_t depth = c.flag ? std::uint64_t{c.words} * Tensor::kLanes : x.pixels();
      const std::uint64_t columns = c.flag ? x.pixels() : std::uint64_t{c.words} * Tensor::kLanes;
      require(w.height == c.sets * column_words(depth, columns), "has columns of another shape than the engine's");
      return;
    }
    require(c.y.channels % c.sets == 0 && c.y.channels / c.sets % Tensor::kLanes == 0, "has heads of no whole words");
    require(x.width == 1 && c.y.width == 1 && x.height == c.y.height, "has a product of other rows than its input's");
    const std::uint64_t depth = std::uint64_t{c.words} * Tensor::kLanes;
    constexpr std::uint64_t once = Units::kParts * Units::kDepth;
    const std::uint64_t passes = (depth + once - 1) / once;
    require(c.passes == passes && w.height == c.sets * column_words(depth, c.y.channels / c.sets),
            "has columns of another shape than the engine's");
    require(0 < c.together && c.together <= Units::kMostTogether &&
                c.together * passes * Units::kWeightWords <= Units::kCacheWords,
            "has more weights of a set of tiles than the array's movers keep");
    require(0 < c.rows && c.rows <= c.y.height && std::uint64_t{c.rows} * c.words <= Units::kLineWords,
            "has bands that the array's movers do not hold");
    require(0 <= c.shift && c.shift < 63 && -129 < c.zero && c.zero < 129, "has a scaling that none has");
  }

  /// Words of a head's columns, and of what they need beside.
  static std::uint64_t column_words(std::uint64_t depth, std::uint64_t columns) {
    constexpr std::uint64_t once = Units::kParts * Units::kDepth;
    const std::uint64_t tiles = (columns + Units::kTileChannels - 1) / Units::kTileChannels;
    return tiles *
           (Units::kColumns * Units::kParts * ((depth + once - 1) / once) * Units::kWeightWords + Units::kTileChannels);
  }

  /// How elements of a sum become others.
  void take_scaling(Command& c) {
    for (std::int32_t& number : c.zeros) {
      number = take<std::int32_t>();
    }
    for (std::int32_t& number : c.shifts) {
      number = take<std::int32_t>();
    }
    c.multipliers[2] = take<std::int32_t>();
    c.sum_low = take<std::int32_t>();
    c.sum_high = take<std::int32_t>();
    c.multipliers[0] = take<std::int64_t>();
    c.multipliers[1] = take<std::int64_t>();
  }

  static void check_scaling(const Command& c) {
    for (const std::int32_t shift : c.shifts) {
      require(0 <= shift && shift < 62, "shifts by more bits than there are");
    }
    for (const std::int32_t zero : c.zeros) {
      require(-129 < zero && zero < 129, "has a zero point that none has");
    }
    for (const std::int64_t multiplier : c.multipliers) {
      require(-(1LL << 52) < multiplier && multiplier < 1LL << 52, "has a multiplier that none has");
    }
  }

  void check_conv(const Command& c) const {
    const Tensor& x = c.x[0];
    const auto& [kernel_y, kernel_x, stride_y, stride_x, top, left, groups, depthwise] = c.conv;
    require(x.type == Units::kElement && c.y.type == Units::kElement, "multiplies other elements than the engine's");
    for (const std::uint32_t length : {kernel_y, kernel_x, stride_y, stride_x}) {
      require(0 < length && length <= kMostSide, "has a window that none has");
    }
    require(top < kernel_y && left < kernel_x && depthwise <= 1, "has a window that none has");
    require(0 < groups && x.channels % groups == 0 && c.y.channels % groups == 0,
            "has groups that do not divide its channels");
    require(groups == 1 || (x.channels / groups % Tensor::kLanes == 0 && c.y.channels / groups % Tensor::kLanes == 0),
            "has groups of no whole words");
    require(depthwise == 0 || (groups == 1 && x.channels == c.y.channels),
            "has a depthwise layer of other channels than its input's");
    require(0 <= c.shift && c.shift < 63, "shifts by more bits than there are");
    require(batch_ * c.y.pixels() < 1ULL << 31 && batch_ * x.pixels() < 1ULL << 31, "has an image of too many pixels");
    const std::uint64_t taps = std::uint64_t{kernel_y} * kernel_x;
    const std::uint64_t rows = taps * (depthwise != 0 ? 1 : x.words() / groups * Tensor::kLanes);
    if (c.opcode == kProduct) {
      require(Units::kHasArray, "has a product for an array, which the design has not");
      check_product(c, taps);
      return;
    }
    require(Units::kEngine != nullptr, "has a product for an engine in the logic, which the design has not");
    const std::uint64_t tiles = groups * ((c.y.channels / groups + Units::kOut - 1) / Units::kOut);
    require(rows <= c.weights[0].bytes && c.weights[0].bytes == tiles * rows * Units::kOut * x.element_bytes(),
            "has another number of weights than its layer");
    require(c.weights[1].bytes == tiles * Units::kOut * kChannelBytes,
            "has another number of biases than its layer has channels");
  }

  /// Images whose rows become pixels: as many as the store's tensor has, in a word.
  static void check_rows(const Command& c) {
    const std::uint64_t fold = std::uint64_t{c.conv[0]} * c.conv[1];
    require(0 < fold && fold <= c.y.channels && c.y.channels <= Tensor::kLanes && c.y.channels % fold == 0,
            "folds an image by more rows and columns than its pixels have channels for");
    const std::uint64_t lines = c.y.channels / fold * c.y.height * c.conv[0];
    require(c.x[0].channels == std::uint64_t{c.y.width} * c.conv[1] && c.x[0].height == lines && c.x[0].width == 1,
            "brings rows of another image");
    require(c.x[0].words() <= Units::kRowWords, "brings rows for which a row's store has no room");
  }

  void check_matmul(const Command& c) const {
    const Tensor& x = c.x[0];
    const Tensor& w = c.x[1];
    require(Units::kEngine != nullptr, "has a product for an engine in the logic, which the design has not");
    require(x.type == Units::kElement && w.type == Units::kElement && c.y.type == Units::kElement,
            "multiplies other elements than the engine's");
    require(0 < c.sets && c.sets <= kMostSide && x.width == 1 && c.y.width == 1 && x.height == c.y.height &&
                x.height % c.sets == 0,
            "has a product of other rows than its input's");
    require(batch_ * std::uint64_t{x.height} < 1ULL << 31 && batch_ * std::uint64_t{c.sets} < 1ULL << 31,
            "has a product of too many rows");
    const std::uint64_t tiles = (c.y.channels + Units::kOut - 1) / Units::kOut;
    require(w.channels == Units::kOut && w.width == 1 && w.height == c.sets * tiles * x.words() * Tensor::kLanes,
            "has another second operand than its layer");
    require(c.weights[0].bytes == tiles * Units::kOut * kChannelBytes,
            "has another number of biases than its layer has channels");
    require(0 <= c.shift && c.shift < 63, "shifts by more bits than there are");
  }

  /// The array's part: bands fit its movers' memories, weights are exactly as many as its cores take.
  static void check_product(const Command& c, std::uint64_t taps) {
    const Tensor& x = c.x[0];
    const std::uint64_t groups = c.conv[6];
    const std::uint64_t words = x.words() / groups;
    const std::uint64_t k = taps * words * Tensor::kLanes;
    require(c.conv[7] == 0, "has a depthwise layer on the array");
    require(taps <= kMostTapWords && k <= kMostTapWords, "has a window of too many places");
    const std::uint64_t passes = (k + Units::kParts * Units::kDepth - 1) / (Units::kParts * Units::kDepth);
    require(0 < c.together && c.together <= Units::kMostTogether, "has a set of tiles that none has");
    require(c.together * passes * Units::kWeightWords <= Units::kCacheWords,
            "has more weights of a set of tiles than the array's movers keep");
    const Tensor& other = c.x[1];
    require(c.sum <= 2 && other.type == c.y.type && other.channels == c.y.channels && other.height == c.y.height &&
                other.width == c.y.width,
            "adds tensors of different sizes");
    require(-(1 << 16) < c.zero && c.zero < 1 << 16, "has a zero point that none has");
    check_scaling(c);
    require(0 < c.rows && c.rows <= c.y.height, "has a band that none has");
    const std::uint64_t seen = (std::uint64_t{c.rows} - 1) * c.conv[2] + c.conv[0];
    require(seen <= Units::kLineWords && std::uint64_t{x.width} * words <= Units::kLineWords / seen,
            "has bands that the array's movers do not hold");
    if (Units::kStoreBytes != 0) {
      require(std::uint64_t{c.rows} * c.y.width <= Units::kBandPixels && passes * Units::kTileWords <= Units::kPlaces,
              "has bands that the array's movers do not hold");
      require(c.sum == 0 || Units::kHasSums, "has a sum, which the design's rows do not make");
      require(c.conv[4] + x.height > (c.y.height - 1) * std::uint64_t{c.conv[2]},
              "has windows that lie outside of the image");
    }
    const std::uint64_t outputs = (c.y.channels / groups + Tensor::kLanes - 1) / Tensor::kLanes * Tensor::kLanes;
    const std::uint64_t tiles = groups * ((outputs + Units::kTileChannels - 1) / Units::kTileChannels);
    const std::uint64_t wanted =
        tiles * Units::kColumns * Units::kParts * passes * Units::kWeightWords * Units::kStreamWord;
    require(c.weights[0].bytes == wanted, "has another number of weights than its layer");
    require(c.weights[1].bytes == tiles * Units::kTileChannels * kChannelBytes,
            "has another number of biases than its layer has channels");
  }

  void check_vector(const Command& c) const {
    const Tensor& a = c.x[0];
    const Tensor& b = c.x[1];
    const auto& [kernel_y, kernel_x, stride_y, stride_x, top, left, counts_padding, operation] = c.conv;
    require(Units::kHasVectors, "has a command for a vector unit, which the design has not");
    require(a.type == Units::kElement && b.type == Units::kElement && c.y.type == Units::kElement,
            "has other elements than the vector unit's");
    require(a.channels == c.y.channels, "has a layer of other channels than its input's");
    const bool integers = Units::kElement == Tensor::kInt8;
    require(operation <= kAverage || operation == kBounds || operation == kDepthwise ? true : integers,
            "has an operation of another type than the unit's");
    require(
        operation <= kTable || (operation == kBounds && !integers) || (operation == kDepthwise && Units::kHasDepthwise),
        "has an operation that there is not");
    for (const std::uint32_t length : {kernel_y, kernel_x, stride_y, stride_x}) {
      require(0 < length && length <= kMostSide, "has a window that none has");
    }
    const bool moves =
        (operation == kAverage || operation == kBounds) && kernel_y == 1 && kernel_x == 1;  // with a border
    require(counts_padding <= 1 && (moves ? top <= kMostSide && left <= kMostSide : top < kernel_y && left < kernel_x),
            "has a window that none has");
    const std::uint64_t taps = std::uint64_t{kernel_y} * kernel_x;
    require(taps <= kMostTapWords && batch_ * c.y.pixels() <= kMostTapWords / taps &&
                c.y.words() <= kMostTapWords / (taps * batch_ * c.y.pixels()),
            "has a window of too many places");
    const bool has_window = operation == kMaximum || operation == kAverage || operation == kMean ||
                            operation == kDepthwise || (operation == kBounds && taps == 1);
    const bool is_alike = a.height == c.y.height && a.width == c.y.width;
    require(has_window || (taps == 1 && stride_y == 1 && stride_x == 1 && is_alike),
            "has a window in a layer that has none");
    require(operation != kAdd || (b.channels == a.channels && b.height == a.height && b.width == a.width),
            "adds tensors of different sizes");
    require(operation != kAdd || Units::kVectorAdds, "adds on a vector unit that does not");
    require(Units::kStoreBytes != 0 || (c.rows == 0 && c.sets == 0), "has bands on a vector unit, which has none");
    if (Units::kStoreBytes != 0) {
      require(operation == kMaximum || operation == kAverage || operation == kMean || operation == kDepthwise,
              "has an operation that a row does not compute");
      require(taps <= Units::kMostTaps && 0 < c.rows && c.rows <= c.y.height && 0 < c.sets && a.words() % c.sets == 0,
              "has bands that none has");
      const std::uint64_t seen = (std::uint64_t{c.rows} - 1) * stride_y + kernel_y;
      require(std::uint64_t{c.rows} * c.y.width <= Units::kBandPixels &&
                  std::uint64_t{a.width} * (a.words() / c.sets) <= Units::kLineWords / seen,
              "has a window for which a row has no room");
      require(top + a.height > (c.y.height - 1) * std::uint64_t{stride_y}, "has windows that lie outside of the image");
    }
    const std::uint64_t words = a.words();
    require(operation != kDepthwise || (words <= Units::kMostVectorWords && taps * words <= Units::kMostVectorWeights),
            "has more weights than the vector unit keeps");
    const std::uint64_t channel = integers ? kChannelBytes : sizeof(float);
    const std::uint64_t trained =
        operation == kDepthwise ? words * Tensor::kLanes * (channel + taps * a.element_bytes()) : 0;
    require(c.weights[0].bytes == (operation == kTable ? 256U : trained), "has another table than its layer");
    check_scaling(c);
  }

  static void check_call(const Command& c) {
    const Function& f = Units::functions()[c.function];
    require(c.x.size() == f.inputs.size() && c.weights.size() == f.weights.size(),
            "calls " + std::string(f.name) + " with other operands than it has");
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      require(c.x[i].elements() == f.inputs[i] && c.x[i].type == f.type,
              "gives " + std::string(f.name) + " another tensor than it takes");
    }
    for (std::size_t i = 0; i < c.weights.size(); ++i) {
      require(c.weights[i].bytes == f.weights[i] * sizeof(float),
              "gives " + std::string(f.name) + " other weights than it takes");
    }
    require(c.y.elements() == f.results && c.y.type == f.type,
            "takes another tensor from " + std::string(f.name) + " than it gives");
  }

  const std::vector<std::uint8_t>& data_;
  std::size_t at_ = 0;
  std::size_t end_;
  std::uint64_t weights_bytes_;
  std::uint64_t memory_bytes_ = 0;
  std::uint64_t store_bytes_ = 0;
  std::uint32_t batch_ = 0;
  std::vector<Command> commands_;
};

}  // namespace aieloom::host
