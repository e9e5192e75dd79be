// units.h: what the host program is told of the units that compute layers in turn.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "functions.h"
#include "unit.h"

namespace aieloom::host {

/// A struct of the generated host program inherits these, and says what its design has.
struct UnitsDefaults {
  static constexpr std::uint64_t kElement = 0;       // type of tensors: 0 int8, 1 float32
  static constexpr std::uint64_t kOut = 0;           // output channels of a tile of the engine in the logic
  static constexpr std::uint64_t kProgram = 0;       // the program's number, which its command list has too
  static constexpr std::uint64_t kImageValues = 0;   // of an image
  static constexpr std::uint64_t kResultValues = 0;  // of a result

  /// Of each input the values of an image before it, and its own.
  static std::vector<std::array<std::uint64_t, 2>> inputs() { return {}; }

  // The engine in the logic, the vector, row and recurrent units that the host program starts: their kernels.
  static constexpr const char* kEngine = nullptr;
  static constexpr const char* kVectorUnit = nullptr;
  static constexpr const char* kRowUnit = nullptr;
  static constexpr const char* kRecurrentUnit = nullptr;
  using Spatial = void;  // layers with cores of their own: their Subgraphs

  static constexpr std::uint64_t kThreads = 1;     // that lay out images
  static constexpr std::uint64_t kStoreBytes = 0;  // of a row of chains; 0: tensors of products lie in device memory
  static constexpr bool kHasArray = false;         // products are computed on it
  static constexpr bool kHasVectors = false;       // a vector unit, or rows that fold
  static constexpr bool kVectorAdds = false;
  static constexpr bool kHasDepthwise = false;  // on the vector unit
  static constexpr std::uint64_t kMostVectorWords = 0;
  static constexpr std::uint64_t kMostVectorWeights = 0;
  static constexpr bool kHasRowUnit = false;
  static constexpr bool kFloatRows = false;  // which have functions beside norms, factors and shares
  static constexpr std::uint64_t kMostRowWords = 0;
  static constexpr std::uint64_t kMostRowElements = 0;  // whose squares a sum of 32 bits holds
  static constexpr std::uint64_t kHeldWords = 0;
  static constexpr std::uint64_t kMostSums = 0;
  static constexpr std::uint64_t kMostHidden = 0;  // of the recurrent unit
  static constexpr std::uint64_t kMostGates = 0;
  static constexpr std::uint64_t kLeastRow = 0;  // words of a row of its weights

  // The array, or the engine in the logic where heads are laid out for it.
  static constexpr std::uint64_t kParts = 1;    // cores of a chain
  static constexpr std::uint64_t kColumns = 1;  // chains of a row
  static constexpr std::uint64_t kDepth = 1;    // inputs of a core's tile
  static constexpr std::uint64_t kTileChannels = 1;
  static constexpr std::uint64_t kWeightWords = 1;   // of a core's tile
  static constexpr std::uint64_t kMostTogether = 1;  // tiles of a set
  static constexpr std::uint64_t kCacheWords = 0;    // of a mover of weights
  static constexpr std::uint64_t kLineWords = 0;     // of a mover of inputs
  static constexpr std::uint64_t kStreamWord = 1;    // bytes
  static constexpr std::uint64_t kRows = 1;          // of chains
  static constexpr std::uint64_t kNumbers = 1;       // of a layer
  static constexpr const char* kIssuer = nullptr;    // the kernel that issues layers
  static constexpr bool kHostIssues = false;         // one at a time, told by registers

  // Rows that each have an image.
  static constexpr std::uint64_t kGroupAt = 0;  // the issuer's register of a group's number
  static constexpr std::uint64_t kBandPixels = 0;
  static constexpr std::uint64_t kPlaces = 0;
  static constexpr std::uint64_t kTileWords = 0;
  static constexpr std::uint64_t kMostTaps = 0;
  static constexpr std::uint64_t kRowWords = 0;
  static constexpr bool kHasSums = false;

  // Compute units: movers of inputs, of weights and of results, of rows also of tables and of images; units behind the sequencer.
  using Names = std::vector<std::string>;
  static Names loads() { return {}; }
  static Names weights() { return {}; }
  static Names stores() { return {}; }
  static Names tables() { return {}; }
  static Names memories() { return {}; }
  static Names vector_units() { return {}; }
  static Names row_units() { return {}; }

  /// Layers on the processor: the number of one is its place.
  static const std::vector<Function>& functions() {
    static const std::vector<Function> none;
    return none;
  }
};

}  // namespace aieloom::host
