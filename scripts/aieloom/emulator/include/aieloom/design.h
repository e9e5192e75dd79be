// The graph as plain data: what adf.h's templates write down and the elaboration reads.
//
// User code builds nodes while its graph objects are constructed; nothing is checked or run before init(), so
// the order of statements in a constructor does not matter.
#ifndef AIELOOM_DESIGN_H
#define AIELOOM_DESIGN_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace aieloom {

struct Kernel;
struct Plio;
struct CoreArgument;

enum class Direction { kIn, kOut, kInOut };

/// What a parameter of a kernel function is.
enum class PortKind { kBuffer, kStream, kValue, kTable };

/// Element types as PLIO text files write them.
struct ElementType {
  std::string name = "int32";
  std::size_t bytes = 4;  // of one number; complex types have two
  std::size_t numbers = 1;
  bool is_float = false;
  bool is_signed = true;
};

/// A parameter of a kernel function, from its C++ type.
struct Argument {
  PortKind kind = PortKind::kBuffer;
  Direction direction = Direction::kIn;
  ElementType element;
  std::size_t extent = 0;  // elements, 0 when the signature leaves it open
  std::size_t margin = 0;  // elements
  bool async = false;      // the kernel acquires and releases the buffer itself
};

/// A constraint on where something lies.
struct Location {
  enum class Kind { kNone, kTile, kBank, kAddress, kOffset, kShim };
  Kind kind = Kind::kNone;
  int col = 0;
  int row = 0;
  std::int64_t value = 0;  // bank id, byte address or offset, shim channel (-1: any)
};

/// One end of connections: a kernel's, a PLIO's, or a graph's own port that passes data through.
struct Port {
  Kernel* kernel = nullptr;
  Plio* plio = nullptr;
  Direction direction = Direction::kIn;
  int number = 0;  // in[number], out[number] or inout[number] of its kernel
  Argument argument;
  std::vector<std::size_t> dimensions;
  bool single_buffer = false;
  bool async = false;
  std::vector<Location> locations;
};

struct Connection {
  Port* from = nullptr;
  Port* to = nullptr;
  std::size_t fifo_depth = 0;  // 32-bit words, 0 when not given
};

/// Data of a kernel class that is initialised by the graph: a REGISTER_PARAMETER member.
struct Parameter {
  std::string name;
  std::size_t bytes = 0;
  Location location;
};

struct Kernel {
  std::string function;  // as the source spells it
  std::string name;      // function and number, for messages
  std::vector<Port*> arguments;  // in the order of the function's parameters
  std::deque<Port> ports;
  std::vector<Port*> in, out, inout;
  std::deque<Parameter> parameters;
  std::string source;
  std::vector<std::string> headers;
  double runtime_ratio = 0;
  std::size_t stack_bytes = 1024;
  std::size_t heap_bytes = 1024;
  std::size_t repetition_count = 1;
  std::string initialization_function;
  Location tile;
  Location stack;
  const void* handle = nullptr;  // the adf::kernel object that user code keeps

  std::function<std::shared_ptr<void>()> construct;  // the kernel class's object; empty for functions
  std::function<void(void* object, CoreArgument* arguments)> invoke;
};

struct Plio {
  std::string name;
  std::string file;
  std::size_t bits = 32;
  double mhz = 0;
  bool is_input = true;
  Port port;
  Location shim;
};

struct Graph {
  const void* address = nullptr;
};

/// Everything that the program's graphs have declared.
struct Design {
  std::deque<Kernel> kernels;
  std::deque<Plio> plios;
  std::deque<Port> graph_ports;
  std::deque<Connection> connections;
  std::deque<Graph> graphs;
};

Design& design();

/// Add a kernel whose function is called `function`; numbers kernels of one function.
Kernel& add_kernel(std::string function);

/// Give a kernel a port for its next function parameter.
void add_argument(Kernel& kernel, const Argument& argument);

/// Return port `number` of a kernel's list, or refuse: the function has no such parameter.
Port& port_at(const Kernel& kernel, const std::vector<Port*>& list, const char* which, std::size_t number);

/// Name of a port for messages: `Conv1Kernel::run[3].in[0]`, `PLIO 'x'`.
std::string name_of(const Port& port);

Plio& add_plio(std::string name, std::size_t bits, std::string file, double mhz, bool is_input);

/// The source name of a function from its address.
std::string function_name(const void* address);

}  // namespace aieloom

#endif  // AIELOOM_DESIGN_H
