// Cores at work, and the graph's control from main() [UG1079 Run-time Graph Control API].
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <limits>

#include "adf/graph.h"
#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

namespace {

constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

/// Something that is never woken: blocking on it lasts until everything has come to rest.
class Rest final : public Waitable {
 public:
  [[nodiscard]] std::string describe() const override { return "everything to come to rest"; }
};

}  // namespace

Core::Core(Kernel& k) : kernel(k), arguments(k.arguments.size()) {
  if (k.construct) {
    object_ = k.construct();
  }
}

void Core::start() {
  spawn(kernel.name, Role::kServer, [this] { run(); });
}

void Core::request(std::int64_t iterations) {
  requested_ = iterations < 0 ? kForEver : requested_ + iterations;
  wake(*this);
}

std::string Core::describe() const {
  return kernel.name + " has done " + std::to_string(done_) + " iterations" +
         (requested_ == kForEver ? "" : " of " + std::to_string(requested_));
}

void Core::run() {
  for (;;) {
    set_role(Role::kServer);
    while (idle()) {
      block(*this, "for the next run");
    }
    set_role(Role::kWorker);
    for (std::size_t i = 0; i < kernel.repetition_count; ++i) {
      call();
    }
    ++done_;
    if (idle()) {
      wake(*this);
    }
  }
}

void Core::call() {
  for (BufferPort* port : synchronous_in) {
    port->acquire();
  }
  for (BufferPort* port : synchronous_out) {
    port->acquire();
  }
  kernel.invoke(object_.get(), arguments.data());
  for (BufferPort* port : synchronous_in) {
    port->release();
  }
  for (BufferPort* port : synchronous_out) {
    port->release();
  }
}

std::vector<TopGraph> top_graphs() {
  std::vector<TopGraph> found;
  for (const Graph& graph : design().graphs) {
    Dl_info info{};
    void* extra = nullptr;
    const bool named = dladdr1(graph.address, &info, &extra, RTLD_DL_SYMENT) != 0 && info.dli_saddr == graph.address &&
                       extra != nullptr;
    if (named) {
      found.push_back({graph.address, static_cast<const ElfW(Sym)*>(extra)->st_size});
    }
  }
  return found;
}

std::vector<Core*> Runtime::cores_of(const void* graph) const {
  // A graph that the dynamic symbol table does not name (a static or local object) is taken to be the only one.
  std::size_t size = 0;
  for (const TopGraph& top : top_graphs()) {
    size = top.address == graph ? top.size : size;
  }
  std::vector<Core*> found;
  for (const auto& core : cores_) {
    const auto* handle = static_cast<const char*>(core->kernel.handle);
    const auto* begin = static_cast<const char*>(graph);
    if (size == 0 || (handle >= begin && handle < begin + size)) {
      found.push_back(core.get());
    }
  }
  return found;
}

void Runtime::wait(const void* graph) {
  for (Core* core : cores_of(graph)) {
    while (!core->idle()) {
      block(*core, "for the graph's iterations");
    }
  }
}

void Runtime::settle() {
  Rest rest;
  while (block_unless_stuck(rest, "for")) {
  }
  if (outside_ == Outside::kFiles) {
    write_output_files();
  }
}

}  // namespace aieloom

namespace adf {

graph::graph() { aieloom::design().graphs.push_back({this}); }

return_code graph::init() {
  aieloom::Runtime::instance().elaborate(aieloom::Outside::kFiles);
  return return_code::ok;
}

return_code graph::run(int iterations) {
  auto& runtime = aieloom::Runtime::instance();
  if (!runtime.elaborated()) {
    aieloom::refuse("graph-control", "run() before init()", "call init() first");
  }
  if (iterations == 0) {
    aieloom::refuse("graph-control", "run(0) runs nothing", "give the number of iterations, or none to run for ever");
  }
  for (aieloom::Core* core : runtime.cores_of(this)) {
    core->request(iterations);
  }
  return return_code::ok;
}

return_code graph::wait() {
  aieloom::Runtime::instance().wait(this);
  return return_code::ok;
}

return_code graph::end() {
  wait();
  aieloom::Runtime::instance().settle();
  return return_code::ok;
}

}  // namespace adf
