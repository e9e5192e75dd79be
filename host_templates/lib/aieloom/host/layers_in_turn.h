// layers_in_turn.h: a network whose layers are computed one after another: a command list, and the units that execute it.
#pragma once

#include "xrt.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "clock.h"
#include "command_list.h"
#include "options.h"
#include "row_program.h"
#include "run.h"
#include "sequencer_program.h"
#include "tensor_memory.h"

namespace aieloom::host {

/// Reads a file that lies beside the xclbin.
inline std::vector<std::uint8_t> read_beside(const std::string& xclbin, const char* name) {
  const std::filesystem::path path = std::filesystem::path(xclbin).parent_path() / name;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    throw UsageError("cannot read " + path.string() + ", which lies beside the xclbin");
  }
  std::vector<std::uint8_t> data(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!file) {
    throw UsageError("cannot read " + path.string());
  }
  return data;
}

/// Threads that are waited for.
class Threads {
 public:
  Threads() = default;
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { join(); }

  template <class Work>
  void start(Work work) {
    all_.emplace_back(work);
  }

  void join() {
    for (std::thread& each : all_) {
      each.join();
    }
    all_.clear();
  }

 private:
  std::vector<std::thread> all_;
};

/// In place of what a design has not.
struct Absent {
  template <class... Arguments>
  explicit Absent(const Arguments&...) {}
};

/// The network: executes the command list, one command at a time. The next batch's images are laid out meanwhile.
template <class Units>
class LayersInTurn {
 public:
  LayersInTurn(const std::string& xclbin, std::size_t batch)
      : data_(read_beside(xclbin, "commands.bin")),
        weights_(read_beside(xclbin, "weights.bin")),
        list_(data_, weights_),
        batch_(std::min(batch, list_.batch())),
        device_(0),
        uuid_(device_.load_xclbin(xclbin)),
        kernel_(open(Units::kEngine)),
        program_(device_, uuid_),
        unit_(open(Units::kVectorUnit)),
        rows_(open(Units::kRowUnit)),
        recurrent_(open(Units::kRecurrentUnit)),
        spatial_(device_, uuid_, batch_),
        memory_(device_, std::max<std::size_t>(list_.memory_bytes() + (kOneMemory ? weights_.size() : 0), 64),
                tensors_in()),
        trained_(kOneMemory ? memory_ : xrt::bo(device_, std::max<std::size_t>(weights_.size(), 64), weights_in())),
        tables_(tensors_in() == weights_in() ? trained_ : xrt::bo(device_, trained_.size(), tensors_in())),
        host_(memory_.map<std::uint8_t*>()) {
    std::memset(host_, 0, list_.memory_bytes());
    memory_.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    for (xrt::bo* bo : {&trained_, &tables_}) {
      std::copy(weights_.begin(), weights_.end(), bo->map<std::uint8_t*>() + weights_at());
      bo->sync(XCL_BO_SYNC_BO_TO_DEVICE);
    }
    if constexpr (kOnRows) {
      program_.start(memory_, weights_);
    } else if constexpr (Units::kHasArray) {
      program_.start(memory_, trained_, tables_, weights_at());
    }
    commands_[0] = commands_[1] = list_.commands();
    for (const Command& input : list_.commands()) {
      for (Command& command : commands_[1]) {
        replace_input(input, command, list_.batch());
      }
    }
  }

  /// Runs `count` images batch by batch, `repeat` times; `results` receives Units::kResultValues floats for each.
  void run(const float* images, std::size_t count, float* results, std::size_t repeat = 1) {
    for (std::size_t again = 0; again < repeat; ++again) {
      Threads laying;
      std::size_t turn = 0;
      for (std::size_t i = 0; i < count; i += batch_, turn = 1 - turn) {
        results_ = results + i * Units::kResultValues;
        count_ = std::min(batch_, count - i);
        {
          const Stopwatch watch(times_.packing);
          if (i == 0) {
            lay_out(images, count_, turn, laying);
          }
          laying.join();
          bring(turn);
        }
        if (i + batch_ < count) {
          lay_out(images + (i + batch_) * Units::kImageValues, std::min(batch_, count - i - batch_), 1 - turn, laying);
        }
        for (const Command& command : commands_[turn]) {
          if (command.opcode == kInput) {
            continue;
          }
          if constexpr (Units::kHasArray) {
            if (is_sequenced(command.opcode)) {
              program_.add(command, count_);
              continue;
            }
            if (!program_.empty()) {
              const Stopwatch watch(times_.device);
              program_.run();
            }
          }
          execute(command);
        }
      }
    }
  }

  /// Seconds of the engine, and of what the processor does.
  const Times& times() const { return times_; }

 private:
  static constexpr bool kOneMemory =
      Units::kHasRowUnit;  // weights lie behind the tensors, for some of these are read as weights
  static constexpr bool kOnRows = Units::kStoreBytes != 0;
  static constexpr bool kHasSpatial = !std::is_void_v<typename Units::Spatial>;
  using Program = std::conditional_t<kOnRows, RowProgram<Units>,
                                     std::conditional_t<Units::kHasArray, SequencerProgram<Units>, Absent>>;
  using Spatial = std::conditional_t<kHasSpatial, typename Units::Spatial, Absent>;
  using Bound = std::conditional_t<Units::kElement == Tensor::kInt8, int, float>;  // of results, of the engine's type

  /// A kernel, where the design has it.
  xrt::kernel open(const char* kernel) const { return kernel ? xrt::kernel(device_, uuid_, kernel) : xrt::kernel(); }

  /// A unit executes a command, or the processor.
  void execute(const Command& command) {
    if (Units::kEngine != nullptr &&
        (command.opcode == kConv || command.opcode == kMatmul || command.opcode == kHeads)) {
      const Stopwatch watch(times_.device);
      multiply(command);
    } else if (Units::kVectorUnit != nullptr && command.opcode == kVector) {
      const Stopwatch watch(times_.device);
      combine(command);
    } else if (Units::kRowUnit != nullptr && (command.opcode == kRow || command.opcode == kColumns)) {
      const Stopwatch watch(times_.device);
      go_over_rows(command);
    } else if (Units::kRecurrentUnit != nullptr && command.opcode == kRecurrence) {
      const Stopwatch watch(times_.device);
      recur(command);
    } else {
      const Stopwatch watch(times_.packing);
      compute(command);
    }
  }

  /// Where weights begin in their buffer.
  std::size_t weights_at() const { return kOneMemory ? list_.memory_bytes() : 0; }

  // The banks of tensors and of weights: those of a kernel's ports.
  int tensors_in() {
    if constexpr (Units::kHasArray) {
      return program_.group(0);
    } else {
      return kernel_.group_id(0);
    }
  }

  int weights_in() {
    if constexpr (Units::kHasArray) {
      return program_.group(kOnRows ? 0 : Units::kRows);
    } else {
      return kernel_.group_id(1);
    }
  }

  static Bound bound(std::int32_t bits) {
    Bound value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  void multiply(const Command& c) {
    if (c.opcode == kMatmul) {
      multiply_activations(c);
      return;
    }
    if (c.opcode == kHeads) {
      multiply_heads(c);
      return;
    }
    const Tensor& x = c.x[0];
    const std::size_t word = Tensor::kLanes * x.element_bytes();
    const std::uint32_t groups = c.conv[6];
    const std::size_t group_words = (c.y.channels / groups + Tensor::kLanes - 1) / Tensor::kLanes;
    const auto at = [](std::size_t bytes, std::size_t size) { return static_cast<unsigned>(bytes / size); };
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    xrt::run run =
        kernel_(memory_, trained_, tables_, memory_, at(x.offset, word), at(weights_at() + c.weights[0].offset, word),
                at(weights_at() + c.weights[1].offset, 16), at(c.y.offset, word), 1, number(count_), number(x.height),
                number(x.width), number(x.words()), number(c.y.height), number(c.y.width), number(group_words),
                number(x.words() / groups), 0, number(c.conv[0]), number(c.conv[1]), number(c.conv[2]),
                number(c.conv[3]), number(c.conv[4]), number(c.conv[5]), number(groups), number(c.conv[7]), x.zero,
                c.y.zero, c.shift, bound(c.low), bound(c.high));
    finish(run);
  }

  /// Products of two activations: a set for each pair of matrices of each image.
  void multiply_activations(const Command& c) {
    const Tensor& x = c.x[0];
    const std::size_t word = Tensor::kLanes * x.element_bytes();
    const auto at = [](std::size_t bytes, std::size_t size) { return static_cast<unsigned>(bytes / size); };
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    const int rows = number(x.height / c.sets);
    xrt::run run = kernel_(memory_, memory_, tables_, memory_, at(x.offset, word), at(c.x[1].offset, word),
                           at(weights_at() + c.weights[0].offset, 16), at(c.y.offset, word), number(count_ * c.sets), 1,
                           rows, 1, number(x.words()), rows, 1, number(c.y.words()), number(x.words()), 0, 1, 1, 1, 1,
                           0, 0, 1, 0, x.zero, c.y.zero, c.shift, bound(c.low), bound(c.high));
    finish(run);
  }

  /// Products of two activations whose heads lie side by side: a group for each head, a set for each image.
  void multiply_heads(const Command& c) {
    const Tensor& x = c.x[0];
    const Tensor& w = c.x[1];
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    const std::size_t word = x.word_bytes();
    const auto at = [word](std::size_t bytes) { return static_cast<unsigned>(bytes / word); };
    const std::size_t group_words = c.y.words() / c.sets;
    const std::size_t tiles = (group_words * Tensor::kLanes + Units::kOut - 1) / Units::kOut;
    const unsigned weights = at(w.offset);
    const unsigned channels = static_cast<unsigned>((w.offset + c.sets * tiles * c.passes * Units::kOut * word) / 16);
    xrt::run run = kernel_(memory_, memory_, memory_, memory_, static_cast<unsigned>(at(x.offset) + c.first), weights,
                           channels, at(c.y.offset), number(count_), 1, number(x.height), 1, number(x.words()),
                           number(c.y.height), 1, number(group_words), number(c.words), number(w.image_bytes() / word),
                           1, 1, 1, 1, 0, 0, number(c.sets), 0, 0, c.zero, c.shift, bound(c.low), bound(c.high));
    finish(run);
  }

  /// A layer of whole rows, or heads that are laid out.
  void go_over_rows(const Command& c) {
    const Tensor& x = c.x[0];
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    const auto at = [number, &x](std::size_t bytes) { return number(bytes / x.word_bytes()); };
    std::array<int, 8> n{};
    if (c.opcode == kRow) {
      n = {number(c.words), number(c.valid), number(c.sets),    c.flag ? 1 : 0,
           c.zeros[0],      c.zeros[2],      at(c.x[1].offset), c.masked ? 1 : 0};
    } else {
      const std::size_t depth = c.flag ? c.words * Tensor::kLanes : x.pixels();
      const std::size_t columns = c.flag ? x.pixels() : c.words * Tensor::kLanes;
      n = {number(x.words()),
           number(c.first),
           number(c.words),
           number(c.sets),
           c.flag ? 1 : 0,
           c.zeros[0],
           number((columns + Units::kOut - 1) / Units::kOut),
           number((depth + Tensor::kLanes - 1) / Tensor::kLanes)};
    }
    xrt::run run =
        rows_(memory_, tables_, memory_, at(x.offset), at(weights_at() + c.weights[0].offset), at(c.y.offset),
              number(c.operation), number(count_), number(x.pixels()), n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]);
    finish(run);
  }

  /// A command of the vector unit.
  void combine(const Command& c) {
    const Tensor& a = c.x[0];
    const std::size_t word = Tensor::kLanes * a.element_bytes();
    const auto at = [word](const Tensor& t) { return static_cast<unsigned>(t.offset / word); };
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    xrt::run run = unit_(memory_, memory_, tables_, memory_, at(a), at(c.x[1]),
                         static_cast<unsigned>(weights_at() + c.weights[0].offset), at(c.y), number(c.conv[7]),
                         number(count_), number(a.height), number(a.width), number(a.words()), number(c.y.height),
                         number(c.y.width), number(c.conv[0]), number(c.conv[1]), number(c.conv[2]), number(c.conv[3]),
                         number(c.conv[4]), number(c.conv[5]), number(c.conv[6]), c.zeros[0], c.zeros[1], c.zeros[2],
                         c.multipliers[0], c.multipliers[1], static_cast<int>(c.multipliers[2]), c.shifts[0],
                         c.shifts[1], c.shifts[2], bound(c.low), bound(c.high));
    finish(run);
  }

  /// A recurrence over all steps.
  void recur(const Command& c) {
    const Tensor& x = c.x[0];
    const auto at = [](std::size_t bytes) { return static_cast<unsigned>(bytes / (Tensor::kLanes * sizeof(float))); };
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    xrt::run run =
        recurrent_(memory_, trained_, memory_, at(x.offset), at(weights_at() + c.weights[0].offset), at(c.y.offset),
                   number(count_), number(x.pixels()), number(c.words), number(c.operation), c.flag ? 1 : 0);
    finish(run);
  }

  /// Has a command of every other batch read the images where they lie then.
  static void replace_input(const Command& input, Command& command, std::size_t batch) {
    if (input.opcode != kInput) {
      return;
    }
    for (Tensor& x : command.x) {  // of all of it, or of a part
      const bool inside =
          !x.local && input.y.offset <= x.offset && x.offset < input.y.offset + batch * input.y.image_bytes();
      x.offset = inside ? x.offset - input.y.offset + input.again : x.offset;
    }
    if (command.opcode == kInput && command.y.offset == input.y.offset) {
      command.y.offset = input.again;
    }
  }

  /// Starts to lay out a batch's images: threads take turns.
  void lay_out(const float* images, std::size_t count, std::size_t turn, Threads& laying) {
    for (std::size_t thread = 0; thread < std::min<std::size_t>(Units::kThreads, count); ++thread) {
      laying.start([this, images, count, turn, thread] {
        for (const Command& c : commands_[turn]) {
          for (std::size_t i = thread; i < (c.opcode == kInput ? count : 0); i += Units::kThreads) {
            put_values(host_, images + i * Units::kImageValues + c.begin, c.y, i, c.conv[0], c.conv[1]);
          }
        }
      });
    }
  }

  /// Brings a batch's images, which are laid out, to the device.
  void bring(std::size_t turn) {
    for (const Command& c : commands_[turn]) {
      if (c.opcode == kInput) {
        memory_.sync(XCL_BO_SYNC_BO_TO_DEVICE, count_ * c.y.image_bytes(), c.y.offset);
      }
    }
  }

  /// The processor's commands, image after image: tensors are laid out in order of channel, row and column, and back.
  void compute(const Command& c) {
    for (const Tensor& x : c.x) {
      memory_.sync(XCL_BO_SYNC_BO_FROM_DEVICE, count_ * x.image_bytes(), x.offset);
    }
    if (c.opcode == kSpatial) {
      stream(c);
      return;
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (c.opcode == kOutput) {
        get_values(host_, c.x[0], i, results_ + i * Units::kResultValues);
      } else if (c.opcode == kConvert) {
        convert(c, i);
      } else {
        call(c, i);
      }
    }
    if (c.opcode != kOutput) {
      memory_.sync(XCL_BO_SYNC_BO_TO_DEVICE, count_ * c.y.image_bytes(), c.y.offset);
    }
  }

  /// Layers with cores of their own: all images of the batch go through at once.
  void stream(const Command& c) {
    std::vector<float> given(count_ * c.x[0].elements());
    std::vector<float> results(count_ * c.y.elements());
    for (std::size_t i = 0; i < count_; ++i) {
      get_values(host_, c.x[0], i, given.data() + i * c.x[0].elements());
    }
    if constexpr (kHasSpatial) {
      spatial_.start(count_);
      spatial_.run(c.function, given.data(), count_, results.data());
      spatial_.wait();
    }
    for (std::size_t i = 0; i < count_; ++i) {
      put_values(host_, results.data() + i * c.y.elements(), c.y, i);
    }
    memory_.sync(XCL_BO_SYNC_BO_TO_DEVICE, count_ * c.y.image_bytes(), c.y.offset);
  }

  void convert(const Command& c, std::size_t image) {
    if (c.x[0].type == c.y.type && c.y.type == Tensor::kInt8) {
      std::vector<std::int8_t> elements(c.y.elements());
      laid_out(host_, c.x[0], image, elements.data());
      lay(host_, elements.data(), c.y, image);
    } else {
      std::vector<float> values(c.y.elements());
      get_values(host_, c.x[0], image, values.data());
      put_values(host_, values.data(), c.y, image);
    }
  }

  void call(const Command& c, std::size_t image) {
    const Function& f = Units::functions()[c.function];
    Given given;
    if (f.by_place && whole(c.y) &&
        std::all_of(c.x.begin(), c.x.end(), [&c](const Tensor& x) { return is_alike(x, c.y); })) {
      for (const Tensor& x : c.x) {
        given.x.push_back(host_ + x.offset + image * x.image_bytes());
      }
      given.y = host_ + c.y.offset + image * c.y.image_bytes();
      f.call(given);
      return;
    }
    inputs_.resize(std::max(inputs_.size(), c.x.size()));
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      inputs_[i].resize((c.x[i].elements() * c.x[i].element_bytes() + sizeof(float) - 1) / sizeof(float));
      given.x.push_back(inputs_[i].data());
      if (f.type == Tensor::kInt8) {
        laid_out(host_, c.x[i], image, reinterpret_cast<std::int8_t*>(inputs_[i].data()));
      } else {
        laid_out(host_, c.x[i], image, inputs_[i].data());
      }
    }
    for (const Span& span : c.weights) {
      given.weights.push_back(reinterpret_cast<const float*>(weights_.data() + span.offset));
    }
    result_.resize(c.y.elements());
    given.y = result_.data();
    f.call(given);
    if (f.type == Tensor::kInt8) {
      lay(host_, reinterpret_cast<const std::int8_t*>(result_.data()), c.y, image);
    } else {
      lay(host_, result_.data(), c.y, image);
    }
  }

  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> weights_;
  CommandList<Units> list_;
  std::array<std::vector<Command>, 2> commands_;  // of batches in turn: their images lie in two places
  std::size_t batch_;
  xrt::device device_;
  xrt::uuid uuid_;
  xrt::kernel kernel_;  // the engine in the logic; these are there where the design has them
  Program program_;
  xrt::kernel unit_;
  xrt::kernel rows_;
  xrt::kernel recurrent_;
  Spatial spatial_;
  xrt::bo memory_;   // tensors
  xrt::bo trained_;  // weights
  xrt::bo tables_;   // the same in the bank of tensors, for ports that read both
  std::uint8_t* host_;
  float* results_ = nullptr;
  std::size_t count_ = 0;
  std::vector<std::vector<float>> inputs_;
  std::vector<float> result_;
  Times times_;
};

}  // namespace aieloom::host
