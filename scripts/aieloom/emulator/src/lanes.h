// What a timed run keeps of each core, and where it is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aieloom/clock.h"

namespace aieloom {

struct Lane {
  /// A call, by its number, or a wait: texts are made of them when they are written.
  struct Slice {
    std::uint64_t begin, end;
    const char* on;  // null: a call
    std::int64_t call;
    Stall why;

    [[nodiscard]] std::string what() const;
  };
  struct Waited {
    Stall why;
    const char* on;
    std::uint64_t cycles;
  };

  /// Keep a slice of the timeline, as long as there is room for more.
  void add(const Slice& slice);
  void wait(Stall why, const char* on, std::uint64_t begin, std::uint64_t end);
  /// A call of the kernel has ended, the last of so many, in which it waited for so long.
  void ended_call(std::uint64_t begin, std::uint64_t end, std::uint64_t stood, std::int64_t calls);

  std::uint64_t first = 0, last = 0;  // begin of the first call, end of the last
  std::uint64_t busy = 0;             // in calls and not waiting
  std::uint64_t shortest = 0, longest = 0;  // of a call, without what it waited for
  std::uint64_t waited = 0;
  std::vector<Waited> waits;
  std::vector<Slice> slices;
};

/// The array's clock, and that of PLIOs which name none: a quarter of it [UG1079; DS957, DS958: speed grade -2M].
inline constexpr double kArrayMhz = 1250;
inline constexpr double kPlioMhz = kArrayMhz / 4;

/// Between two kernels of a core: one iteration of its main loop with the locks of one input and one output takes 53 cycles
/// [XD100, performance analysis]; that is divided here among the call and each buffer.
inline constexpr std::uint64_t kCallCycles = 27;
inline constexpr std::uint64_t kBufferCycles = 13;

/// From the last word in memory to a lock that says so (an estimate; cost/machine.py has the same).
inline constexpr std::uint64_t kHandOverCycles = 20;

/// A stream's way: words that lie in the FIFOs of its switches, and the cycles of a first word. 4 words and 4 cycles a hop [AM009];
/// 4 hops where the graph does not place both ends.
inline constexpr std::size_t kHops = 4;
inline constexpr std::size_t kHopWords = 4;
inline constexpr double kHopCycles = 4;

/// Values of a cascade that lie between two cores, in 32-bit words of their storage here (512 bits a value), and cycles a word.
inline constexpr std::size_t kCascadeWords = 4 * 16;
inline constexpr double kCascadeWordCycles = 1.0 / 16;

}  // namespace aieloom
