// Which way data go through a port.
#ifndef AIELOOM_DIRECTION_H
#define AIELOOM_DIRECTION_H

namespace aieloom {

enum class Direction { kIn, kOut, kInOut };

}  // namespace aieloom

#endif  // AIELOOM_DIRECTION_H
