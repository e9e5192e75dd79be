#include "aieloom/design.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>

#include "adf/graph.h"
#include "aieloom/report.h"

namespace aieloom {

Design& design() {
  static Design only;
  return only;
}

Kernel& add_kernel(std::string function) {
  static std::map<std::string, int> numbers;
  Kernel& kernel = design().kernels.emplace_back();
  kernel.name = function + "[" + std::to_string(numbers[function]++) + "]";
  kernel.function = std::move(function);
  return kernel;
}

void add_argument(Kernel& kernel, const Argument& argument) {
  Port& port = kernel.ports.emplace_back();
  port.kernel = &kernel;
  port.argument = argument;
  port.direction = argument.direction;
  auto& list = argument.direction == Direction::kIn    ? kernel.in
               : argument.direction == Direction::kOut ? kernel.out
                                                       : kernel.inout;
  port.number = static_cast<int>(list.size());
  list.push_back(&port);
  kernel.arguments.push_back(&port);
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

std::string name_of(const Port& port) {
  if (port.plio != nullptr) {
    return "PLIO '" + port.plio->name + "'";
  }
  if (port.kernel != nullptr) {
    const char* which = port.direction == Direction::kIn    ? ".in["
                        : port.direction == Direction::kOut ? ".out["
                                                            : ".inout[";
    return port.kernel->name + which + std::to_string(port.number) + "]";
  }
  return "a port of a graph";
}

Plio& add_plio(std::string name, std::size_t bits, std::string file, double mhz, bool is_input) {
  for (const Plio& other : design().plios) {
    if (other.name == name) {
      refuse("plio-name", "two PLIOs are called '" + name + "'", "logical names are unique in a design");
    }
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

std::string function_name(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_sname == nullptr) {
    return "a kernel function";
  }
  int status = 0;
  char* plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string name = status == 0 ? plain : info.dli_sname;
  std::free(plain);
  return name.substr(0, name.find('('));
}

}  // namespace aieloom

namespace adf::detail {

aieloom::Port& new_graph_port(aieloom::Direction direction) {
  aieloom::Port& port = aieloom::design().graph_ports.emplace_back();
  port.direction = direction;
  return port;
}

}  // namespace adf::detail
