// The board behind system.cfg: facts of its file (spec/devices), which the graph is compiled with (struct Part).
#include "board.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "aieloom/design.h"

namespace aieloom {

namespace {

/// A number as people write it.
std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// The memory of sp=<unit>.<argument>:<memory>, and its number or numbers: DDR, DDR[0], DDR[0:1].
void check_memory(const ConfigEntry& entry) {
  const std::string tag = entry.value.substr(entry.value.find(':') + 1);
  const std::string name = tag.substr(0, tag.find('['));
  const std::string memories = design().part.memories;
  const auto known = split(memories, ' ');
  if (memories.empty() && name != "HBM") {
    return;  // no platform is known; but no device with an array has HBM
  }
  const std::string there = memories.empty() ? "DDR, LPDDR or MC_NOC<number>, as the platform calls them" : memories;
  if (std::ranges::find(known, name) == known.end() || (tag != name && tag != name + "[0]")) {
    refuse_entry("link-board", entry, std::string(design().part.name) + " has no memory '" + tag + "'", "its memories: " + there);
  }
}

void check_region(const ConfigEntry& entry) {
  const std::string region = entry.value.substr(entry.value.find(":SLR") + 4);
  if (std::atoi(region.c_str()) >= design().part.slrs) {
    refuse_entry("link-board", entry, std::string(design().part.name) + " has " + (design().part.slrs == 1 ? "one SLR" : std::to_string(design().part.slrs) + " SLRs") + ", counted from 0",
                 "leave the line out, or name SLR0");
  }
}

/// freqHz=<Hz>:<units> and defaultFreqHz=<Hz>, id=<number>:<units> and defaultId=<number>; with MHz behind it a number is in MHz.
void check_clock(const ConfigEntry& entry) {
  const Part& part = design().part;
  const std::string number = entry.value.substr(0, entry.value.find(':'));
  if (entry.key == "freqHz" || entry.key == "defaultFreqHz") {
    const double mhz = number.ends_with("MHz") ? std::atof(number.c_str()) : std::atof(number.c_str()) / 1e6;
    if (mhz > part.fastest_mhz) {
      refuse_entry("link-board", entry, std::string(part.name) + " has no clock of " + plain(mhz) + " MHz: its platform's fastest has " + plain(part.fastest_mhz),
                   "ask for less; freqHz counts Hz, or MHz where that stands behind it");
    }
  } else if ((entry.key == "id" || entry.key == "defaultId") && std::atoi(number.c_str()) >= part.clocks) {
    refuse_entry("link-board", entry, std::string(part.name) + " has no clock " + number + ": its platform has " + std::to_string(part.clocks) + ", counted from 0",
                 "use freqHz, or the number that platforminfo prints");
  }
}

}  // namespace

void check_board(const ConfigEntry& entry) {
  if (design().graphs.empty()) {
    return;  // a card's design in the logic alone: nothing says what the card is
  }
  if (entry.section == "connectivity" && entry.key == "sp") {
    check_memory(entry);
  } else if (entry.section == "connectivity" && entry.key == "slr") {
    check_region(entry);
  } else if (entry.section == "clock" && design().part.clocks > 0) {
    check_clock(entry);
  }
}

}  // namespace aieloom
