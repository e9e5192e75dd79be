// XRT's native API on the emulated system: graphs.
#include "xrt/xrt_graph.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "aieloom/report.h"
#include "aieloom/stream_port.h"
#include "runtime.h"
#include "system.h"
#include "error.h"

namespace aieloom {

namespace {

bool& host_opens_graphs() {
  static bool opens = false;
  return opens;
}

}  // namespace

/// Without --package.defer_aie_run the cores start when the design is loaded, and run for ever [UG1702 Packaging].
bool start_undriven() {
  static bool is_done = false;
  if (is_done || host_opens_graphs() || System::instance().uuid().empty()) {
    return false;
  }
  is_done = true;
  const std::vector<Core*> cores = Runtime::instance().all_cores();
  if (std::ranges::any_of(cores, [](const Core* core) { return core->was_asked(); })) {
    return false;
  }
  for (Core* core : cores) {
    core->request(-1);
  }
  if (!cores.empty()) {
    std::fputs("aieloom: note: the host runs no graph: the array runs by itself, as packaged without defer_aie_run\n", stderr);
  }
  return !cores.empty();
}

}  // namespace aieloom

namespace xrt {

namespace {

using aieloom::Runtime;
using aieloom::throw_error;

/// The run-time parameters at a path, all of the size given.
std::vector<aieloom::Rtp*> parameters(const void* graph, const std::string& port, bool to_update, std::size_t bytes) {
  aieloom::Port* named = aieloom::find_port(graph, port);
  auto found = named != nullptr ? Runtime::instance().parameters_of(*named, to_update) : std::vector<aieloom::Rtp*>{};
  if (found.empty()) {
    aieloom::refuse("rtp-name", "'" + port + "' is no run-time parameter",
                    "use the path of members from the graph's name on, e.g. g.gain or g.sub.k[1].in[0]");
  }
  for (const aieloom::Rtp* rtp : found) {
    if (rtp->bytes != bytes) {
      throw_error(EINVAL, "run-time parameter '" + port + "' has " + std::to_string(rtp->bytes) + " bytes, the value given " + std::to_string(bytes));
    }
  }
  return found;
}

}  // namespace

graph::graph(const device& device, const uuid& id, const std::string& name, access_mode mode) : mode_(mode) {
  aieloom::host_opens_graphs() = true;
  if (!device || aieloom::System::instance().uuid().empty() || id != uuid(aieloom::System::instance().uuid())) {
    throw_error(EINVAL, "graph '" + name + "': its xclbin is not loaded");
  }
  graph_ = dlsym(RTLD_DEFAULT, name.c_str());
  const auto& all = aieloom::design().graphs;
  if (graph_ == nullptr || std::ranges::find(all, graph_, &aieloom::Graph::address) == all.end()) {
    throw_error(ENOENT, "there is no graph '" + name + "': use the name of the graph object in the graph's source, which is not static");
  }
}

void graph::require(const char* action) const {
  if (graph_ == nullptr) {
    throw_error(EINVAL, std::string(action) + " of an empty xrt::graph");
  }
  if (mode_ == access_mode::shared) {
    throw_error(EPERM, std::string("a graph opened for shared access cannot ") + action + ": open it as primary or exclusive");
  }
}

void graph::reset() const { require("reset"); }  // cores start from reset when the design is loaded

std::uint64_t graph::get_timestamp() const {
  static std::uint64_t time = 0;
  return ++time;
}

void graph::run(std::uint32_t iterations) {
  require("run");
  if (aieloom::is_timed()) {
    aieloom::running_clock().advance(aieloom::cycles_of_us(aieloom::board_facts().graph_start_us));
  }
  Runtime::instance().run(graph_, iterations == 0 ? -1 : static_cast<std::int64_t>(iterations));
}

void graph::wait(const std::chrono::milliseconds& limit) {
  require("wait");
  if (limit.count() == 0) {
    Runtime::instance().wait(graph_);
    return;
  }
  for (aieloom::Core* core : Runtime::instance().cores_of(graph_)) {
    while (!core->idle()) {
      if (!aieloom::block_unless_stuck(*core, "for the graph's iterations")) {
        aieloom::wake_pollers();
        throw_error(ETIME, "graph wait: " + core->describe());
      }
    }
  }
}

void graph::wait(std::uint64_t) {
  require("wait");
  Runtime::instance().wait(graph_);
}

void graph::suspend() { require("suspend"); }  // time does not pass unless somebody waits: nothing runs on meanwhile
void graph::resume() { require("resume"); }

void graph::end(std::uint64_t) {
  require("end");
  Runtime::instance().wait(graph_);
  aieloom::mark_top(graph_).ended = true;
}

void graph::update(const std::string& port, const void* values, std::size_t bytes) {
  require("update");
  for (aieloom::Rtp* rtp : parameters(graph_, port, true, bytes)) {
    rtp->update(values);
  }
}

void graph::read(const std::string& port, void* values, std::size_t bytes) {
  if (graph_ == nullptr) {
    throw_error(EINVAL, "read of an empty xrt::graph");
  }
  parameters(graph_, port, false, bytes).front()->read(values);
}

}  // namespace xrt
