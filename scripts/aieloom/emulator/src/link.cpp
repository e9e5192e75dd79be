// Linking by the same system.cfg that v++ reads [UG1702 connectivity and clock sections].
#include <algorithm>
#include <charconv>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "aieloom/report.h"
#include "runtime.h"
#include "system.h"

namespace aieloom {

namespace {

constexpr const char* kMagic = "aieloom-emulated-xclbin 1";
constexpr const char* kArray = "ai_engine_0";
constexpr std::size_t kStreamBytes = std::size_t{64} << 10;

std::deque<PlKernel>& kernels() {
  static std::deque<PlKernel> all;
  return all;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  const auto last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

void register_pl_kernel(PlKernel kernel) { kernels().push_back(std::move(kernel)); }

/// Reads one configuration file and makes what it says.
class Linker {
 public:
  Linker(System& system, std::string file) : system_(system), file_(std::move(file)) {}

  void link() {
    std::ifstream in(file_);
    std::string line;
    if (!in || !std::getline(in, line) || trim(line) != kMagic) {
      throw std::runtime_error("'" + file_ + "' is not an xclbin that the emulator made");
    }
    std::getline(in, line);
    system_.uuid_ = trim(line.substr(line.find('=') + 1));
    Runtime::instance().elaborate(Outside::kProgrammableLogic);
    read(in);
    units();
    for (const Entry& entry : streams_) {
      stream_connect(entry);
    }
    for (const Entry& entry : others_) {
      apply(entry);
    }
    check_complete();
  }

 private:
  struct Entry {
    std::string section, key, value;
    std::size_t line;
  };

  [[noreturn]] void fail(const Entry& entry, const std::string& problem, const std::string& remedy) const {
    refuse("system-cfg", "system.cfg:" + std::to_string(entry.line) + ": " + entry.key + "=" + entry.value + ": " + problem, remedy);
  }

  void read(std::istream& in) {
    static const std::map<std::string, std::set<std::string>> known = {
        {"connectivity", {"nk", "sc", "stream_connect", "sp", "slr", "connect"}},
        {"clock", {"freqHz", "id", "defaultFreqHz", "defaultId", "defaultTolerance", "tolerance"}},
        {"advanced", {"param", "prop", "misc"}},
        {"vivado", {"prop", "param", "impl.strategies", "impl.jobs", "synth.jobs"}},
        {"profile", {"data", "stall", "exec", "memory", "aie", "trace_memory"}},
        {"debug", {"chipscope", "aie.chipscope", "protocol", "list_ports"}},
    };
    std::string section;
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      line = trim(line);
      if (line.empty() || line[0] == '#') {
        continue;
      }
      if (line.front() == '[' && line.back() == ']') {
        section = line.substr(1, line.size() - 2);
        continue;
      }
      const auto equals = line.find('=');
      const Entry entry{section, trim(line.substr(0, equals)), equals == std::string::npos ? "" : trim(line.substr(equals + 1)), number};
      if (section.empty()) {
        continue;  // platform=, save-temps= and other options of the tool itself
      }
      const auto found = known.find(section);
      if (found == known.end()) {
        fail(entry, "there is no section [" + section + "]", "use [connectivity], [clock], [advanced], [vivado], [profile] or [debug]");
      }
      if (!found->second.contains(entry.key)) {
        fail(entry, "[" + section + "] has no key '" + entry.key + "'", "see UG1702, configuration file sections");
      }
      (entry.key == "nk" ? kernels_ : entry.key == "sc" || entry.key == "stream_connect" ? streams_ : others_).push_back(entry);
    }
  }

  void units() {
    for (const Entry& entry : kernels_) {
      const auto parts = split(entry.value, ':');
      int count = 0;
      if (parts.size() < 2 || parts.size() > 3 ||
          std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), count).ec != std::errc{} || count < 1) {
        fail(entry, "not <kernel>:<number>[:<unit>,<unit>...]", "write nk=mm2s:1:mm2s_1");
      }
      const auto names = parts.size() == 3 ? split(parts[2], ',') : std::vector<std::string>{};
      if (!names.empty() && names.size() != static_cast<std::size_t>(count)) {
        fail(entry, std::to_string(names.size()) + " names for " + std::to_string(count) + " units", "give one name a unit, with commas");
      }
      const auto kernel = std::ranges::find(aieloom::pl_kernels(), parts[0], &PlKernel::name);
      if (kernel == aieloom::pl_kernels().end()) {
        fail(entry, "no PL source has a kernel '" + parts[0] + "'", "give its .cpp file, or correct the name");
      }
      for (int i = 0; i < count; ++i) {
        const std::string name = names.empty() ? parts[0] + "_" + std::to_string(i + 1) : names[static_cast<std::size_t>(i)];
        if (system_.find(name) != nullptr) {
          fail(entry, "two compute units are called '" + name + "'", "unit names are unique");
        }
        system_.units_.push_back(std::make_unique<ComputeUnit>(name, *kernel));
      }
    }
  }

  [[nodiscard]] ComputeUnit* unit(const std::string& name) const {
    const auto found = std::ranges::find_if(system_.units_, [&](const auto& u) { return u->name == name; });
    return found == system_.units_.end() ? nullptr : found->get();
  }

  /// Resolve `<unit>.<port>` or `ai_engine_0.<plio>`.
  LinkEnd resolve(const Entry& entry, const std::string& text) {
    const auto dot = text.find('.');
    const std::string owner = text.substr(0, dot);
    const std::string port = dot == std::string::npos ? "" : text.substr(dot + 1);
    LinkEnd end;
    end.text = text;
    if (owner == kArray) {
      end.plio = Runtime::instance().find_plio(port);
      if (end.plio == nullptr) {
        fail(entry, "the graph has no PLIO '" + port + "'", "use the logical name given to input_plio or output_plio::create");
      }
      end.bits = end.plio->plio->bits;
      return end;
    }
    ComputeUnit* cu = unit(owner);
    if (cu == nullptr) {
      fail(entry, "there is no compute unit '" + owner + "'", "units: " + system_.unit_names());
    }
    for (PlArgument& argument : cu->arguments) {
      for (std::size_t i = 0; argument.kind == PlArgument::Kind::kStream && i < argument.count; ++i) {
        const std::string name = argument.count == 1 ? argument.name : argument.name + "_" + std::to_string(i);
        if (name == port) {
          end.port = argument.streams[i];
          end.bits = argument.bits;
          end.port->set_name(text);
          return end;
        }
      }
    }
    fail(entry, "kernel '" + cu->kernel.name + "' has no stream port '" + port + "'",
         "ports are the kernel's stream arguments; those of an array are <argument>_<number>");
  }

  void stream_connect(const Entry& entry) {
    const auto parts = split(entry.value, ':');
    if (parts.size() < 2 || parts.size() > 3) {
      fail(entry, "not <source>:<target>[:<depth>]", "write stream_connect=mm2s_1.out:ai_engine_0.in");
    }
    const LinkEnd from = resolve(entry, parts[0]);
    const LinkEnd to = resolve(entry, parts[1]);
    for (const LinkEnd* end : {&from, &to}) {
      if (!connected_.insert(end->text).second) {
        fail(entry, "'" + end->text + "' is connected twice", "a stream has two ends");
      }
    }
    if (from.bits != to.bits) {
      fail(entry, std::to_string(from.bits) + " bits into " + std::to_string(to.bits), "make the two ends equally wide");
    }
    if (from.plio != nullptr && from.plio->plio->is_input) {
      fail(entry, "'" + from.text + "' is an input of the array, not a source", "swap the two ends");
    }
    if (to.plio != nullptr && !to.plio->plio->is_input) {
      fail(entry, "'" + to.text + "' is an output of the array, not a target", "swap the two ends");
    }
    if (from.plio != nullptr && to.plio != nullptr) {
      fail(entry, "both ends are in the array", "connect kernels inside the array in the graph");
    }
    join(from, to);
  }

  void join(const LinkEnd& from, const LinkEnd& to) {
    if (to.plio != nullptr) {
      to.plio->stream->set_writer(from.text);
      from.port->link_output(*to.plio->stream);
    } else if (from.plio != nullptr) {
      to.port->link_input(*from.plio->stream, from.plio->reader);
    } else {
      system_.streams_.push_back(std::make_unique<ByteStream>("stream " + from.text + " to " + to.text, kStreamBytes));
      ByteStream& stream = *system_.streams_.back();
      stream.set_writer(from.text);
      from.port->link_output(stream);
      to.port->link_input(stream, stream.add_reader(to.text));
    }
  }

  void apply(const Entry& entry) {
    if (entry.key == "sp") {
      const auto parts = split(entry.value, ':');
      const auto dot = parts[0].find('.');
      ComputeUnit* cu = unit(parts[0].substr(0, dot));
      if (parts.size() != 2 || dot == std::string::npos || cu == nullptr) {
        fail(entry, "not <unit>.<argument>:<memory>", "units: " + system_.unit_names());
      }
      const std::string argument = parts[0].substr(dot + 1);
      const auto found = std::ranges::find(cu->arguments, argument, &PlArgument::name);
      if (found == cu->arguments.end() || found->kind != PlArgument::Kind::kMemory) {
        fail(entry, "kernel '" + cu->kernel.name + "' has no memory argument '" + argument + "'", "use the pointer argument's name");
      }
      const auto bank = std::ranges::find(banks_, parts[1]) - banks_.begin();
      if (bank == static_cast<std::ptrdiff_t>(banks_.size())) {
        banks_.push_back(parts[1]);
      }
      cu->groups[static_cast<std::size_t>(found - cu->arguments.begin())] = static_cast<int>(bank);
    } else if (entry.section == "clock" && (entry.key == "freqHz" || entry.key == "id")) {
      const auto parts = split(entry.value, ':');
      for (const std::string& name : split(parts.size() == 2 ? parts[1] : "", ',')) {
        if (unit(name.substr(0, name.find('.'))) == nullptr) {
          fail(entry, "there is no compute unit '" + name + "'", "units: " + system_.unit_names());
        }
      }
      if (parts.size() != 2) {
        fail(entry, "not <value>:<unit>,<unit>...", "write freqHz=300000000:mm2s_1");
      }
    }
  }

  /// v++ leaves no stream open: every port of every unit and every PLIO is connected.
  void check_complete() const {
    for (const auto& cu : system_.units_) {
      for (const PlArgument& argument : cu->arguments) {
        for (std::size_t i = 0; i < argument.streams.size(); ++i) {
          if (!argument.streams[i]->linked()) {
            const std::string port = argument.count == 1 ? argument.name : argument.name + "_" + std::to_string(i);
            refuse("system-cfg", "the stream port '" + cu->name + "." + port + "' is not connected",
                   "write a stream_connect for it in system.cfg");
          }
        }
      }
    }
    for (const auto& [name, plio] : Runtime::instance().plios()) {
      if (!connected_.contains(std::string(kArray) + "." + name)) {
        refuse("system-cfg", "PLIO '" + name + "' is not connected", "write a stream_connect for it in system.cfg");
      }
    }
  }

  System& system_;
  std::string file_;
  std::vector<Entry> kernels_, streams_, others_;
  std::set<std::string> connected_;
  std::vector<std::string> banks_;
};

const std::vector<PlKernel>& pl_kernels() {
  static const std::vector<PlKernel> all(kernels().begin(), kernels().end());
  return all;
}

System& System::instance() {
  static System only;
  return only;
}

std::string System::load(const std::string& file) {
  if (uuid_.empty()) {
    Linker(*this, file).link();
    for (const auto& unit : units_) {
      if (unit->kernel.free_running) {
        unit->run_for_ever();
      }
    }
  }
  return uuid_;
}

ComputeUnit* System::find(const std::string& name) const {
  const auto brace = name.find(":{");
  const std::string wanted = brace == std::string::npos ? name : name.substr(brace + 2, name.size() - brace - 3);
  for (const auto& unit : units_) {
    if (unit->name == wanted || (brace == std::string::npos && unit->kernel.name == wanted)) {
      return unit.get();
    }
  }
  return nullptr;
}

std::string System::unit_names() const {
  std::string names;
  for (const auto& unit : units_) {
    names += (names.empty() ? "" : ", ") + unit->name;
  }
  return names.empty() ? "none" : names;
}

ComputeUnit::ComputeUnit(std::string unit_name, const PlKernel& k)
    : name(std::move(unit_name)), kernel(k), arguments(k.make_arguments()), groups(arguments.size(), 0) {}

void ComputeUnit::start() {
  while (busy_) {
    block(*this, "for the unit to be free");
  }
  for (const PlArgument& argument : arguments) {
    if (argument.kind != PlArgument::Kind::kStream && !argument.is_set) {
      refuse("pl-argument", "compute unit " + name + " is started without its argument '" + argument.name + "'",
             "set every argument that is not a stream, by its position in the kernel's signature");
    }
  }
  busy_ = true;
  spawn(name, Role::kWorker, [this] {
    kernel.call(arguments);
    busy_ = false;
    wake(*this);
  });
}

void ComputeUnit::run_for_ever() {
  spawn(name, Role::kServer, [this] {
    const std::size_t tasks = tasks_started();
    bool again = true;
    while (again) {
      kernel.call(arguments);
      yield();
      again = tasks == tasks_started() && std::ranges::any_of(arguments, [](const PlArgument& a) { return !a.streams.empty(); });
    }
  });
}

std::string ComputeUnit::describe() const { return "compute unit " + name + (busy_ ? " is running" : " is idle"); }

}  // namespace aieloom
