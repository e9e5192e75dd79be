// command.h: a command list's commands and tensors (docs/commands.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace aieloom::host {

/// What is wrong with a command list or its weights.
struct CommandError : std::runtime_error {
  explicit CommandError(const std::string& what)
      : std::runtime_error("commands.bin " + what + ": make it again with weights.bin (doit gen)") {}
};

/// A tensor in device memory: image after image, pixel after pixel, channels filled up to whole words.
struct Tensor {
  std::uint64_t offset;
  std::uint32_t type, channels, height, width;
  float scale;
  std::int32_t zero;
  bool local;  // it lies in the rows' stores, one image in each

  std::size_t pixels() const { return std::size_t{height} * width; }
  std::size_t elements() const { return pixels() * channels; }
  std::size_t words() const { return (channels + kLanes - 1) / kLanes; }
  std::size_t element_bytes() const {
    return type == kInt8 ? 1 : type == kBfloat16 ? sizeof(std::uint16_t) : sizeof(float);
  }
  std::size_t word_bytes() const { return kLanes * element_bytes(); }
  std::size_t image_bytes() const { return pixels() * words() * word_bytes(); }

  static constexpr std::size_t kLanes = 16;
  static constexpr std::uint32_t kInt8 = 0;
  static constexpr std::uint32_t kBfloat16 = 2;
};

struct Span {
  std::uint64_t offset, bytes;
};

/// A command with its operands: those of its opcode.
struct Command {
  std::uint32_t opcode = 0;
  std::vector<Tensor> x;
  Tensor y{};
  std::vector<Span> weights;
  std::uint32_t function = 0;
  std::uint64_t again = 0;  // of kInput: where the images of every other batch lie
  std::uint64_t begin = 0;  // of kInput: values of an image before it
  // Kernel, stride, padding (y, x each), groups, depthwise; of kVector the last two are counts_padding and the operation.
  std::array<std::uint32_t, 8> conv{};
  std::array<std::int32_t, 3> zeros{};
  std::array<std::int32_t, 3> shifts{};
  std::array<std::int64_t, 3> multipliers{};
  std::uint32_t rows = 0;      // of kProduct, and of kVector that a row folds: of a band
  std::uint32_t together = 0;  // tiles of output channels that share loads of the input
  std::uint32_t sum = 0;       // with x[1]: 0 none, 1 the product is the first of the two, 2 the second
  std::int32_t zero = 0;       // of the product
  std::int32_t sum_low = 0;
  std::int32_t sum_high = 0;
  // Of kMatmul: pairs of matrices of an image; of kVector groups of channels; of kColumns and kHeads heads, of kRow rows
  // of a pixel.
  std::uint32_t sets = 1;
  std::uint32_t first = 0;   // of kColumns and kHeads: word of a pixel with which the first head begins
  std::uint32_t words = 0;   // of a head, or of a row
  std::uint32_t passes = 0;  // of kHeads: over K
  std::uint32_t valid = 0;   // of kRow: elements of a row
  bool masked = false;       // of kRow: shares of those elements alone whose mask, x[1], is not its zero
  // Of kColumns: pixels are columns; of kRow: every pixel has factors of its own; of kRecurrence: from the last step on.
  bool flag = false;
  std::uint32_t operation = 0;  // of kRow; of kRecurrence the cell
  std::int32_t shift = 0;
  std::int32_t low = 0;
  std::int32_t high = 0;
};

enum Opcode : std::uint32_t {
  kInput = 1, kOutput = 2, kConvert = 3, kConv = 4, kCall = 5, kVector = 6, kProduct = 7, kMatmul = 8,
  kColumns = 9, kHeads = 10, kRow = 11, kBring = 12, kGive = 13, kSpatial = 14, kRecurrence = 15
};

/// What the vector unit does.
enum Operation : std::uint32_t {
  kAdd = 0, kMaximum = 1, kAverage = 2, kMean = 3, kTable = 4, kBounds = 5, kDepthwise = 6
};

/// What the row unit does.
enum RowOperation : std::uint32_t {
  kNorm = 0, kAffine = 1, kShares = 2, kLayOut = 3, kGelu = 4, kGeluTanh = 5, kSilu = 6, kSigmoid = 7,
  kTanh = 8
};

/// Whether the sequencer has a command computed.
constexpr bool is_sequenced(std::uint32_t opcode) {
  return opcode == kProduct || opcode == kVector || opcode == kColumns || opcode == kHeads || opcode == kRow ||
         opcode == kBring || opcode == kGive;
}

}  // namespace aieloom::host
