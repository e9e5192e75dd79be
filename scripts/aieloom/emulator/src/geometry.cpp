// Do the graph's location constraints respect the array, and each other? Written from AM009, UG1079 and UG1603, not
// from the planner that may have made them.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "aieloom/report.h"
#include "nets.h"
#include "runtime.h"

namespace aieloom {

namespace {

struct Geometry {
  std::int64_t memory, banks;
  bool parity;       // the core reaches west on even and east on odd rows (AM009); else always west (UG1603)
  std::size_t streams;  // of a core, each way
};

constexpr Geometry kFirst{32768, 4, true, 2};    // AIE [AM009]
constexpr Geometry kSecond{65536, 4, false, 1};  // AIE-ML [UG1603]

const Geometry& tiles() { return design().architecture == kAie ? kFirst : kSecond; }
const Part& array() { return design().part; }

constexpr std::int64_t kSyncBytes = 32;  // the tools' own, beside stack and heap [UG1702]
constexpr std::size_t kPlioIn = 8, kPlioOut = 6;  // 64-bit channels of an interface tile [AM009]

using Tile = std::pair<int, int>;

std::string show(Tile tile) { return "tile(" + std::to_string(tile.first) + ", " + std::to_string(tile.second) + ")"; }

bool in_array(Tile t) { return t.first >= 0 && t.first < array().columns && t.second >= 0 && t.second < array().rows; }

bool reaches(Tile core, Tile memory) {
  const int beside = tiles().parity && core.second % 2 == 1 ? core.first + 1 : core.first - 1;
  return memory == core || memory == Tile{beside, core.second} ||
         (memory.first == core.first && (memory.second == core.second + 1 || memory.second == core.second - 1));
}

/// The tiles that a core's cascade output leads to [AM009; UG1603].
std::vector<Tile> cascade_targets(Tile from) {
  const auto [col, row] = from;
  if (!tiles().parity) {
    return {{col + 1, row}, {col, row - 1}};
  }
  const bool east = row % 2 == 0;
  const bool at_end = east ? col == array().columns - 1 : col == 0;
  return {at_end ? Tile{col, row + 1} : Tile{east ? col + 1 : col - 1, row}};
}

bool placed(const Kernel& k) { return k.tile.kind == Location::Kind::kTile; }
Tile tile_of(const Kernel& k) { return {k.tile.col, k.tile.row}; }

std::string array_range() {
  return "columns are 0.." + std::to_string(array().columns - 1) + ", rows 0.." + std::to_string(array().rows - 1);
}

/// A block of data memory that constraints have fixed.
struct Span {
  std::int64_t begin, end;
  std::string owner;
  const Port* port;  // whose buffer it is; null for parameters and stacks
  bool operator<(const Span& other) const { return begin != other.begin ? begin < other.begin : end < other.end; }
};

class Check {
 public:
  Check(Design& design, const std::vector<Net>& nets) : design_(design), nets_(nets) {}

  void run() {
    relative_places();
    cores();
    for (const Kernel& kernel : design_.kernels) {
      memory_of(kernel);
    }
    overlaps();
    different();
    areas();
    streams();
    cascades();
    interface();
  }

 private:
  /// Places that follow from another kernel's; repeated, because chains of them come in any order.
  void relative_places() {
    for (bool changed = true; std::exchange(changed, false);) {
      for (const Relation& r : design_.relations) {
        if (r.first == nullptr || r.second == nullptr || r.kind == Relation::Kind::kDifferent) {
          continue;
        }
        changed = place(const_cast<Kernel&>(*r.first), *r.second, r.col, r.row) || changed;
        changed = place(const_cast<Kernel&>(*r.second), *r.first, -r.col, -r.row) || changed;
      }
    }
  }

  static bool place(Kernel& kernel, const Kernel& from, int col, int row) {
    if (!placed(from)) {
      return false;
    }
    const Tile there{from.tile.col + col, from.tile.row + row};
    if (!placed(kernel)) {
      kernel.tile = {Location::Kind::kTile, there.first, there.second, 0};
      return true;
    }
    if (tile_of(kernel) != there) {
      misplaced("location",
             kernel.name + " is placed on " + show(tile_of(kernel)) + ", its relation to " + from.name + " on " + show(tile_of(from)) +
                 " wants " + show(there),
             "change one of the two constraints");
    }
    return false;
  }

  void cores() {
    FlatMap<Tile, double> load;
    for (const Kernel& kernel : design_.kernels) {
      if (!placed(kernel)) {
        continue;
      }
      const Tile tile = tile_of(kernel);
      if (!in_array(tile)) {
        misplaced("location", kernel.name + " is placed on " + show(tile) + ", outside the array of " + array().name, array_range());
      }
      load[tile] += kernel.runtime_ratio;
      if (load[tile] > 1.0 + 1e-9) {
        refuse("kernel-ratio", "the kernels on " + show(tile) + " ask for more than all of its time (" + kernel.name + " is one)",
               "lower runtime<ratio> so that they sum to at most 1, or place them on different tiles");
      }
    }
    const auto cores = static_cast<std::size_t>(array().columns * array().rows);
    double all = 0;
    for (const Kernel& kernel : design_.kernels) {
      all += kernel.runtime_ratio;
    }
    if (all > static_cast<double>(cores)) {
      refuse("kernel-ratio", "the kernels ask for " + std::to_string(all) + " cores, " + array().name + " has " + std::to_string(cores),
             "use fewer kernels, or lower their runtime<ratio>");
    }
  }

  void memory_of(const Kernel& kernel) {
    for (const Port& port : kernel.ports) {
      const auto bytes = static_cast<std::int64_t>(declared_bytes(port) + (has_buffer(port) ? margin_bytes(port) : 0));
      const auto copies = static_cast<std::size_t>(port.buffers != 0 ? port.buffers : 2);
      if (bytes > tiles().memory) {
        refuse("memory", name_of(port) + " has " + std::to_string(bytes) + " B, a tile " + std::to_string(tiles().memory) + " B",
               "divide the data among several kernels or calls");
      }
      if (has_buffer(port) && port.locations.size() > copies) {
        refuse("location", name_of(port) + " has " + std::to_string(port.locations.size()) + " locations for " +
                               std::to_string(copies) + " buffer" + (copies == 1 ? "" : "s"),
               "give one location for a single buffer, one or two for a ping-pong pair");
      }
      for (const Location& where : port.locations) {
        block(kernel, where, bytes, name_of(port), &port);
      }
    }
    for (const Parameter& parameter : kernel.parameters) {
      block(kernel, parameter.location, static_cast<std::int64_t>(parameter.bytes), kernel.name + " " + parameter.name);
    }
    for (const Parameter* array : kernel.arrays) {
      block(kernel, array->location, static_cast<std::int64_t>(array->bytes), kernel.name + " " + array->name);
    }
    const auto stack = static_cast<std::int64_t>(kernel.stack_bytes + kernel.heap_bytes) + kSyncBytes;
    if (stack > tiles().memory) {
      refuse("memory", kernel.name + " asks for " + std::to_string(stack) + " B of stack, heap and tools' own",
             "a tile has " + std::to_string(tiles().memory) + " B");
    }
    block(kernel, kernel.stack, stack, kernel.name + " stack and heap");
  }

  void block(const Kernel& kernel, const Location& where, std::int64_t bytes, const std::string& owner, const Port* port = nullptr) {
    if (where.kind == Location::Kind::kNone || where.kind == Location::Kind::kOffset) {
      return;
    }
    const Tile tile{where.col, where.row};
    if (!in_array(tile)) {
      misplaced("location", owner + " is placed in " + show(tile) + ", outside the array of " + array().name, array_range());
    }
    const Tile core = tile_of(kernel);
    if (placed(kernel) && !reaches(core, tile)) {
      misplaced("location", owner + " lies in " + show(tile) + ", which the core on " + show(core) + " does not reach",
             tiles().parity ? "a core reaches its own tile, north, south, and west on even or east on odd rows"
                           : "a core reaches its own tile, north, south and west");
    }
    if (where.kind == Location::Kind::kAddress) {
      if (where.value < 0 || where.value + bytes > tiles().memory || where.value % 32 != 0) {
        misplaced("location", owner + " (" + std::to_string(bytes) + " B) at byte " + std::to_string(where.value) + " of " + show(tile),
               "addresses are multiples of 32 and the block ends within " + std::to_string(tiles().memory) + " B");
      }
      spans_[tile].push_back({where.value, where.value + bytes, owner, port});
    } else if (where.kind == Location::Kind::kBank && (where.value < 0 || where.value >= tiles().banks)) {
      misplaced("location", owner + " is placed in bank " + std::to_string(where.value), "banks are 0.." + std::to_string(tiles().banks - 1));
    }
  }

  /// Whether two places are one: a connection's two ends that share their buffer may both say where it is.
  [[nodiscard]] bool one_buffer(const Span& a, const Span& b) const {
    if (a.begin != b.begin || a.port == nullptr || b.port == nullptr) {
      return false;
    }
    const auto joins = [](const Net& net, const Port* from, const Port* to) {
      return net.producer == from && count_of(net.branches, [to](const Branch& way) { return way.consumer == to; }) > 0;
    };
    return count_of(nets_, [&](const Net& net) { return joins(net, a.port, b.port) || joins(net, b.port, a.port); }) > 0;
  }

  void overlaps() {
    for (auto& [tile, spans] : spans_) {
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) {
        if (spans[i].begin < spans[i - 1].end && !one_buffer(spans[i], spans[i - 1])) {
          misplaced("location", spans[i].owner + " at byte " + std::to_string(spans[i].begin) + " of " + show(tile) + " overlaps " +
                                 spans[i - 1].owner + ", which ends at " + std::to_string(spans[i - 1].end),
                 "move one of them");
        }
      }
    }
  }

  /// not_equal(): kernels on different tiles, buffers in different banks.
  void different() const {
    for (const Relation& r : design_.relations) {
      if (r.kind != Relation::Kind::kDifferent) {
        continue;
      }
      if (r.first != nullptr && r.second != nullptr && placed(*r.first) && placed(*r.second) && tile_of(*r.first) == tile_of(*r.second)) {
        misplaced("location", r.first->name + " and " + r.second->name + " are both on " + show(tile_of(*r.first)) + ", against not_equal()",
               "move one of them");
      }
      if (r.first_port != nullptr && r.second_port != nullptr) {
        for (const Location& a : r.first_port->locations) {
          for (const Location& b : r.second_port->locations) {
            same_bank(*r.first_port, a, *r.second_port, b);
          }
        }
      }
    }
  }

  static void same_bank(const Port& first, const Location& a, const Port& second, const Location& b) {
    const auto bank = [](const Location& l) {
      return l.kind == Location::Kind::kAddress ? l.value / (tiles().memory / tiles().banks) : l.value;
    };
    if (a.col == b.col && a.row == b.row && bank(a) == bank(b)) {
      misplaced("location",
             name_of(first) + " and " + name_of(second) + " are both in bank " + std::to_string(bank(a)) + " of " +
                 show({a.col, a.row}) + ", against not_equal()",
             "move one of them to another bank");
    }
  }

  void areas() const {
    for (const Area& area : design_.areas) {
      if (area.first_col > area.last_col || area.first_row > area.last_row || !in_array({area.first_col, area.first_row}) ||
          !in_array({area.last_col, area.last_row})) {
        misplaced("area", "the bounding box " + show({area.first_col, area.first_row}) + " to " + show({area.last_col, area.last_row}) +
                           " is not inside the array of " + array().name,
               array_range() + ", and the first corner is the lower left one");
      }
    }
    for (const Kernel& kernel : design_.kernels) {
      inside_areas(kernel);
    }
  }

  /// Whether a kernel is surely of the area's graph: it lies in the graph's object, or was made when no graph beyond that
  /// object had been made since (std::vector keeps kernels elsewhere, and so do pointers to sub-graphs).
  [[nodiscard]] bool belongs(const Kernel& kernel, const Area& area) const {
    const auto* begin = static_cast<const std::byte*>(area.address);
    const auto inside = [&](const void* at) { return at >= begin && at < begin + area.bytes; };
    if (inside(kernel.handle)) {
      return true;
    }
    const std::size_t first = graph_at(area.address);
    bool own = kernel.graph > first && kernel.graph <= area.graph;
    for (std::size_t i = first; own && i < kernel.graph; ++i) {
      own = inside(design_.graphs[i].address);
    }
    Dl_info info{};
    return own && dladdr(kernel.handle, &info) == 0;  // what lies in a variable beyond that object is another graph's
  }

  /// A kernel lies in one of the areas of its own and of its graph.
  void inside_areas(const Kernel& kernel) const {
    if (!placed(kernel)) {
      return;
    }
    const auto inside = [&](int c0, int r0, int c1, int r1) {
      return kernel.tile.col >= c0 && kernel.tile.col <= c1 && kernel.tile.row >= r0 && kernel.tile.row <= r1;
    };
    bool any = kernel.area.empty(), graph = false, good = false;
    for (std::size_t i = 0; i + 1 < kernel.area.size(); i += 2) {
      any = any || inside(kernel.area[i].col, kernel.area[i].row, kernel.area[i + 1].col, kernel.area[i + 1].row);
    }
    for (const Area& a : design_.areas) {
      if (belongs(kernel, a)) {
        graph = true;
        good = good || inside(a.first_col, a.first_row, a.last_col, a.last_row);
      }
    }
    if (!any || (graph && !good)) {
      misplaced("area", kernel.name + " is placed on " + show(tile_of(kernel)) + ", outside of the area of " + (any ? "its graph" : "its own"),
             "move it, or enlarge the area");
    }
  }

  /// Stream ports of a core are not shared by the kernels on it [UG1079].
  void streams() const {
    FlatMap<Tile, std::size_t> used_in, used_out;
    for (const Kernel& kernel : design_.kernels) {
      const auto count = [](const std::vector<Port*>& ports) {
        return count_of(ports, [](const Port* p) {
          return p->argument.kind == PortKind::kStream || p->argument.kind == PortKind::kPacket;
        });
      };
      std::size_t in = count(kernel.in), out = count(kernel.out);
      if (placed(kernel)) {
        in = used_in[tile_of(kernel)] += in;
        out = used_out[tile_of(kernel)] += out;
      }
      if (in > tiles().streams || out > tiles().streams) {
        refuse("stream-ports",
               kernel.name + (placed(kernel) ? " and the others on " + show(tile_of(kernel)) + " have " : " has ") + std::to_string(in) +
                   " stream inputs and " + std::to_string(out) + " outputs; a core has " + std::to_string(tiles().streams) + " each way",
               "use buffers, packet streams or another core");
      }
    }
  }

  void cascades() const {
    for (const Kernel& kernel : design_.kernels) {
      for (const auto* list : {&kernel.in, &kernel.out}) {
        const auto n = count_of(*list, [](const Port* p) { return p->argument.kind == PortKind::kCascade; });
        if (n > 1) {
          refuse("cascade", kernel.name + " has " + std::to_string(n) + " cascade " + (list == &kernel.in ? "inputs" : "outputs"),
                 "a core has one each way");
        }
      }
    }
    for (const Net& net : nets_) {
      const Port &from = *net.producer, &to = *net.branches.front().consumer;
      if (from.kernel == nullptr || from.argument.kind != PortKind::kCascade || !placed(*from.kernel) || !placed(*to.kernel)) {
        continue;
      }
      const auto targets = cascade_targets(tile_of(*from.kernel));
      if (!holds(targets, tile_of(*to.kernel))) {
        misplaced("cascade",
               name_of(from) + " on " + show(tile_of(*from.kernel)) + " cannot cascade to " + name_of(to) + " on " +
                   show(tile_of(*to.kernel)),
               "place the second kernel on " + show(targets.front()) + (targets.size() > 1 ? " or " + show(targets.back()) : ""));
      }
    }
  }

  void interface() const {
    FlatMap<std::pair<int, bool>, std::size_t> channels;
    for (const Plio& plio : design_.plios) {
      if (plio.shim.kind == Location::Kind::kNone) {
        continue;
      }
      const int col = plio.shim.col;
      if (col < array().first_plio || col > array().last_plio) {
        misplaced("location", "PLIO '" + plio.name + "' is placed in column " + std::to_string(col),
               std::string(array().name) + " has PL interface tiles in columns " + std::to_string(array().first_plio) + ".." +
                   std::to_string(array().last_plio));
      }
      std::size_t& used = channels[{col, plio.is_input}];
      used += plio.bits > 64 ? 2 : 1;
      const std::size_t limit = plio.is_input ? kPlioIn : kPlioOut;
      if (used > limit || plio.shim.value >= static_cast<std::int64_t>(limit)) {
        misplaced("plio-channels",
               "PLIO '" + plio.name + "' " +
                   (used > limit ? "is one too many in" : "asks for channel " + std::to_string(plio.shim.value) + " of") + " column " +
                   std::to_string(col),
               "a column has " + std::to_string(limit) + " channels of 64 bits " + (plio.is_input ? "in" : "out") + "; 128 bits take two");
      }
    }
    constexpr std::size_t kGmio = 32;  // each way [UG1079]
    const auto inputs = count_of(design_.gmios, [](const Gmio& gmio) { return gmio.is_input; });
    if (inputs > kGmio || design_.gmios.size() - inputs > kGmio) {
      refuse("gmio-channels", "the design has " + std::to_string(inputs) + " GMIO inputs and " +
                                  std::to_string(design_.gmios.size() - inputs) + " outputs", "there are 32 each way");
    }
  }

  Design& design_;
  const std::vector<Net>& nets_;
  FlatMap<Tile, std::vector<Span>> spans_;
};

}  // namespace

void misplaced(const std::string& rule, const std::string& problem, const std::string& remedy) {
  const char* asked = std::getenv("AIELOOM_MISPLACED");
  if (asked == nullptr || std::string_view(asked) != "warn") {
    refuse(rule, problem, remedy);
  }
  static std::string told;  // two buffers of a port are said once
  if (told == problem) {
    return;
  }
  told = problem;
  warn(rule, problem + ": the run goes on, the mapper of a device would refuse it; " + remedy);
}

void check_geometry(Design& design, const std::vector<Net>& nets) { Check(design, nets).run(); }

}  // namespace aieloom
