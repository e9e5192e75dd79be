// Settings of xrt.ini from a program [XRT native API: xrt::ini]. They steer traces and logs, which are not emulated.
#pragma once

#include <string>

namespace xrt::ini {

inline void set(const std::string&, const std::string&) {}
inline void set(const std::string&, unsigned int) {}

}  // namespace xrt::ini
