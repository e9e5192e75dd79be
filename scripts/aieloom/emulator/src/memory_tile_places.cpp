// Do the places of shared buffers respect the memory tiles, and each other? [UG1603 Shared Buffer Location Constraint]
#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "aieloom/report.h"
#include "nets.h"

namespace aieloom {

namespace {

// Memory tiles of 512 KB in 16 banks, below as many columns as the array has [AM020, UG1603].
constexpr std::int64_t kBytes = 512 << 10, kBanks = 16, kWord = 4;
constexpr std::size_t kChannels = 6;  // each way

struct Block {
  int col, row;
  std::int64_t begin, end;
  const SharedBuffer* owner;
};

std::string show(int col, int row) { return "memory tile (" + std::to_string(col) + ", " + std::to_string(row) + ")"; }

std::int64_t bytes_of(const SharedBuffer& b) { return static_cast<std::int64_t>(b.elements() * b.element.size()); }

/// Check one place of a buffer, and keep it if it has an address.
void check_place(const SharedBuffer& b, const Location& at, std::vector<Block>& blocks) {
  if (at.kind == Location::Kind::kOffset || at.kind == Location::Kind::kNone) {
    return;
  }
  const Part& part = design().part;
  if (at.col < 0 || at.col >= part.columns || at.row < 0 || at.row >= part.memory_rows) {
    misplaced("location", b.name + " is placed in " + show(at.col, at.row) + ", which " + part.name + " does not have",
           "columns are 0.." + std::to_string(part.columns - 1) + ", rows of memory tiles 0.." + std::to_string(part.memory_rows - 1));
    return;
  }
  if (at.kind == Location::Kind::kBank && (at.value < 0 || at.value >= kBanks)) {
    misplaced("location", b.name + " is placed in bank " + std::to_string(at.value), "banks of a memory tile are 0.." + std::to_string(kBanks - 1));
  }
  if (at.kind == Location::Kind::kAddress) {
    const std::int64_t end = at.value + bytes_of(b);
    if (at.value < 0 || end > kBytes || at.value % kWord != 0) {
      misplaced("location", b.name + " (" + std::to_string(bytes_of(b)) + " B) at byte " + std::to_string(at.value) + " of " + show(at.col, at.row),
             "addresses are multiples of " + std::to_string(kWord) + " and a copy ends within " + std::to_string(kBytes) + " B");
    }
    blocks.push_back({at.col, at.row, at.value, end, &b});
  }
}

void check_overlaps(std::vector<Block>& blocks) {
  const auto key = [](const Block& b) { return std::tuple(b.col, b.row, b.begin, b.end); };
  std::stable_sort(blocks.begin(), blocks.end(), [&](const Block& a, const Block& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const Block &a = blocks[i - 1], &b = blocks[i];
    if (a.col == b.col && a.row == b.row && b.begin < a.end) {
      misplaced("location", b.owner->name + " at byte " + std::to_string(b.begin) + " of " + show(b.col, b.row) + " overlaps " +
                             a.owner->name + ", which ends at " + std::to_string(a.end),
             "move one of them");
    }
  }
}

/// The buffers of a memory tile share its DMA.
void check_channels(const std::vector<const SharedBuffer*>& buffers) {
  FlatMap<std::pair<int, int>, std::pair<std::size_t, std::size_t>> used;
  for (const SharedBuffer* b : buffers) {
    const Location& at = b->locations.front();
    auto& [in, out] = used[{at.col, at.row}];
    in += b->in.size();
    out += b->out.size();
    if (in > kChannels || out > kChannels) {
      misplaced("dma-channels", b->name + " and the others in " + show(at.col, at.row) + " have " + std::to_string(in) + " writers and " +
                                 std::to_string(out) + " readers; there are " + std::to_string(kChannels) + " DMA channels each way",
             "place one of them in another memory tile");
    }
  }
}

}  // namespace

void check_memory_tiles(const Design& design) {
  std::vector<Block> blocks;
  std::vector<const SharedBuffer*> placed;
  for (const SharedBuffer& b : design.shared_buffers) {
    if (b.external || b.locations.empty()) {
      continue;
    }
    if (b.locations.size() > b.buffers) {
      refuse("location", b.name + " has " + std::to_string(b.locations.size()) + " locations for " + std::to_string(b.buffers) +
                             (b.buffers == 1 ? " buffer" : " buffers"),
             "give one location for each of num_buffers");
    }
    for (const Location& at : b.locations) {
      check_place(b, at, blocks);
    }
    if (b.locations.front().kind != Location::Kind::kOffset) {
      placed.push_back(&b);
    }
  }
  check_overlaps(blocks);
  check_channels(placed);
}

}  // namespace aieloom
