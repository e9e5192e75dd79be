// What the emulator's runtime asks of the array, for programs without one.
#include "runtime.h"

namespace aieloom {

Core* running_core() { return nullptr; }

}  // namespace aieloom
