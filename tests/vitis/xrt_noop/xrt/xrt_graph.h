// A graph for XRT's no-device mode, whose own xrt::graph refuses to open: it only checks the order of calls.
#pragma once
#include <xrt/xrt_device.h>
#include <xrt/xrt_uuid.h>

#include <cstdio>
#include <string>

namespace xrt {

class graph {
 public:
  enum class access_mode { exclusive = 0, primary = 1, shared = 2 };
  graph(const device&, const uuid&, const std::string& name, access_mode = access_mode::primary) : name_(name) {}
  void reset() const { std::printf("graph %s reset\n", name_.c_str()); }
  void run(unsigned iterations = 0) { std::printf("graph run %u\n", iterations); }
  void wait(unsigned long long = 0) { std::printf("graph wait\n"); }

 private:
  std::string name_;
};

}  // namespace xrt
