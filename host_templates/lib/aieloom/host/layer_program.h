// layer_program.h: layers that are computed one after another without the processor's help, and what issues them.
#pragma once

#include "xrt.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include "clock.h"
#include "command.h"
#include "run.h"

namespace aieloom::host {

/// Issues layers one at a time: a start of the issuer in the logic, told by its registers, for each; its end is the layer's. With
/// AIELOOM_LAYERS in the environment each is told on standard error when it has ended.
template <class Units>
class HostIssuer {
 public:
  HostIssuer(const xrt::device& device, const xrt::uuid& uuid)
      : run_(xrt::kernel(device, uuid, Units::kIssuer)), tells_(std::getenv("AIELOOM_LAYERS") != nullptr) {}

  /// Computes layers for `groups` groups of images.
  void compute(const std::vector<int>& numbers, std::size_t groups) {
    for (std::size_t group = 0; group < groups; ++group) {
      for (std::size_t at = 0; at < numbers.size(); at += kNumbers) {
        const auto begin = Clock::now();
        issue(numbers.data() + at, group);
        if (tells_) {
          const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
          std::fprintf(stderr, "layer %zu of %zu, group of images %zu: %.1f us\n", at / kNumbers, numbers.size() / kNumbers, group, us);
        }
      }
    }
  }

  /// Ends the kernels that wait for layers.
  void end() {
    const std::array<int, kNumbers> nothing{};
    issue(nothing.data(), 0);
  }

 private:
  static constexpr std::size_t kNumbers = Units::kNumbers;

  void issue(const int* layer, std::size_t group) {
    for (std::size_t i = 0; i < kNumbers; ++i) {
      run_.set_arg(static_cast<int>(i), layer[i]);
    }
    if (Units::kStoreBytes != 0) {
      run_.set_arg(static_cast<int>(Units::kGroupAt), static_cast<int>(group));
    }
    run_.start();
    finish(run_);
  }

  xrt::run run_;
  bool tells_;
};

/// The sequencer in the logic: it reads layers from device memory and has them computed one after another.
template <class Units>
class LogicIssuer {
 public:
  LogicIssuer(const xrt::device& device, const xrt::uuid& uuid)
      : device_(device), sequencer_(device, uuid, Units::kIssuer), status_(device, 2 * sizeof(int), sequencer_.group_id(1)) {}

  /// Computes layers for `groups` groups of images.
  void compute(const std::vector<int>& numbers, [[maybe_unused]] std::size_t groups) {
    xrt::bo program(device_, numbers.size() * sizeof(int), sequencer_.group_id(0));
    std::copy(numbers.begin(), numbers.end(), program.map<int*>());
    program.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    const int layers = static_cast<int>(numbers.size() / Units::kNumbers);
    if constexpr (Units::kStoreBytes != 0) {
      finish(sequencer_(program, status_, layers, static_cast<int>(groups), 0));
    } else {
      finish(sequencer_(program, status_, layers, 0));
    }
    status_.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    const int* const status = status_.map<int*>();
    if (status[0] != 0) {
      throw CommandError("has a layer " + std::to_string(status[1]) + " that the sequencer refuses (" + std::to_string(status[0]) + ")");
    }
  }

  /// Ends the kernels that wait for layers.
  void end() {
    xrt::bo nothing(device_, sizeof(int), sequencer_.group_id(0));
    if constexpr (Units::kStoreBytes != 0) {
      finish(sequencer_(nothing, status_, 0, 0, 1));
    } else {
      finish(sequencer_(nothing, status_, 0, 1));
    }
  }

 private:
  xrt::device device_;
  xrt::kernel sequencer_;
  xrt::bo status_;
};

/// Layers that are computed one after another without the processor's help (docs/commands.md, "The sequencer's program"). Kernels but
/// what issues layers are started once, and wait for them.
template <class Units>
class LayerProgram {
 public:
  LayerProgram(const xrt::device& device, const xrt::uuid& uuid) : issuer_(device, uuid), graph_(device, uuid, "gemm_graph") {
    graph_.reset();
    graph_.run(0);  // for ever: cores wait for tiles
  }

  LayerProgram(const LayerProgram&) = delete;
  LayerProgram& operator=(const LayerProgram&) = delete;

  bool empty() const { return numbers_.empty(); }

 protected:
  static constexpr std::size_t kRows = Units::kRows;
  static constexpr std::size_t kChains = Units::kColumns;  // of a row
  static constexpr std::size_t kNumbers = Units::kNumbers;  // of a layer

  ~LayerProgram() = default;

  /// Opens kernels behind those of `all`.
  static void open(std::vector<xrt::kernel>& all, const xrt::device& device, const xrt::uuid& uuid, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      all.emplace_back(device, uuid, name);
    }
  }

  /// Ends the kernels and waits for them: the programs' destructors do, while what the kernels read is still theirs.
  void end() noexcept {
    try {
      if (!runs_.empty()) {
        issuer_.end();
      }
      for (xrt::run& each : runs_) {
        finish(each);
      }
      graph_.end();
    } catch (const std::exception&) {  // the program ends
    }
  }

  static int number(std::size_t value) { return static_cast<int>(value); }

  /// The word with which a tensor begins.
  static int place(const Tensor& t) { return number(t.offset / t.word_bytes()); }

  /// Layers are `kNumbers` long: zeros behind what this one has.
  void add_layer(std::vector<int> layer) {
    layer.resize(kNumbers);
    numbers_.insert(numbers_.end(), layer.begin(), layer.end());
  }

  /// Computes what was added, for `groups` groups of images.
  void compute(std::size_t groups) {
    issuer_.compute(numbers_, groups);
    numbers_.clear();
  }

  /// Zero points, multipliers, shifts and bounds of a layer of two inputs.
  static void add_scaling(std::vector<int>& layer, const Command& c) {
    const auto half = [](std::int64_t value, int from) {
      return static_cast<int>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> from));
    };
    layer.insert(layer.end(), {c.zeros[0], c.zeros[1], c.zeros[2], half(c.multipliers[0], 0), half(c.multipliers[0], 32), half(c.multipliers[1], 0),
                               half(c.multipliers[1], 32), half(c.multipliers[2], 0), c.shifts[0], c.shifts[1], c.shifts[2], c.sum_low, c.sum_high});
  }

  /// A product in bands of `rows` rows; weights begin with byte `weights_at` of their buffer.
  void add_product(const Command& c, std::size_t images, std::size_t rows, std::size_t weights_at) {
    const Tensor& x = c.x[0];
    const std::size_t groups = c.conv[6];
    const std::size_t tap_words = x.words() / groups;
    const std::size_t group_words = (c.y.channels / groups + Tensor::kLanes - 1) / Tensor::kLanes;
    const std::size_t k = std::size_t{c.conv[0]} * c.conv[1] * tap_words * Tensor::kLanes;
    constexpr std::size_t once = Units::kParts * Units::kDepth;
    const std::size_t tiles = (group_words * Tensor::kLanes + Units::kTileChannels - 1) / Units::kTileChannels;
    std::vector<int> layer = {
        1, number(images), number(x.height), number(x.width), number(x.words()), number(c.y.height), number(c.y.width), number(group_words * groups),
        number(c.conv[0]), number(c.conv[1]), number(c.conv[2]), number(c.conv[3]), number(c.conv[4]), number(c.conv[5]), number(groups),
        number(tap_words), number(group_words), number((k + once - 1) / once), number(rows), number((c.y.height + rows - 1) / rows), number(tiles),
        place(x), number((weights_at + c.weights[0].offset) / Units::kStreamWord), number((weights_at + c.weights[1].offset) / 16),
        place(c.y), x.zero, c.zero, c.shift, c.low, c.high, number(c.together), number(c.sum), place(c.x[1])};
    add_scaling(layer, c);
    add_layer(std::move(layer));
  }

  using Issuer = std::conditional_t<Units::kHostIssues, HostIssuer<Units>, LogicIssuer<Units>>;

  Issuer issuer_;
  xrt::graph graph_;
  std::vector<xrt::run> runs_;
  std::vector<int> numbers_;
};

}  // namespace aieloom::host
