// Which way data go through a port.
#pragma once

namespace aieloom {

enum class Direction { kIn, kOut, kInOut };

}  // namespace aieloom
