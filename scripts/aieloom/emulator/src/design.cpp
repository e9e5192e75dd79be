// The design's nodes as they are made, and their names.
#include <cstdio>

#include "aieloom/design.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>

#include "adf/kernel.h"
#include "aieloom/report.h"

namespace aieloom {

Design& design() {
  static Design only;
  return only;
}

namespace {

std::string numbered(const std::string& function) {
  static FlatMap<std::string, int> numbers;
  return function + "[" + std::to_string(numbers[function]++) + "]";
}

/// What the wire calls it is unique among all I/O of the design.
void check_io_name(const std::string& name) {
  const auto taken = [&](const auto& list) {
    for (const auto& other : list) {
      if (other.name == name) {
        return true;
      }
    }
    return false;
  };
  if (taken(design().plios) || taken(design().gmios)) {
    refuse("plio-name", "two PLIOs or GMIOs are called '" + name + "'", "logical names are unique in a design");
  }
  if (name.empty()) {
    refuse("plio-name", "a PLIO or GMIO has an empty name", "give it the name that system.cfg uses");
  }
}

}  // namespace

Kernel& add_kernel(std::string function) {
  Kernel& kernel = design().kernels.emplace_back();
  kernel.graph = design().graphs.size();
  rename_kernel(kernel, std::move(function));
  return kernel;
}

void rename_kernel(Kernel& kernel, std::string function) {
  kernel.name = numbered(function);
  kernel.function = std::move(function);
}

void add_argument(Kernel& kernel, const Argument& argument) {
  Port& port = kernel.ports.emplace_back();
  port.kernel = &kernel;
  port.argument = argument;
  port.direction = argument.direction;
  port.graph = kernel.graph;
  auto& list = argument.direction == Direction::kIn    ? kernel.in
               : argument.direction == Direction::kOut ? kernel.out
                                                       : kernel.inout;
  port.number = static_cast<int>(list.size());
  list.push_back(&port);
  kernel.arguments.push_back(&port);
}

Port& add_bypass(Kernel& kernel) {
  if (kernel.bypass == nullptr) {
    for (const Port* port : kernel.arguments) {
      if (port->argument.kind != PortKind::kBuffer && port->argument.kind != PortKind::kValue) {
        refuse("bypass", kernel.name + " has streams or cascades: how many words would pass it is written nowhere",
               "wrap kernels whose inputs and outputs are buffers");
      }
    }
    if (kernel.in.empty() || kernel.out.empty()) {
      refuse("bypass", kernel.name + " has no input and output that could be joined", "wrap kernels with buffers on both sides");
    }
    Port& port = kernel.ports.emplace_back();
    port.kernel = &kernel;
    port.direction = Direction::kIn;
    port.argument.kind = PortKind::kValue;
    port.argument.extent = 1;
    port.graph = kernel.graph;
    kernel.arguments.push_back(&port);
    kernel.bypass = &port;
  }
  return *kernel.bypass;
}

Port& port_at(const Kernel& kernel, const std::vector<Port*>& list, const char* which, std::size_t number) {
  if (number >= list.size()) {
    refuse("port-number",
           kernel.name + " has no " + which + "[" + std::to_string(number) + "]: its function has " +
               std::to_string(list.size()) + " such parameter" + (list.size() == 1 ? "" : "s"),
           "ports are numbered in the order of the function's parameters, inputs and outputs apart");
  }
  return *list[number];
}

Port& port_at(Sequence<Port>& list, const std::string& owner, const char* which, std::size_t number) {
  if (number >= list.size()) {
    refuse("port-number",
           owner + " has no " + which + "[" + std::to_string(number) + "]: it was created with " + std::to_string(list.size()) +
               " such port" + (list.size() == 1 ? "" : "s"),
           "count its ports in create()");
  }
  return list[number];
}

std::string name_of(const Port& port) {
  if (port.plio != nullptr) {
    return "PLIO '" + port.plio->name + "'";
  }
  if (port.gmio != nullptr) {
    return "GMIO '" + port.gmio->name + "'";
  }
  const char* which = port.direction == Direction::kIn ? ".in[" : port.direction == Direction::kOut ? ".out[" : ".inout[";
  const std::string end = which + std::to_string(port.number) + "]";
  if (port.kernel != nullptr) {
    return port.kernel->bypass == &port ? port.kernel->name + ".bp" : port.kernel->name + end;
  }
  if (port.shared != nullptr) {
    return port.shared->name + end;
  }
  if (port.packet != nullptr) {
    return port.packet->name + end;
  }
  return "a graph's " + std::string(port.direction == Direction::kIn    ? "input"
                                    : port.direction == Direction::kOut ? "output"
                                                                        : "inout") +
         " port number " + std::to_string(port.number);
}

std::string unnamed_plio(const std::string& file) {
  static FlatMap<std::string, int> numbers;
  const int number = numbers[file]++;
  return number == 0 ? file : file + "#" + std::to_string(number);
}

std::string unnamed_gmio() { return "gmio" + std::to_string(design().gmios.size()); }

Plio& add_plio(std::string name, std::size_t bits, std::string file, double mhz, bool is_input) {
  check_io_name(name);
  if (bits != 32 && bits != 64 && bits != 128) {
    refuse("plio-width", "PLIO '" + name + "' has " + std::to_string(bits) + " bits", "use plio_32_bits, plio_64_bits or plio_128_bits");
  }
  if (mhz < 0) {
    refuse("plio-clock", "PLIO '" + name + "' has a clock of " + std::to_string(mhz) + " MHz", "give the PL's clock in MHz, or none");
  }
  // Beyond the documented maximum [UG1076, --pl-freq] AMD's tools go on: published projects give the number of bytes here by mistake.
  if (mhz > design().part.interface_mhz) {
    char text[200];
    std::snprintf(text, sizeof text, "PLIO '%s' has a clock of %g MHz: the array takes %g at most, half of its own, and the run goes on with that", name.c_str(),
                  mhz, design().part.interface_mhz);
    warn("plio-clock", text);
    mhz = design().part.interface_mhz;
  }
  Plio& plio = design().plios.emplace_back();
  plio.name = std::move(name);
  plio.file = std::move(file);
  plio.bits = bits;
  plio.mhz = mhz;
  plio.is_input = is_input;
  plio.port.plio = &plio;
  plio.port.direction = is_input ? Direction::kOut : Direction::kIn;  // seen from the graph
  return plio;
}

Gmio& add_gmio(std::string name, std::size_t burst, double bandwidth, bool is_input) {
  check_io_name(name);
  if (burst != 64 && burst != 128 && burst != 256) {
    refuse("gmio-burst", "GMIO '" + name + "' has bursts of " + std::to_string(burst) + " B", "use 64, 128 or 256");
  }
  Gmio& gmio = design().gmios.emplace_back();
  gmio.name = std::move(name);
  gmio.burst = burst;
  gmio.bandwidth = bandwidth;
  gmio.is_input = is_input;
  gmio.port.gmio = &gmio;
  gmio.port.direction = is_input ? Direction::kOut : Direction::kIn;
  return gmio;
}

SharedBuffer& add_shared_buffer(const ElementType& element, std::vector<std::size_t> dimensions, std::size_t inputs,
                                std::size_t outputs, bool external) {
  SharedBuffer& made = design().shared_buffers.emplace_back();
  made.name = numbered(external ? "external_buffer" : "shared_buffer");
  made.external = external;
  made.element = element;
  made.dimensions = std::move(dimensions);
  made.graph = design().graphs.size();
  const auto add = [&](Sequence<Port>& list, std::size_t count, Direction direction) {
    for (std::size_t i = 0; i < count; ++i) {
      Port& port = list.emplace_back();
      port.shared = &made;
      port.direction = direction;
      port.number = static_cast<int>(i);
      port.argument.element = element;
      port.graph = made.graph;
    }
  };
  add(made.in, inputs, Direction::kIn);
  add(made.out, outputs, Direction::kOut);
  return made;
}

PacketSwitch& add_switch(PacketSwitch::Kind kind, std::size_t ways) {
  PacketSwitch& made = design().switches.emplace_back();
  const bool is_split = kind == PacketSwitch::Kind::kSplit;
  made.kind = kind;
  made.name = numbered(is_split ? "pktsplit" : kind == PacketSwitch::Kind::kMerge ? "pktmerge" : "pktorderedmerge");
  const auto add = [&](Sequence<Port>& list, std::size_t count, Direction direction) {
    for (std::size_t i = 0; i < count; ++i) {
      Port& port = list.emplace_back();
      port.packet = &made;
      port.direction = direction;
      port.number = static_cast<int>(i);
    }
  };
  add(made.in, is_split ? 1 : ways, Direction::kIn);
  add(made.out, is_split ? ways : 1, Direction::kOut);
  return made;
}

Port& add_graph_port(Direction direction, const void* handle) {
  Port& port = design().graph_ports.emplace_back();
  port.direction = direction;
  port.handle = handle;
  port.graph = design().graphs.size();
  port.number = static_cast<int>(design().graph_ports.size()) - 1;
  return port;
}

Parameter& add_array(const void* address, std::size_t bytes) {
  Parameter& made = design().arrays.emplace_back();
  made.name = function_name(address);
  made.bytes = bytes;
  return made;
}

void add_graph(const void* address) {
  Graph made;
  made.address = address;
  design().graphs.push_back(made);
}

std::string linker_name(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_sname == nullptr || info.dli_saddr != address) {
    return {};
  }
  return info.dli_sname;
}

std::string function_name(const void* address) {
  const std::string linked = linker_name(address);
  if (linked.empty()) {
    return "a kernel function";
  }
  int status = 0;
  char* plain = abi::__cxa_demangle(linked.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? plain : linked;
  std::free(plain);
  // "void ns::f<int, 16u>(adf::...)" without result and parameters: a bracket outside <> begins the latter.
  std::size_t end = 0, begin = 0;
  for (int depth = 0; end < name.size() && (depth > 0 || name[end] != '('); ++end) {
    depth += name[end] == '<' ? 1 : name[end] == '>' ? -1 : 0;
    begin = depth == 0 && name[end] == ' ' ? end + 1 : begin;
  }
  return name.substr(begin, end - begin);
}

}  // namespace aieloom

namespace adf::detail {

aieloom::Kernel*& registering() {
  static aieloom::Kernel* kernel = nullptr;
  return kernel;
}

}  // namespace adf::detail
