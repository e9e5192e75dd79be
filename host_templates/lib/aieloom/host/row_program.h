// row_program.h: layers that rows of chains compute, each with an image.
#pragma once

#include "xrt.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "command.h"
#include "layer_program.h"

namespace aieloom::host {

/// Layers that rows of chains, each with an image, compute one after another.
template <class Units>
class RowProgram : public LayerProgram<Units> {
  using LayerProgram<Units>::number;
  using LayerProgram<Units>::place;

 public:
  RowProgram(const xrt::device& device, const xrt::uuid& uuid) : LayerProgram<Units>(device, uuid), device_(device) {
    this->open(loads_, device, uuid, Units::loads());
    this->open(movers_, device, uuid, Units::weights());
    this->open(tables_, device, uuid, Units::tables());
    this->open(stores_, device, uuid, Units::stores());
    this->open(memories_, device, uuid, Units::memories());
  }

  ~RowProgram() { this->end(); }

  int group(std::size_t) const { return memories_[0].group_id(0); }

  /// Starts the kernels; weights lie in every bank from which some mover reads them.
  void start(xrt::bo& memory, const std::vector<std::uint8_t>& weights) {
    const auto trained = [&](const xrt::kernel& kernel) -> xrt::bo& {
      const int bank = kernel.group_id(0);
      auto found = trained_.find(bank);
      if (found == trained_.end()) {
        found = trained_.emplace(bank, xrt::bo(device_, std::max<std::size_t>(weights.size(), 64), bank)).first;
        std::copy(weights.begin(), weights.end(), found->second.map<std::uint8_t*>());
        found->second.sync(XCL_BO_SYNC_BO_TO_DEVICE);
      }
      return found->second;
    };
    for (std::size_t i = 0; i < Units::kColumns; ++i) {
      this->runs_.push_back(movers_[i](trained(movers_[i]), static_cast<int>(i)));
    }
    this->runs_.push_back(tables_[0](trained(tables_[0])));
    for (std::size_t i = 0; i < Units::kRows; ++i) {
      this->runs_.emplace_back(loads_[i]).start();
      this->runs_.emplace_back(stores_[i]).start();
      this->runs_.push_back(memories_[i](memory, memory, static_cast<int>(i)));
    }
  }

  /// Adds a layer for `images` images.
  void add(const Command& c, std::size_t images) {
    images_ = images;
    if (c.opcode == kProduct) {
      this->add_product(c, Units::kRows, c.rows, 0);
    } else if (c.opcode == kVector) {
      add_fold(c);
    } else {
      add_copy(c, images);
    }
  }

  /// Computes what was added, for as many images at a time as there are rows.
  void run() { this->compute((images_ + Units::kRows - 1) / Units::kRows); }

 private:
  void add_fold(const Command& c) {
    const Tensor& a = c.x[0];
    const std::size_t tap_words = a.words() / c.sets;
    std::vector<int> layer = {
        2, number(Units::kRows), number(a.height), number(a.width), number(a.words()), number(c.y.height), number(c.y.width), number(a.words()),
        number(c.conv[0]), number(c.conv[1]), number(c.conv[2]), number(c.conv[3]), number(c.conv[4]), number(c.conv[5]), number(c.sets),
        number(tap_words), number(tap_words), 1, number(c.rows), number((c.y.height + c.rows - 1) / c.rows), 1,
        place(a), 0, number(c.weights[0].offset / 16), place(c.y), 0, c.zeros[2], c.shifts[2], c.low, c.high, 1, 0, 0};
    this->add_scaling(layer, c);
    layer.insert(layer.end(), {number(c.conv[7]), number(c.conv[6])});
    this->add_layer(std::move(layer));
  }

  void add_copy(const Command& c, std::size_t images) {
    std::vector<int> layer(Units::kNumbers);
    layer[0] = c.opcode == kBring ? 3 : 4;
    layer[1] = number(images);
    layer[4] = number(c.x[0].image_bytes() / Tensor::kLanes);
    if (c.conv[0] != 0) {  // rows become pixels
      layer[5] = number(c.y.height);
      layer[6] = number(c.y.width);
      layer[8] = number(c.conv[0]);
      layer[9] = number(c.conv[1]);
      layer[14] = number(c.y.channels / (c.conv[0] * c.conv[1]));
      layer[15] = number(c.x[0].words());
    }
    layer[21] = place(c.x[0]);
    layer[24] = place(c.y);
    this->add_layer(std::move(layer));
  }

  xrt::device device_;
  std::vector<xrt::kernel> loads_, movers_, tables_, stores_, memories_;
  std::map<int, xrt::bo> trained_;  // by bank
  std::size_t images_ = 0;
};

}  // namespace aieloom::host
