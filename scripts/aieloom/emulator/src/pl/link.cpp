// Linking by the same system.cfg that v++ reads: compute units, streams, memory banks [UG1702 connectivity, clock].
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "aieloom/report.h"
#include "board.h"
#include "config.h"
#include "runtime.h"
#include "system.h"
#include "xclbin.h"

namespace aieloom {

namespace {

constexpr std::string_view kMagic = "aieloom-emulated-xclbin 2\n";  // what follows axlf's header; then comes system.cfg
constexpr const char* kArray = "ai_engine_0";
constexpr std::size_t kStreamBytes = std::size_t{64} << 10;

std::deque<PlKernel>& kernels() {
  static std::deque<PlKernel> all;
  return all;
}

/// The name of one stream of an argument: those of an array are <argument>_<number>.
std::string port_name(const PlArgument& argument, std::size_t i) {
  return argument.streams.size() == 1 && !argument.is_array ? argument.name : argument.name + "_" + std::to_string(i);
}

std::string kernel_names() {
  std::string names;
  for (auto kernel = kernels().begin(); kernel != kernels().end(); ++kernel) {
    if (std::ranges::find(kernels().begin(), kernel, kernel->name, &PlKernel::name) == kernel) {  // once for all units
      names += (names.empty() ? "" : ", ") + kernel->name;
    }
  }
  return names.empty() ? "none" : names;
}

}  // namespace

void register_pl_kernel(PlKernel kernel) { kernels().push_back(std::move(kernel)); }

/// Reads one configuration file and makes what it says.
class Linker {
 public:
  Linker(System& system, const std::string& image) : system_(system), image_(image) {}

  void link() {
    system_.uuid_ = xclbin_identity(image_);
    std::istringstream in(image_.substr(sizeof(axlf) + kMagic.size()));
    const auto entries = read_config(in);
    Runtime::instance().elaborate(Outside::kProgrammableLogic);
    for (const ConfigEntry& entry : entries) {
      if (entry.section == "connectivity" && entry.key == "nk") {
        units(entry);
      }
    }
    default_units(entries);
    for (const ConfigEntry& entry : entries) {
      default_clock(entry);
    }
    for (const ConfigEntry& entry : entries) {
      check_board(entry);
      apply(entry);
    }
    if (!banks_.empty()) {
      system_.bank_names_ = banks_;
    }
    check_complete();
  }

 private:
  void units(const ConfigEntry& entry) {
    const auto parts = split(entry.value, ':');
    const int count = number_in(entry, parts[1], 1, "number of compute units");
    const std::string given = parts.size() == 3 ? parts[2] : "";
    const auto names = split(given, given.find(',') == std::string::npos ? '.' : ',');  // dots in manuals up to 2021
    if (!names.empty() && names.size() != static_cast<std::size_t>(count)) {
      refuse_entry("link-count", entry, std::to_string(names.size()) + " names for " + std::to_string(count) + " units",
                   "give one name a unit, with commas");
    }
    const auto kernel = std::ranges::find(pl_kernels(), parts[0], &PlKernel::name);
    if (kernel == pl_kernels().end()) {
      refuse_entry("link-kernel", entry, "no PL source has a kernel '" + parts[0] + "'; there are: " + kernel_names(),
                   "give its .cpp file, or correct the name");
    }
    if (!named_.insert(parts[0]).second) {
      refuse_entry("link-kernel", entry, "kernel '" + parts[0] + "' has an nk= already", "write one nk= with all units of a kernel");
    }
    for (int i = 0; i < count; ++i) {
      const std::string name = names.empty() ? parts[0] + "_" + std::to_string(i + 1) : names[static_cast<std::size_t>(i)];
      if (unit(name) != nullptr || name == kArray) {
        refuse_entry("link-name", entry, "'" + name + "' is taken", "every compute unit has a name of its own");
      }
      system_.units_.push_back(std::make_unique<ComputeUnit>(name, object_of(*kernel, i)));
    }
  }

  /// The kernel as object `number` of those that were linked from its source has it: each unit has static variables of its own.
  static const PlKernel& object_of(const PlKernel& first, int number) {
    for (const PlKernel& kernel : pl_kernels()) {
      if (kernel.name == first.name && number-- == 0) {
        return kernel;
      }
    }
    return first;
  }

  /// A kernel without nk= gets one unit, <kernel>_1 [UG1702 nk]. A function that only may be a kernel gets it when used.
  void default_units(const std::vector<ConfigEntry>& entries) {
    for (const PlKernel& kernel : pl_kernels()) {
      const std::string name = kernel.name + "_1";
      const bool used = std::ranges::any_of(entries, [&](const ConfigEntry& e) {
        return e.value.starts_with(name + ".") || e.value.find(":" + name + ".") != std::string::npos;
      });
      if (!named_.contains(kernel.name) && (kernel.is_certain || used) && unit(name) == nullptr) {
        system_.units_.push_back(std::make_unique<ComputeUnit>(name, kernel));
      }
    }
  }

  [[nodiscard]] ComputeUnit* unit(const std::string& name) const {
    const auto found = std::ranges::find_if(system_.units_, [&](const auto& u) { return u->name == name; });
    return found == system_.units_.end() ? nullptr : found->get();
  }

  /// A compute unit, or a refusal.
  ComputeUnit& need_unit(const ConfigEntry& entry, const std::string& name) const {
    ComputeUnit* found = unit(name);
    if (found == nullptr) {
      refuse_entry("link-unit", entry, "there is no compute unit '" + name + "'", "units: " + system_.unit_names());
    }
    return *found;
  }

  /// Resolve `<unit>.<port>` or `ai_engine_0.<plio>`.
  LinkEnd resolve(const ConfigEntry& entry, const std::string& text) {
    const auto dot = text.find('.');
    const std::string owner = text.substr(0, dot);
    const std::string port = text.substr(dot + 1);
    LinkEnd end;
    end.text = text;
    if (owner == kArray) {
      end.plio = Runtime::instance().find_plio(port);
      if (end.plio == nullptr) {
        refuse_entry("link-plio", entry, "the graph has no PLIO '" + port + "'; it has: " + plio_names(),
                     "use the logical name given to input_plio::create or output_plio::create");
      }
      end.bits = static_cast<std::size_t>(end.plio->plio->bits);
      return end;
    }
    ComputeUnit& cu = need_unit(entry, owner);
    std::string names;
    for (PlArgument& argument : cu.arguments) {
      for (std::size_t i = 0; i < argument.streams.size(); ++i) {
        const std::string name = port_name(argument, i);
        names += (names.empty() ? "" : ", ") + name;
        if (name == port) {
          end.port = argument.streams[i];
          end.bits = argument.bits;
          end.port->set_name(text);
          return end;
        }
      }
    }
    refuse_entry("link-port", entry, "kernel '" + cu.kernel.name + "' has no stream port '" + port + "'",
                 "its ports: " + (names.empty() ? "none" : names));
  }

  [[nodiscard]] static std::string plio_names() {
    std::string names;
    for (const PlioStream& open : Runtime::instance().plios()) {
      names += (names.empty() ? "" : ", ") + open.plio->name;
    }
    return names.empty() ? "none" : names;
  }

  void stream_connect(const ConfigEntry& entry) {
    const auto parts = split(entry.value, ':');
    const int depth = parts.size() == 3 ? number_in(entry, parts[2], 1, "depth of a FIFO") : 0;
    const LinkEnd from = resolve(entry, parts[0]);
    const LinkEnd to = resolve(entry, parts[1]);
    check_ends(entry, from, to);
    for (const LinkEnd* end : {&from, &to}) {
      if (!connected_.insert(end->text).second) {
        refuse_entry("link-twice", entry, "'" + end->text + "' is connected twice", "a stream has two ends");
      }
    }
    join(from, to, static_cast<std::size_t>(depth));
  }

  // Widths need not agree: v++ puts a data width converter between the ends [UG1701 Linker].
  void check_ends(const ConfigEntry& entry, const LinkEnd& from, const LinkEnd& to) const {
    if (from.plio != nullptr && to.plio != nullptr) {
      refuse_entry("link-array", entry, "both ends are in the array", "connect kernels inside the array in the graph");
    }
    if (from.plio != nullptr && from.plio->plio->is_input) {
      refuse_entry("link-direction", entry, "'" + from.text + "' is an input of the array, not a source", "swap the two ends");
    }
    if (to.plio != nullptr && !to.plio->plio->is_input) {
      refuse_entry("link-direction", entry, "'" + to.text + "' is an output of the array, not a target", "swap the two ends");
    }
    if (from.plio == nullptr && to.plio == nullptr && from.text.substr(0, from.text.find('.')) == to.text.substr(0, to.text.find('.'))) {
      refuse_entry("link-self", entry, "a compute unit drives itself", "connect different units, or join the two ports inside the kernel");
    }
  }

  void join(const LinkEnd& from, const LinkEnd& to, std::size_t depth) {
    if (to.plio != nullptr) {
      to.plio->stream->set_writer(from.text);
      from.port->link_output(*to.plio->stream);
      system_.ways_.push_back({to.plio->stream, to.plio->reader, from.text, to.text});
    } else if (from.plio != nullptr) {
      to.port->link_input(*from.plio->stream, from.plio->reader);
      system_.ways_.push_back({from.plio->stream, from.plio->reader, from.text, to.text});
    } else {
      system_.streams_.push_back(std::make_unique<ByteStream>("stream " + from.text + " to " + to.text, kStreamBytes));
      ByteStream& stream = *system_.streams_.back();
      stream.set_writer(from.text);
      from.port->link_output(stream);
      to.port->link_input(stream, stream.add_reader(to.text));
      system_.ways_.push_back({&stream, 0, from.text, to.text});
      if (is_timed()) {
        keep_time(from, stream, depth);
      }
    }
  }

  /// A stream between two kernels carries a word of its width a cycle, and has two on its way and those of its FIFO.
  void keep_time(const LinkEnd& from, ByteStream& stream, std::size_t depth) {
    const double cycle = kArrayMhz / unit(from.text.substr(0, from.text.find('.')))->mhz;
    const auto bits = static_cast<double>(from.bits);
    stream.keep_time(std::max<std::size_t>((2 + depth) * from.bits / 8, 16), cycle * std::min(1.0, 32 / bits), cycle, Stall::kStream);
  }

  void memory(const ConfigEntry& entry) {
    const auto colon = entry.value.find(':');
    const auto dot = entry.value.find('.');
    ComputeUnit& cu = need_unit(entry, entry.value.substr(0, dot));
    std::string argument = entry.value.substr(dot + 1, colon - dot - 1);
    const std::string tag = entry.value.substr(colon + 1);
    if (argument.starts_with("m_axi_")) {
      return;  // the name of a bundle's port: which arguments share it, the pragmas say
    }
    const auto found = std::ranges::find(cu.arguments, argument, &PlArgument::name);
    if (found == cu.arguments.end() || found->kind != PlArgument::Kind::kMemory) {
      refuse_entry("link-memory", entry, "kernel '" + cu.kernel.name + "' has no memory argument '" + argument + "'",
                   "use the pointer argument's name");
    }
    const auto bank = std::ranges::find(banks_, tag) - banks_.begin();
    if (bank == static_cast<std::ptrdiff_t>(banks_.size())) {
      banks_.push_back(tag);
    }
    cu.groups[static_cast<std::size_t>(found - cu.arguments.begin())] = static_cast<int>(bank);
  }

  /// MHz of what begins with whole Hz, or with MHz and their unit [UG1700 clock].
  static double mhz_of(const std::string& value) {
    const std::string number = value.substr(0, value.find(':'));
    return number.ends_with("MHz") ? std::stod(number) : std::stod(number) / 1e6;
  }

  /// The clock of all units that have none of their own.
  void default_clock(const ConfigEntry& entry) {
    const bool named = (entry.section == "clock" && entry.key == "defaultFreqHz") || (entry.section.empty() && entry.key == "freqhz");
    const bool of_all = named && entry.value.find(':') == std::string::npos && !entry.value.empty() &&
                        entry.value.find_first_not_of("0123456789.MHz") == std::string::npos;
    for (const auto& cu : system_.units_) {
      cu->mhz = of_all ? mhz_of(entry.value) : entry.section.empty() && entry.key == "kernel_frequency" ? std::stod(entry.value) : cu->mhz;
    }
  }

  void apply(const ConfigEntry& entry) {
    if (entry.section == "connectivity") {
      if (entry.key == "sc" || entry.key == "stream_connect") {
        stream_connect(entry);
      } else if (entry.key == "sp") {
        memory(entry);
      } else if (entry.key == "slr") {
        need_unit(entry, split(entry.value, ':')[0]);
      } else if (entry.key == "region") {
        need_unit(entry, split(entry.value, ':')[1]);
      }
    } else if (entry.section == "clock" && entry.value.find(':') != std::string::npos) {
      for (const std::string& name : split(entry.value.substr(entry.value.find(':') + 1), ',')) {
        ComputeUnit& cu = need_unit(entry, name.substr(0, name.find('.')));
        cu.mhz = entry.key == "freqHz" ? mhz_of(entry.value) : cu.mhz;
      }
    } else if (entry.section == "profile" && (entry.key == "data" || entry.key == "stall" || entry.key == "exec")) {
      const std::string name = split(entry.value, ':')[1];
      if (name != "all") {
        need_unit(entry, name);
      }
    }
  }

  /// v++ leaves no stream open: every port of every unit and every PLIO is connected.
  void check_complete() const {
    for (const auto& cu : system_.units_) {
      for (const PlArgument& argument : cu->arguments) {
        for (std::size_t i = 0; i < argument.streams.size(); ++i) {
          if (!argument.streams[i]->linked()) {
            refuse("link-open", "the stream port '" + cu->name + "." + port_name(argument, i) + "' is not connected",
                   "write a stream_connect for it in system.cfg");
          }
        }
      }
    }
    for (const PlioStream& open : Runtime::instance().plios()) {
      const std::string& name = open.plio->name;
      if (!connected_.contains(std::string(kArray) + "." + name)) {
        refuse("link-open", "PLIO '" + name + "' is not connected", "write a stream_connect for it in system.cfg");
      }
    }
  }

  System& system_;
  const std::string& image_;
  std::set<std::string> named_;  // kernels with nk=
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

std::string read_xclbin(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw std::system_error(ENOENT, std::generic_category(), "cannot read the xclbin '" + file + "'");
  }
  const std::string image{std::istreambuf_iterator<char>(in), {}};
  if (image.compare(0, 8, std::string_view("xclbin2\0", 8)) != 0 || image.compare(std::min(image.size(), sizeof(axlf)), kMagic.size(), kMagic) != 0) {
    throw std::system_error(EINVAL, std::generic_category(), "'" + file + "' is not an xclbin that the emulator made");
  }
  return image;
}

std::string xclbin_identity(const std::string& image) {
  if (image.size() < sizeof(axlf) || image.compare(sizeof(axlf), kMagic.size(), kMagic) != 0) {
    throw std::system_error(EINVAL, std::generic_category(), "these bytes are not an xclbin that the emulator made");
  }
  std::string digits;
  for (std::size_t i = 0; i < sizeof axlf_header::uuid; ++i) {
    const auto byte = static_cast<unsigned char>(image[offsetof(axlf, m_header) + offsetof(axlf_header, uuid) + i]);
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

std::string System::load(const std::string& image) {
  const std::string identity = xclbin_identity(image);
  if (!uuid_.empty() && identity != uuid_) {
    throw std::system_error(EBUSY, std::generic_category(), "the device already holds another design than " + identity);
  }
  if (uuid_.empty()) {
    Linker(*this, image).link();
    watch_kernels();
    std::atexit(report_left);
    for (const auto& unit : units_) {
      if (unit->kernel.free_running) {
        unit->run_for_ever();
      }
    }
  }
  return uuid_;
}

std::vector<ComputeUnit*> System::find(const std::string& name) const {
  const auto brace = name.find(":{");
  const std::string wanted = name.substr(0, brace);
  const std::string inside = brace == std::string::npos ? "" : name.substr(brace + 2, name.find('}', brace) - brace - 2);
  const auto chosen = split(inside, ',');
  std::vector<ComputeUnit*> found;
  for (const auto& unit : units_) {
    if (unit->kernel.name == wanted && (chosen.empty() || std::ranges::find(chosen, unit->name) != chosen.end())) {
      found.push_back(unit.get());
    }
  }
  return chosen.empty() || found.size() == chosen.size() ? found : std::vector<ComputeUnit*>{};
}

std::string System::unit_names() const {
  std::string names;
  for (const auto& unit : units_) {
    names += (names.empty() ? "" : ", ") + unit->name;
  }
  return names.empty() ? "none" : names;
}

}  // namespace aieloom
