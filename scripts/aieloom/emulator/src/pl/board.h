// What system.cfg may name of a board: memories, super logic regions and clocks [UG1702 connectivity, clock].
#pragma once

#include "config.h"

namespace aieloom {

/// Refuse a line that names what the graph's device, or the platform that it is known to be on, does not have.
void check_board(const ConfigEntry& entry);

}  // namespace aieloom
