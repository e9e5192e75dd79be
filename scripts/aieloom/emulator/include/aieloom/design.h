// The graph as plain data: what adf.h's templates write down and the elaboration reads.
//
// User code builds nodes while its graph objects are constructed; nothing is checked or run before init(), so
// the order of statements in a constructor does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aieloom/direction.h"
#include "aieloom/sequence.h"
#include "aieloom/tile.h"

namespace aieloom {

struct Kernel;
struct Plio;
struct Gmio;
struct SharedBuffer;
struct PacketSwitch;
struct CoreArgument;

/// What a parameter of a kernel function is.
enum class PortKind { kBuffer, kStream, kPacket, kCascade, kValue };

/// Element types as PLIO text files write them.
struct ElementType {
  std::string name = "int32";
  std::size_t bytes = 4;  // of one number; complex types have two
  std::size_t numbers = 1;
  bool is_float = false;
  bool is_signed = true;

  [[nodiscard]] std::size_t size() const { return bytes * numbers; }
};

/// A parameter of a kernel function, from its C++ type.
struct Argument {
  PortKind kind = PortKind::kBuffer;
  Direction direction = Direction::kIn;
  ElementType element;
  std::size_t extent = 0;  // elements, 0 when the signature leaves it open; elements of an array parameter
  std::size_t margin = 0;  // elements
  bool async = false;      // the kernel acquires and releases the buffer itself
  bool window = false;     // of the API before buffers: connect<window<bytes>> says how large it is
  bool circular = false;
  std::string type;        // of a cascade: what travels on it
};

/// One loop of a tile traversal [UG1603 Tiling Parameters].
struct Traversal {
  std::size_t dimension = 0;
  std::int64_t stride = 0;  // elements
  std::size_t wrap = 1;     // steps
};

/// An access pattern over a buffer; sizes in elements, dimension 0 is contiguous.
/// What a buffer descriptor of the DMA says, in 32-bit words [AM020 DMA; UG1603].
struct Descriptor {
  std::size_t length = 0;  // words on the stream, padding included
  std::size_t offset = 0;
  std::vector<std::size_t> steps, wraps;                      // dimension 0 first; no wrap: until `length`
  std::vector<std::pair<std::size_t, std::size_t>> padding;  // zeros before and after, of each dimension
};

struct Tiling {
  std::vector<std::size_t> buffer, tile, boundary;
  std::vector<std::int64_t> offset;
  std::vector<Traversal> traversal;  // innermost first
  std::size_t repetition = 1;
  int packet_port = -1;
  unsigned phase = 0;
  bool described = false;  // by `words`, not by the members above
  Descriptor words;
};

/// One end of connections: a kernel's, a PLIO's, a buffer's, or a graph's own port that passes data through.
struct Port {
  Kernel* kernel = nullptr;
  Plio* plio = nullptr;
  Gmio* gmio = nullptr;
  SharedBuffer* shared = nullptr;
  PacketSwitch* packet = nullptr;
  Direction direction = Direction::kIn;
  int number = 0;  // in[number], out[number] or inout[number] of its owner
  Argument argument;
  std::vector<std::size_t> dimensions;
  std::size_t window_bytes = 0, window_margin_bytes = 0;  // from connect<window<...>>
  int buffers = 0;                                        // single_buffer(): 1, num_buffers(): n, 0: two
  std::size_t samples = 0;  // samples_per_iteration(): of no effect on function
  std::size_t async_repetition = 0;  // rounds of an asynchronous buffer in an iteration: the kernel acquires as it does
  bool async = false, sync = false;
  bool tiled = false;
  std::vector<Tiling> access;
  std::vector<Location> locations;
  std::size_t graph = 0;           // how many graphs there were when it was made
  const void* handle = nullptr;    // a graph port's object

  [[nodiscard]] bool belongs_to_graph() const {
    return kernel == nullptr && plio == nullptr && gmio == nullptr && shared == nullptr && packet == nullptr;
  }
};

/// What a connect<...> statement says that its two ends are.
enum class NetKind { kAny, kWindow, kStream, kCascade, kParameter, kPacket };

struct Connection {
  Port* from = nullptr;
  Port* to = nullptr;
  NetKind from_kind = NetKind::kAny, to_kind = NetKind::kAny;
  std::size_t from_bytes = 0, to_bytes = 0, margin_bytes = 0;  // of windows
  std::size_t fifo_depth = 0;                                  // 32-bit words, 0 when not given
  std::vector<Location> fifo;
};

/// Data that the graph places or initialises: a REGISTER_PARAMETER member, a parameter::array().
struct Parameter {
  std::string name;
  std::size_t bytes = 0;
  Location location;
};

struct Kernel {
  std::string function;  // as the source spells it
  std::string name;      // function and number, for messages
  std::vector<Port*> arguments;  // in the order of the function's parameters
  Sequence<Port> ports;
  std::vector<Port*> in, out, inout;
  Sequence<Parameter> parameters;
  std::vector<Parameter*> arrays;  // file-scope arrays connected to it
  Port* bypass = nullptr;          // the run-time parameter that sends its input past it, if it has one
  std::string source;
  std::vector<std::string> headers;
  double runtime_ratio = 0;
  std::size_t stack_bytes = 1024;
  std::size_t heap_bytes = 1024;
  std::size_t repetition_count = 0;  // 0: what the sizes of buffers ask for
  std::string initialization_function;
  Location tile;
  std::vector<Location> area;  // allowed tiles, as pairs of corners
  Location stack;
  const void* handle = nullptr;  // the adf::kernel object that user code keeps
  std::size_t graph = 0;         // how many graphs there were when it was made

  const void* code = nullptr;                       // the function; null for kernel classes
  void* recipe = nullptr;                           // of a kernel class: its constructor's arguments
  void* (*construct)(void* recipe) = nullptr;
  void (*invoke)(void* target, CoreArgument* arguments) = nullptr;  // target: object or function
};

struct Plio {
  std::string name;
  std::string file;
  std::size_t bits = 32;
  double mhz = 0;
  bool is_input = true;
  bool hex = false;  // an input's file has hexadecimal numbers
  Port port;
  Location shim;
};

/// A channel between DDR and the array that the host starts.
struct Gmio {
  std::string name;
  std::size_t burst = 64;
  double bandwidth = 0;
  bool is_input = true;
  Port port;
  Location shim;
};

/// A buffer in a memory tile or in DDR.
struct SharedBuffer {
  std::string name;
  bool external = false;
  ElementType element;
  std::vector<std::size_t> dimensions;
  Sequence<Port> in, out;
  std::size_t buffers = 1;
  std::size_t repetition_count = 0;  // 0: what the sizes ask for
  std::vector<Location> locations;
  std::byte* address = nullptr;  // of an external buffer, when the host has set it
  std::size_t graph = 0;

  [[nodiscard]] std::size_t elements() const {
    std::size_t all = 1;
    for (const std::size_t d : dimensions) {
      all *= d;
    }
    return all;
  }
};

/// A splitter or merger of packet streams.
struct PacketSwitch {
  enum class Kind { kSplit, kMerge, kOrderedMerge };
  std::string name;
  Kind kind = Kind::kSplit;
  Sequence<Port> in, out;
};

struct Graph {
  const void* address = nullptr;
  bool top = false;    // init() or run() was called on it
  bool ended = false;  // end() was called on it
};

/// A relation between two places.
struct Relation {
  enum class Kind { kOffset, kSame, kDifferent };
  Kind kind = Kind::kOffset;
  const Kernel* first = nullptr;
  const Kernel* second = nullptr;
  const Port* first_port = nullptr;
  const Port* second_port = nullptr;
  int col = 0, row = 0;
};

/// A rectangle of tiles, corners included.
struct Area {
  std::size_t graph = 0;          // number of graphs when it was made
  const void* address = nullptr;  // of the graph whose kernels lie in it, and its size
  std::size_t bytes = 0;
  int first_col = 0, first_row = 0, last_col = 0, last_row = 0;
};

/// Everything that the program's graphs have declared.
inline constexpr int kAie = 10;  // what __AIE_ARCH__ is for AIE; AIE-ML has 20

/// What of a device the places of kernels, buffers and streams depend on, and what system.cfg may name.
struct Part {
  const char* name;
  int columns, rows, memory_rows;
  int first_plio, last_plio;
  double interface_mhz;  // the fastest clock of a PLIO: half of the array's [UG1076]
  int slrs;              // super logic regions
  const char* memories;  // tags for sp= that the board's platform has, with blanks between; "" where no platform is known
  double fastest_mhz;    // of the platform's clocks
  int clocks;            // how many it has
};

// VC1902 [AM009] and VE2802 [public mlir-aie target model, UG1603]: what a graph is for that names no other.
inline constexpr Part kVc1902{"VC1902", 50, 8, 0, 6, 44, 625, 1, "", 0, 0}, kVe2802{"VE2802", 38, 8, 2, 5, 32, 625, 1, "", 0, 0};

struct Design {
  int architecture = kAie;  // as the graph's source was compiled for
  Part part = kVc1902;
  Sequence<Kernel> kernels;
  Sequence<Plio> plios;
  Sequence<Gmio> gmios;
  Sequence<SharedBuffer> shared_buffers;
  Sequence<PacketSwitch> switches;
  Sequence<Port> graph_ports;
  Sequence<Connection> connections;
  Sequence<Parameter> arrays;
  std::vector<Graph> graphs;
  std::vector<Relation> relations;
  std::vector<Area> areas;
};

Design& design();

/// Give a kernel the run-time parameter that sends its input past it; the one it has when it has one.
Port& add_bypass(Kernel& kernel);

/// Add a kernel whose function is called `function`; numbers kernels of one function.
Kernel& add_kernel(std::string function);

/// Name a kernel after the function that its class registers.
void rename_kernel(Kernel& kernel, std::string function);

/// Give a kernel a port for its next function parameter.
void add_argument(Kernel& kernel, const Argument& argument);

/// Return port `number` of a kernel's list, or refuse: the function has no such parameter.
Port& port_at(const Kernel& kernel, const std::vector<Port*>& list, const char* which, std::size_t number);

/// The same for a switch's or a shared buffer's ports.
Port& port_at(Sequence<Port>& list, const std::string& owner, const char* which, std::size_t number);

/// Name of a port for messages: `Conv1Kernel::run[3].in[0]`, `PLIO 'x'`.
std::string name_of(const Port& port);

/// A name for a PLIO that has none: its file's, numbered from the second port of that file on.
std::string unnamed_plio(const std::string& file);
/// A name for a GMIO that has none: by its number.
std::string unnamed_gmio();
Plio& add_plio(std::string name, std::size_t bits, std::string file, double mhz, bool is_input);
Gmio& add_gmio(std::string name, std::size_t burst, double bandwidth, bool is_input);
SharedBuffer& add_shared_buffer(const ElementType& element, std::vector<std::size_t> dimensions, std::size_t inputs,
                                std::size_t outputs, bool external);
PacketSwitch& add_switch(PacketSwitch::Kind kind, std::size_t ways);
Port& add_graph_port(Direction direction, const void* handle);
Parameter& add_array(const void* address, std::size_t bytes);
void add_graph(const void* address);

/// Start one round of an external buffer's port, and wait for all that were started (memory_tile.cpp).
void start_external(const Port& port);
void wait_external(const Port& port);

/// The source name of a function from its address, without its parameters; `a kernel function` when unknown.
std::string function_name(const void* address);

/// Its name as the linker knows it; empty when unknown.
std::string linker_name(const void* address);

}  // namespace aieloom
