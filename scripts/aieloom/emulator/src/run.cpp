// The graph's control from main() [UG1079 Run-time Graph Control API].
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "adf/graph.h"
#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

namespace {

/// Something that is never woken: blocking on it lasts until everything has come to rest.
class Rest final : public Waitable {
 public:
  [[nodiscard]] std::string describe() const override { return "everything to come to rest"; }
};

/// $AIELOOM_ITERATIONS, which `aieloom emulate --iterations` sets, for graphs that run for ever; 0 when absent.
std::int64_t asked_iterations() {
  const char* text = std::getenv("AIELOOM_ITERATIONS");
  return text != nullptr ? std::strtoll(text, nullptr, 10) : 0;
}

pid_t counting = 0;  // the process whose graph runs

void print_counts() {
  if (is_timed()) {
    refuse_longer_streams();
  }
  for (const Core& core : Runtime::instance().cores()) {
    if (core.has_counted()) {
      std::printf("%s\n", core.counts().c_str());
    }
  }
  const char* timed = std::getenv("AIELOOM_TIMED");
  std::FILE* out = timed != nullptr ? std::fopen(timed, "w") : nullptr;
  if (out != nullptr) {
    for (const Core& core : Runtime::instance().cores()) {
      core.write_blocks(out);
    }
    std::fclose(out);
    write_times(std::string(timed) + ".times");
  }
}

bool has_input(const Kernel& kernel) {
  return count_of(kernel.in, [](const Port* p) { return p->argument.kind != PortKind::kValue || !p->async; }) > 0;
}

}  // namespace

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

std::size_t graph_at(const void* address) {
  const auto& all = design().graphs;
  std::size_t at = 0;
  while (at < all.size() && all[at].address != address) {
    ++at;
  }
  return at;
}

Graph& mark_top(const void* graph) {
  auto& all = design().graphs;
  static bool named = false;
  if (!std::exchange(named, true)) {
    for (const TopGraph& top : top_graphs()) {
      all[graph_at(top.address)].top = true;
    }
  }
  const std::size_t at = graph_at(graph);
  if (at == all.size()) {
    refuse("graph-control", "a graph is controlled that was copied or has ended its life", "use the object that was constructed");
  }
  all[at].top = true;
  return all[at];
}

std::vector<Core*> Runtime::all_cores() {
  std::vector<Core*> all;
  for (Core& core : cores_) {
    all.push_back(&core);
  }
  return all;
}

std::vector<Core*> Runtime::cores_of(const void* graph) {
  // A kernel belongs to the last top-level graph whose construction had begun when the kernel was made.
  const Graph& top = mark_top(graph);
  const auto& all = design().graphs;
  const std::size_t index = graph_at(top.address);
  std::vector<Core*> found;
  for (Core& core : cores_) {
    std::size_t owner = 0;
    for (std::size_t i = 0; i < core.kernel.graph; ++i) {
      owner = all[i].top ? i : owner;
    }
    if (owner == index) {
      found.push_back(&core);
    }
  }
  return found;
}

void Runtime::run(const void* graph, std::int64_t iterations) {
  if (!elaborated_) {
    refuse("graph-control", "run() before init()", "call init() first");
  }
  if (mark_top(graph).ended) {
    refuse("graph-control", "run() after end()", "end() stops a graph for good: use wait() between runs");
  }
  if (iterations < 0 && asked_iterations() > 0) {
    iterations = asked_iterations();
  }
  for (Core* core : cores_of(graph)) {
    core->request(iterations);
  }
}

void Runtime::wait(const void* graph) {
  const auto cores = cores_of(graph);
  for (Core* core : cores) {
    if (core->for_ever() && !has_input(core->kernel)) {
      refuse("graph-control", "the graph runs for ever: " + core->kernel.name + " has no input that could end",
             "give run(n) a number, or use --iterations N");
    }
  }
  if (count_of(cores, [](const Core* core) { return core->for_ever(); }) > 0) {
    rest();
    return;
  }
  for (Core* core : cores) {
    while (!core->idle()) {
      block(*core, "for the graph's iterations");
    }
    running_clock().wait_until(core->done_at());
  }
}

void Runtime::count_at_exit() {
  counting = getpid();
  std::atexit(print_counts);
}

void Runtime::rest() {
  Rest rest;
  while (block_unless_stuck(rest, "for")) {
  }
}

void Runtime::settle() {
  rest();
  check_allocated();
  report_leftovers();
  if (outside_ == Outside::kFiles) {
    write_output_files();
  }
}

}  // namespace aieloom

namespace adf {

namespace {

using aieloom::Runtime;

[[noreturn]] void refuse_value(const aieloom::Port& port, const std::string& problem, const std::string& remedy) {
  aieloom::refuse("rtp", aieloom::name_of(port) + ": " + problem, remedy);
}

/// Check a value's size against the kernel's parameter.
void check_value(const aieloom::Rtp& rtp, std::size_t bytes, std::size_t count) {
  if (bytes != rtp.bytes) {
    const auto& argument = rtp.port.argument;
    refuse_value(rtp.port,
                 "gets " + std::to_string(count) + " value" + (count == 1 ? "" : "s") + " of " + std::to_string(bytes / count) +
                     " B, it has " + std::to_string(argument.extent) + " of " + std::to_string(argument.element.size()) + " B",
                 "give values of the kernel parameter's own type and number");
  }
}

std::vector<aieloom::Rtp*> values_of(aieloom::Port& port, bool to_update) {
  if (!Runtime::instance().elaborated()) {
    aieloom::refuse("graph-control", "update() or read() before init()", "call init() first");
  }
  auto found = Runtime::instance().parameters_of(port, to_update);
  if (found.empty()) {
    refuse_value(port, "no kernel's run-time parameter is connected to it", "write connect<parameter>(port, async(k.in[...]))");
  }
  return found;
}

}  // namespace

return_code graph::init() {
  aieloom::mark_top(this);
  const bool first = !Runtime::instance().elaborated();
  Runtime::instance().elaborate(aieloom::Outside::kFiles);
  if (first && Runtime::instance().outside() == aieloom::Outside::kFiles) {
    std::atexit([] { aieloom::write_output_files(); });  // for programs that never call end()
  }
  return return_code::ok;
}

return_code graph::run() {
  Runtime::instance().run(this, -1);
  return return_code::ok;
}

return_code graph::run(int iterations) {
  if (iterations == 0) {
    aieloom::refuse("graph-control", "run(0) runs nothing", "give the number of iterations, or none to run for ever");
  }
  Runtime::instance().run(this, iterations);
  return return_code::ok;
}

return_code graph::wait() {
  Runtime::instance().wait(this);
  return return_code::ok;
}

return_code graph::wait(std::uint64_t) { return wait(); }  // time has no cycles here: all that can be done is done

return_code graph::resume() { return return_code::ok; }

return_code graph::end() {
  aieloom::Graph& top = aieloom::mark_top(this);
  if (top.ended) {
    aieloom::refuse("graph-control", "end() is called twice", "end a graph once");
  }
  Runtime::instance().wait(this);
  top.ended = true;
  Runtime::instance().settle();
  return return_code::ok;
}

return_code graph::end(std::uint64_t) { return end(); }

return_code graph::update_bytes(aieloom::Port& port, const void* values, std::size_t bytes, std::size_t count) {
  for (aieloom::Rtp* rtp : values_of(port, true)) {
    check_value(*rtp, bytes, count);
    rtp->update(values);
  }
  return return_code::ok;
}

return_code graph::read_bytes(aieloom::Port& port, void* values, std::size_t bytes, std::size_t count) {
  aieloom::Rtp* rtp = values_of(port, false).front();
  if (rtp->port.direction == aieloom::Direction::kIn) {
    refuse_value(port, "is an input, which cannot be read", "connect a kernel's inout parameter to it");
  }
  check_value(*rtp, bytes, count);
  rtp->read(values);
  return return_code::ok;
}

}  // namespace adf

/// A main() that leaves at once, past std::atexit, as aiesimulator's users do where its end hangs, has counted too.
extern "C" [[noreturn]] void _exit(int code) {
  if (getpid() == aieloom::counting) {
    aieloom::print_counts();
    std::fflush(nullptr);
  }
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}
