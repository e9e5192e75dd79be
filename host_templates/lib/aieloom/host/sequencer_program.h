// sequencer_program.h: layers whose tensors lie in device memory.
#pragma once

#include "xrt.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "command.h"
#include "layer_program.h"

namespace aieloom::host {

/// Layers whose tensors lie in device memory.
template <class Units>
class SequencerProgram : public LayerProgram<Units> {
  using LayerProgram<Units>::number;
  using LayerProgram<Units>::place;

 public:
  SequencerProgram(const xrt::device& device, const xrt::uuid& uuid) : LayerProgram<Units>(device, uuid) {
    this->open(movers_, device, uuid, Units::loads());
    this->open(movers_, device, uuid, Units::weights());
    this->open(movers_, device, uuid, Units::stores());
    this->open(units_, device, uuid, Units::vector_units());
    this->open(row_units_, device, uuid, Units::row_units());
  }

  ~SequencerProgram() { this->end(); }

  int group(std::size_t mover) const { return movers_[mover].group_id(0); }

  /// Starts the kernels; weights begin with byte `weights_at` of their buffers, of which `tables` is in the bank of tensors.
  void start(const xrt::bo& memory, const xrt::bo& trained, const xrt::bo& tables, std::size_t weights_at) {
    weights_at_ = weights_at;
    kept_ = {memory, trained, tables};
    for (std::size_t i = 0; i < Units::kRows; ++i) {
      this->runs_.push_back(movers_[i](memory, static_cast<int>(i)));
    }
    for (std::size_t i = 0; i < Units::kColumns; ++i) {
      this->runs_.push_back(movers_[Units::kRows + i](trained, static_cast<int>(i)));
    }
    for (std::size_t i = 0; i < Units::kRows; ++i) {
      this->runs_.push_back(movers_[Units::kRows + Units::kColumns + i](tables, memory, memory, static_cast<int>(i)));
    }
    for (std::size_t i = 0; i < units_.size(); ++i) {
      this->runs_.push_back(units_[i](memory, memory, tables, memory, static_cast<int>(i)));
    }
    for (std::size_t i = 0; i < row_units_.size(); ++i) {
      this->runs_.push_back(row_units_[i](memory, tables, memory, static_cast<int>(i)));
    }
  }

  /// Adds a layer for `images` images.
  void add(const Command& c, std::size_t images) {
    if (c.opcode == kProduct) {
      // Of fewer images than rows of chains each has more bands: so all rows of chains have work.
      const std::size_t share = (Units::kRows + images - 1) / images;
      this->add_product(c, images, std::min<std::size_t>(c.rows, (c.y.height + share - 1) / share), weights_at_);
    } else if (c.opcode == kHeads) {
      for (std::size_t image = 0; image < images; ++image) {
        add_heads(c, image);
      }
    } else if (c.opcode == kColumns || c.opcode == kRow) {
      add_rows(c, images);
    } else {
      add_vector(c, images);
    }
  }

  /// Computes what was added.
  void run() { this->compute(1); }

 private:
  void add_vector(const Command& c, std::size_t images) {
    const Tensor& a = c.x[0];
    std::vector<int> layer = {
        2, place(a), place(c.x[1]), number((weights_at_ + c.weights[0].offset) / a.word_bytes()), place(c.y), number(c.conv[7]), number(images),
        number(a.height), number(a.width), number(a.words()), number(c.y.height), number(c.y.width), number(c.conv[0]), number(c.conv[1]),
        number(c.conv[2]), number(c.conv[3]), number(c.conv[4]), number(c.conv[5]), number(c.conv[6])};
    this->add_scaling(layer, c);
    this->add_layer(std::move(layer));
  }

  /// An image's products of two activations: weights are what was laid out for the image.
  void add_heads(const Command& c, std::size_t image) {
    const Tensor& x = c.x[0];
    const Tensor& w = c.x[1];
    const std::size_t group_words = c.y.words() / c.sets;
    const std::size_t tiles = (group_words * Tensor::kLanes + Units::kTileChannels - 1) / Units::kTileChannels;
    const std::size_t rows = std::min<std::size_t>(c.rows, (c.y.height + Units::kRows - 1) / Units::kRows);
    const std::size_t bands = (c.y.height + rows - 1) / rows;
    const std::size_t weights = (w.offset + image * w.image_bytes()) / Units::kStreamWord;
    const int y_at = number((c.y.offset + image * c.y.image_bytes()) / c.y.word_bytes());
    const std::size_t channels = weights + c.sets * tiles * Units::kColumns * Units::kParts * c.passes * Units::kWeightWords;
    this->add_layer({
        1, 1, number(x.height), 1, number(x.words()), number(c.y.height), 1, number(c.y.words()), 1, 1, 1, 1, 0, 0, number(c.sets), number(c.words),
        number(group_words), number(c.passes), number(rows), number(bands), number(tiles),
        number((x.offset + image * x.image_bytes()) / x.word_bytes() + c.first),
        number(weights), number(channels), y_at, 0, c.zero, c.shift, c.low, c.high,
        number(c.together), 0, y_at});
  }

  /// A layer of whole rows, or heads that are laid out.
  void add_rows(const Command& c, std::size_t images) {
    const Tensor& x = c.x[0];
    std::vector<int> layer = {3, place(x), number((weights_at_ + c.weights[0].offset) / x.word_bytes()), number(c.y.offset / x.word_bytes()),
                              number(c.operation), number(images), number(x.pixels())};
    if (c.opcode == kRow) {
      layer.insert(layer.end(), {number(c.words), number(c.valid), number(c.sets), c.flag ? 1 : 0, c.zeros[0], c.zeros[2],
                                 number(c.x[1].offset / x.word_bytes()), c.masked ? 1 : 0});
    } else {
      const std::size_t depth = c.flag ? c.words * Tensor::kLanes : x.pixels();
      const std::size_t columns = c.flag ? x.pixels() : c.words * Tensor::kLanes;
      constexpr std::size_t once = Units::kParts * Units::kDepth;
      layer.insert(layer.end(), {number(x.words()), number(c.first), number(c.words), number(c.sets), c.flag ? 1 : 0, c.zeros[0],
                                 number((columns + Units::kTileChannels - 1) / Units::kTileChannels), number((depth + once - 1) / once)});
    }
    this->add_layer(std::move(layer));
  }

  std::vector<xrt::kernel> movers_;  // of inputs, of weights, of results
  std::vector<xrt::kernel> units_;
  std::vector<xrt::kernel> row_units_;
  std::size_t weights_at_ = 0;
  std::vector<xrt::bo> kept_;  // what the kernels read, until they have ended
};

}  // namespace aieloom::host
