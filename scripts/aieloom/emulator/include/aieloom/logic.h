// Time of PL kernels in a timed run: what `aieloom emulate --timed` puts into their sources (aieloom/emulator/timed/logic.py).
//
// A loop has an object that its condition asks for the next iteration: a pipelined one begins an iteration each II cycles of its
// kernel's clock, later when data came late. Accesses to device memory go through at(), which knows whose buffer an address is in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "aieloom/clock.h"
#include "aieloom/dataflow.h"
#include "aieloom/scheduler.h"

namespace aieloom {

/// Bytes that a memory controller moves for all ports together; whoever comes when it is busy takes the next window with room.
class Bank {
 public:
  /// When `bytes` that are asked for at `time` have passed.
  double take(double time, std::size_t bytes);

 private:
  std::vector<float> used_;  // bytes of each window
};

/// One argument in device memory: where its buffer lies, and through which port it is reached.
struct Reach {
  const Byte* begin = nullptr;
  const Byte* end = nullptr;
  std::size_t port = 0;
  Bank* bank = nullptr;
  struct Burst {
    const Byte* next = nullptr;  // where the burst goes on
    std::uint64_t loop = 0;           // in which it began
  };
  std::array<Burst, 2> bursts = {};  // reads, writes
};

/// What the fibers of a compute unit share.
struct Logic {
  double cycle = 4;  // of its clock, in cycles of the array
  std::vector<Reach> reaches = {};
  std::vector<std::array<double, 2>> port_free = {};  // by port: when its channel for reads, and for writes, is done
  // Of the dataflow region that a free-running kernel is: when each process ended last, and the time before.
  std::vector<std::uint64_t> ended = {}, ended_before = {};
};

namespace logic {

enum class Kind : unsigned char {
  kPlain,      // holds loops: a cycle of its own for each iteration
  kPipelined,  // by its pragma: loops inside are unrolled
  kInnermost,  // pipelined by Vitis HLS itself
  kOff,        // pipeline off: an iteration after the other
  kUnrolled,   // its iterations stand side by side
  kFunction,   // a function that is pipelined
};

/// A loop that runs; for one of `factor` copies unrolled an iteration is so many of the source's.
class Loop {
 public:
  Loop(Kind kind, int interval, int factor, bool flattened);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  /// True once: for (Loop l(...); l.once();) is a statement with a variable of its own.
  bool once() { return std::exchange(once_, false); }
  /// The same of a loop whose condition comes last: its first iteration begins.
  bool once_first() { return once() && next(); }

  /// The next iteration begins.
  bool next() {
    if (!free_ && count_++ % factor_ == 0) {
      begin();
    }
    return true;
  }

  /// The pipelined loop whose iteration runs: itself, or one around it of which it is a part.
  Loop* pipeline();

 private:
  friend void access(const void* address, std::size_t bytes, bool writes);
  friend double inputs_came(Clock& clock);
  friend double iteration_began(Clock& clock);
  friend void input_came(Clock& clock, double time);
  void begin();

  Clock& clock_;
  Logic* logic_;
  Loop* outer_;
  Kind kind_;
  bool free_ = false;       // costs nothing: unrolled, or in a pipeline
  bool in_pipeline_ = false;
  bool flattened_;
  bool once_ = true;
  unsigned factor_;
  unsigned count_ = 0;
  double interval_;
  double begin_ = 0;
  double inputs_ = 0;  // of the iteration: when the last one came
  double drain_ = 0;  // of a nest that was flattened into this loop
  std::uint64_t number_;
};

/// When what an iteration of a pipeline gives away is there: with its last input, whatever it gave to others meanwhile. Its
/// streams and ports work side by side. Outside of pipelines: now.
[[nodiscard]] double inputs_came(Clock& clock);
/// When an iteration of a pipeline began: it takes from all its streams side by side. Outside of pipelines: now.
[[nodiscard]] double iteration_began(Clock& clock);
/// What the clock's iteration takes came at `time`.
void input_came(Clock& clock, double time);

/// A dataflow region: its processes begin together, or when what they take is whole.
///
/// They run one after another here, each on a fiber of its own, as long as each comes to its end: the next one begins as well when
/// one waits for the kernel's own streams and nothing else can go on, for they overlap in hardware [UG1399 pragma HLS dataflow].
///
/// One that `restarts` is all of a free-running kernel: its next call begins when the first process is done, as the next iteration
/// of a loop does [UG1448, 200-786 Top-Level Dataflow: successive calls overlap with ap_ctrl_none].
class Region {
 public:
  explicit Region(std::size_t processes, bool restarts = false);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  bool once() { return std::exchange(once_, false); }
  /// An iteration of a loop whose body is the region begins: when the first process is done with the one before.
  bool next();
  /// Process `number` is `body`; it waits for the ends of those in `after` (bits), and for a copy of the arrays that it fills: of two
  /// each [UG1399 Configuring Dataflow Memory Channels], the older one is free when those in `takers` are done with it.
  template <typename F_>
  void process(std::size_t number, std::uint64_t after, std::uint64_t takers, F_ body) {
    begin(number, after, takers);
    logic::Loop* loop = clock_.loop();
    const std::uint64_t start = clock_.now();
    spawn(running_name(), running_role(), [this, number, body, loop, start] {
      running_clock().set(start);
      running_clock().loop() = loop;
      body();
      ended(number);
    });
    let_go_on(number);
  }
  /// A queue of the region is as long as in hardware.
  template <typename Q_>
  void bound(Q_& queue) {
    for_each_queue(queue, [](auto& q) { q.hold_as_hardware(); });
  }
  /// Wait for the ends of the processes in `which` (bits): what follows uses what they have made.
  void join(std::uint64_t which = ~std::uint64_t{0});

 private:
  struct Ends final : Waitable {
    [[nodiscard]] std::string describe() const override { return "processes of its dataflow region"; }
  };

  void begin(std::size_t number, std::uint64_t after, std::uint64_t takers);
  void ended(std::size_t number);
  void let_go_on(std::size_t number);

  Clock& clock_;
  bool once_ = true;
  Logic* kept_;  // where a region that restarts leaves its times
  Ends at_end_;
  std::uint64_t under_way_ = 0;  // bits of processes
  std::uint64_t begin_, latest_;
  std::vector<std::uint64_t> ends_, before_;
};

/// An access to what may be device memory: the kernel waits until it is done.
void access(const void* address, std::size_t bytes, bool writes);

template <typename T_, typename I_>
T_& at(T_* memory, const I_& index, bool writes) {
  T_& element = memory[index];
  access(&element, sizeof(T_), writes);
  return element;
}

inline void* copy(void* target, const void* source, std::size_t bytes) {
  access(source, bytes, false);
  access(target, bytes, true);
  return std::memcpy(target, source, bytes);
}

}  // namespace logic

/// What a board's file says, for the runs of its designs ($AIELOOM_BOARD).
struct BoardFacts {
  double read_mb_s = 0, write_mb_s = 0, bank_mb_s = 0;
  double kernel_start_us = 0, sync_us = 0, graph_start_us = 0;
};
[[nodiscard]] const BoardFacts& board_facts();

/// Cycles of the array in so many microseconds.
[[nodiscard]] std::uint64_t cycles_of_us(double us);

/// The memory behind a bank's number, or behind the GMIOs: bank 0.
[[nodiscard]] Bank& bank(std::size_t number);

}  // namespace aieloom
