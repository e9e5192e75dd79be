// Do the graph's location constraints respect the array? Written from AM009, UG1079 and UG1603, not from the
// planner that may have made them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "aieloom/report.h"
#include "runtime.h"

#ifndef __AIE_ARCH__
#error "compile the emulator's runtime with -D__AIE_ARCH__=10 (AIE) or 20 (AIE-ML)"
#endif

namespace aieloom {

namespace {

struct Geometry {
  const char* device;
  int columns, rows;
  int first_plio, last_plio;
  std::int64_t memory, banks;
  bool parity;  // the core reaches west on even and east on odd rows (AM009); else always west (UG1603)
};

// VC1902 [AM009] and VE2802 [public mlir-aie target model, UG1603]; see docs/facts.md for what is derived.
constexpr Geometry kArray = __AIE_ARCH__ == 10 ? Geometry{"VC1902", 50, 8, 6, 44, 32768, 4, true}
                                               : Geometry{"VE2802", 38, 8, 5, 32, 65536, 4, false};
constexpr std::int64_t kSyncBytes = 32;  // the tools' own, beside stack and heap [UG1702]
constexpr std::size_t kPlioIn = 8, kPlioOut = 6;  // 64-bit channels of an interface tile [AM009]

using Tile = std::pair<int, int>;

std::string show(Tile tile) { return "tile(" + std::to_string(tile.first) + ", " + std::to_string(tile.second) + ")"; }

bool in_array(Tile t) { return t.first >= 0 && t.first < kArray.columns && t.second >= 0 && t.second < kArray.rows; }

bool reaches(Tile core, Tile memory) {
  const int beside = kArray.parity && core.second % 2 == 1 ? core.first + 1 : core.first - 1;
  return memory == core || memory == Tile{beside, core.second} ||
         (memory.first == core.first && (memory.second == core.second + 1 || memory.second == core.second - 1));
}

/// A block of data memory that constraints have fixed.
struct Span {
  std::int64_t begin, end;
  std::string owner;
  bool operator<(const Span& other) const { return std::tie(begin, end) < std::tie(other.begin, other.end); }
};

class Check {
 public:
  explicit Check(const Design& design) : design_(design) {}

  void run() {
    cores();
    for (const Kernel& kernel : design_.kernels) {
      memory_of(kernel);
    }
    overlaps();
    interface();
  }

 private:
  void cores() {
    std::map<Tile, double> load;
    for (const Kernel& kernel : design_.kernels) {
      if (kernel.tile.kind == Location::Kind::kNone) {
        continue;
      }
      const Tile tile{kernel.tile.col, kernel.tile.row};
      if (!in_array(tile)) {
        refuse("location", kernel.name + " is placed on " + show(tile) + ", outside the array of " + kArray.device,
               "columns are 0.." + std::to_string(kArray.columns - 1) + ", rows 0.." + std::to_string(kArray.rows - 1));
      }
      load[tile] += kernel.runtime_ratio;
      if (load[tile] > 1.0 + 1e-9) {
        refuse("kernel-ratio", "the kernels on " + show(tile) + " ask for more than all of its time (" + kernel.name + " is one)",
               "lower runtime<ratio> so that they sum to at most 1, or place them on different tiles");
      }
    }
  }

  void memory_of(const Kernel& kernel) {
    for (const Port& port : kernel.ports) {
      std::size_t elements = port.argument.extent;
      for (std::size_t i = 0; i < port.dimensions.size(); ++i) {
        elements = (i == 0 ? 1 : elements) * port.dimensions[i];
      }
      const auto bytes = static_cast<std::int64_t>(elements * port.argument.element.bytes * port.argument.element.numbers);
      const std::size_t copies = port.single_buffer ? 1 : 2;
      if (port.locations.size() > copies) {
        refuse("location", name_of(port) + " has " + std::to_string(port.locations.size()) + " locations for " +
                               std::to_string(copies) + " buffer" + (copies == 1 ? "" : "s"),
               "give one location for a single buffer, one or two for a ping-pong pair");
      }
      for (const Location& place : port.locations) {
        block(kernel, place, bytes, name_of(port));
      }
    }
    for (const Parameter& parameter : kernel.parameters) {
      block(kernel, parameter.location, static_cast<std::int64_t>(parameter.bytes), kernel.name + " " + parameter.name);
    }
    const auto stack = static_cast<std::int64_t>(kernel.stack_bytes + kernel.heap_bytes) + kSyncBytes;
    if (stack > kArray.memory) {
      refuse("memory", kernel.name + " asks for " + std::to_string(stack) + " B of stack, heap and tools' own",
             "a tile has " + std::to_string(kArray.memory) + " B");
    }
    block(kernel, kernel.stack, stack, kernel.name + " stack and heap");
  }

  void block(const Kernel& kernel, const Location& place, std::int64_t bytes, const std::string& owner) {
    if (place.kind == Location::Kind::kNone || place.kind == Location::Kind::kOffset) {
      return;
    }
    const Tile tile{place.col, place.row};
    if (!in_array(tile)) {
      refuse("location", owner + " is placed in " + show(tile) + ", outside the array of " + kArray.device,
             "columns are 0.." + std::to_string(kArray.columns - 1) + ", rows 0.." + std::to_string(kArray.rows - 1));
    }
    const Tile core{kernel.tile.col, kernel.tile.row};
    if (kernel.tile.kind == Location::Kind::kTile && !reaches(core, tile)) {
      refuse("location", owner + " lies in " + show(tile) + ", which the core on " + show(core) + " does not reach",
             kArray.parity ? "a core reaches its own tile, north, south, and west on even or east on odd rows"
                           : "a core reaches its own tile, north, south and west");
    }
    if (place.kind == Location::Kind::kAddress) {
      if (place.value < 0 || place.value + bytes > kArray.memory || place.value % 32 != 0) {
        refuse("location", owner + " (" + std::to_string(bytes) + " B) at byte " + std::to_string(place.value) + " of " + show(tile),
               "addresses are multiples of 32 and the block ends within " + std::to_string(kArray.memory) + " B");
      }
      spans_[tile].push_back({place.value, place.value + bytes, owner});
    } else if (place.kind == Location::Kind::kBank && (place.value < 0 || place.value >= kArray.banks)) {
      refuse("location", owner + " is placed in bank " + std::to_string(place.value), "banks are 0.." + std::to_string(kArray.banks - 1));
    }
  }

  void overlaps() {
    for (auto& [tile, spans] : spans_) {
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) {
        if (spans[i].begin < spans[i - 1].end) {
          refuse("location", spans[i].owner + " at byte " + std::to_string(spans[i].begin) + " of " + show(tile) + " overlaps " +
                                 spans[i - 1].owner + ", which ends at " + std::to_string(spans[i - 1].end),
                 "move one of them");
        }
      }
    }
  }

  void interface() {
    std::map<std::pair<int, bool>, std::size_t> channels;
    for (const Plio& plio : design_.plios) {
      if (plio.shim.kind == Location::Kind::kNone) {
        continue;
      }
      const int col = plio.shim.col;
      if (col < kArray.first_plio || col > kArray.last_plio) {
        refuse("location", "PLIO '" + plio.name + "' is placed in column " + std::to_string(col),
               std::string(kArray.device) + " has PL interface tiles in columns " + std::to_string(kArray.first_plio) + ".." +
                   std::to_string(kArray.last_plio));
      }
      std::size_t& used = channels[{col, plio.is_input}];
      used += plio.bits > 64 ? 2 : 1;
      const std::size_t limit = plio.is_input ? kPlioIn : kPlioOut;
      if (used > limit) {
        refuse("plio-channels", "PLIO '" + plio.name + "' is one too many in column " + std::to_string(col),
               "a column has " + std::to_string(limit) + " channels of 64 bits " + (plio.is_input ? "in" : "out") +
                   "; 128 bits take two");
      }
    }
  }

  const Design& design_;
  std::map<Tile, std::vector<Span>> spans_;
};

}  // namespace

void check_geometry(const Design& design) { Check(design).run(); }

}  // namespace aieloom
