#include "nets.h"

#include <algorithm>
#include <utility>

#include "aieloom/report.h"

namespace aieloom {

namespace {

std::size_t product(const std::vector<std::size_t>& sizes) {
  std::size_t all = sizes.empty() ? 0 : 1;
  for (const std::size_t s : sizes) {
    all *= s;
  }
  return all;
}

/// A port where data come from: the end of every walk back.
bool is_producer(const Port& port) { return !port.belongs_to_graph() && port.direction != Direction::kIn; }

/// Whether a walk comes to a port for the first time.
bool is_new(std::vector<const Port*>& seen, const Port* port) {
  if (holds(seen, port)) {
    return false;
  }
  seen.push_back(port);
  return true;
}

const char* kind_name(const Port& port) {
  switch (port.argument.kind) {
    case PortKind::kBuffer:
      return port.argument.window ? "a window" : "a buffer";
    case PortKind::kStream:
      return "a stream";
    case PortKind::kPacket:
      return "a packet stream";
    case PortKind::kCascade:
      return "a cascade";
    default:
      return "a run-time parameter";
  }
}

bool kind_fits(NetKind kind, PortKind port) {
  switch (kind) {
    case NetKind::kWindow:
      return port == PortKind::kBuffer;
    case NetKind::kStream:
      return port == PortKind::kStream;
    case NetKind::kCascade:
      return port == PortKind::kCascade;
    case NetKind::kParameter:
      return port == PortKind::kValue;
    case NetKind::kPacket:  // a packet's payload may fill a buffer
      return port == PortKind::kPacket || port == PortKind::kStream || port == PortKind::kBuffer;
    default:
      return true;
  }
}

class Collector {
 public:
  explicit Collector(Design& design) : design_(design) {}

  std::vector<Net> collect() {
    for (const Connection& c : design_.connections) {
      check_direction(c);
      check_depth(c);
      incoming_[c.to].push_back(&c);
      check_single(*c.to, incoming_[c.to]);
    }
    for (Kernel& kernel : design_.kernels) {
      for (Port* port : kernel.in) {
        port->argument.kind == PortKind::kValue ? check_parameter(*port) : add_consumer(*port);
      }
    }
    for (Plio& plio : design_.plios) {
      add_if(!plio.is_input, plio.port);
    }
    for (Gmio& gmio : design_.gmios) {
      add_if(!gmio.is_input, gmio.port);
    }
    for (SharedBuffer& buffer : design_.shared_buffers) {
      for (Port& port : buffer.in) {
        add_consumer(port);
      }
    }
    for (PacketSwitch& node : design_.switches) {
      for (Port& port : node.in) {
        add_consumer(port);
      }
    }
    check_producers();
    return in_order();
  }

 private:
  void add_if(bool is_consumer, Port& port) {
    if (is_consumer) {
      add_consumer(port);
    }
  }

  static void check_direction(const Connection& c) {
    const bool from_ok = c.from->belongs_to_graph() || c.from->direction != Direction::kIn;
    const bool to_ok = c.to->belongs_to_graph() || c.to->direction != Direction::kOut;
    if (!from_ok || !to_ok) {
      refuse("direction", name_of(from_ok ? *c.to : *c.from) + (from_ok ? " is an output, it cannot be connected to" : " is an input, it cannot be connected from"),
             "write connect<>(producer.out[...], consumer.in[...])");
    }
  }

  /// Depths are numbers of words; a negative one becomes huge.
  static void check_depth(const Connection& c) {
    constexpr std::size_t kMost = std::size_t{1} << 24;  // 64 MB, more than any array has
    if (c.fifo_depth > kMost) {
      refuse("fifo-depth",
             "the connection from " + name_of(*c.from) + " to " + name_of(*c.to) + " has a FIFO of " + std::to_string(c.fifo_depth) +
                 " words, more than the array's memory",
             "give fifo_depth() a positive number of 32-bit words");
    }
  }

  void add_consumer(Port& consumer) {
    Branch branch;
    branch.consumer = &consumer;
    Port* at = &consumer;
    std::vector<const Port*> seen;
    while (at == &consumer || !is_producer(*at)) {
      const auto& from = incoming_[at];
      if (from.empty()) {
        refuse("unconnected",
               name_of(consumer) + " is not connected to a producer" +
                   (at == &consumer ? "" : ": the way back ends at " + name_of(*at)),
               "connect it: connect<>(producer.out[0], ...)");
      }
      if (!is_new(seen, at)) {
        refuse("unconnected", name_of(consumer) + " is connected in a circle of graph ports", "connect a producer");
      }
      branch.path.insert(branch.path.begin(), from.front());
      at = from.front()->from;
    }
    if (at->kernel != nullptr && at->argument.kind == PortKind::kValue) {
      refuse("connection-kind", name_of(*at) + " is a run-time parameter, " + name_of(consumer) + " takes data",
             "connect outputs of data to inputs of data");
    }
    apply_kinds(*at, branch);
    branches_[at].push_back(std::move(branch));
  }

  /// One driver a port; the same connection twice is two.
  static void check_single(const Port& at, const std::vector<const Connection*>& from) {
    if (from.size() > 1) {
      refuse("two-writers",
             name_of(at) + " is connected to " + std::to_string(from.size()) + " producers: " + name_of(*from[0]->from) + " and " +
                 name_of(*from[1]->from),
             "one producer a port; merge streams with pktmerge");
    }
  }

  void check_parameter(Port& port) {
    const Port* at = &port;
    std::vector<const Port*> seen;
    while (at == &port || at->belongs_to_graph()) {
      const auto& from = incoming_[at];
      if (from.empty()) {
        return;  // a port of the outermost graph, or the kernel's own: update() reaches it
      }
      if (!kind_fits(from.front()->to_kind, at->belongs_to_graph() ? PortKind::kValue : at->argument.kind)) {
        refuse("connection-kind", name_of(port) + " is a run-time parameter, its connection says something else",
               "write connect<parameter>(...)");
      }
      if (!is_new(seen, at)) {
        refuse("unconnected", name_of(port) + " is connected in a circle of graph ports", "connect a producer");
      }
      at = from.front()->from;
    }
    if (at->argument.kind != PortKind::kValue || at->kernel == nullptr) {
      refuse("connection-kind", name_of(port) + " is a run-time parameter, " + name_of(*at) + " gives data",
             "parameters come from graph ports and from other kernels' inout ports");
    }
    const Argument &a = at->argument, &b = port.argument;
    if (a.extent * a.element.size() != b.extent * b.element.size()) {
      refuse("buffer-size",
             name_of(*at) + " gives " + std::to_string(a.extent * a.element.size()) + " B to the parameter " + name_of(port) + " of " +
                 std::to_string(b.extent * b.element.size()) + " B",
             "make the two parameters equal");
    }
  }

  /// What the connections say about the kernel ports at both ends of a branch.
  static void apply_kinds(Port& producer, Branch& branch) {
    Port& consumer = *branch.consumer;
    if (consumer.kernel != nullptr) {
      check_kind(consumer, producer, branch.path.back()->to_kind);
      for (auto c = branch.path.end(); c != branch.path.begin();) {
        --c;
        if (has_buffer(consumer) || !has_buffer(producer)) {
          set_window(consumer, (*c)->to_bytes, (*c)->margin_bytes);
        }
      }
    }
    if (producer.kernel != nullptr) {
      check_kind(producer, consumer, branch.path.front()->from_kind);
      for (const Connection* c : branch.path) {
        if (has_buffer(producer) || !has_buffer(consumer)) {
          set_window(producer, c->from_bytes, 0);
        }
      }
    }
    check_pair(producer, consumer);
  }

  /// A window between a stream and a buffer is the buffer's: connect<window<N>>(k.out[0], l.in[0]) of published graphs
  /// stands for connect<stream, window<N>>.
  static void check_kind(const Port& port, const Port& other, NetKind kind) {
    if (kind == NetKind::kWindow && port.argument.kind == PortKind::kStream && other.kernel != nullptr && has_buffer(other)) {
      return;
    }
    if (!kind_fits(kind, port.argument.kind)) {
      refuse("connection-kind", name_of(port) + " is " + kind_name(port) + ", its connect<...> says otherwise",
             "write connect<> or the kind of the kernel's parameter");
    }
  }

  static void set_window(Port& port, std::size_t bytes, std::size_t margin) {
    if (bytes == 0 || !has_buffer(port)) {
      return;
    }
    if (port.window_bytes != 0 && port.window_bytes != bytes) {
      refuse("buffer-size",
             name_of(port) + " is connected as a window of " + std::to_string(port.window_bytes) + " B and of " + std::to_string(bytes),
             "give all its connections the same size");
    }
    port.window_bytes = bytes;
    port.window_margin_bytes = std::max(port.window_margin_bytes, margin);
  }

  static void check_pair(const Port& producer, const Port& consumer) {
    if (producer.kernel == nullptr && consumer.kernel == nullptr) {
      return;
    }
    const bool from = producer.kernel != nullptr && producer.argument.kind == PortKind::kCascade;
    const bool to = consumer.kernel != nullptr && consumer.argument.kind == PortKind::kCascade;
    if (from != to) {
      refuse("connection-kind",
             name_of(producer) + " to " + name_of(consumer) + ": only one of the two is a cascade",
             "a cascade leads from one core to the next, never to a PLIO or a buffer");
    }
    if (from && producer.argument.type != consumer.argument.type) {
      refuse("cascade-type",
             name_of(producer) + " sends " + producer.argument.type + ", " + name_of(consumer) + " takes " + consumer.argument.type,
             "use one accumulator or vector type at both ends");
    }
  }

  void check_producers() {
    const auto check = [this](const Port& port) {
      if (port.argument.kind != PortKind::kValue && !branches_.contains(&port)) {
        refuse("unconnected", name_of(port) + " is not connected to a consumer", "connect it, or remove it");
      }
    };
    for (const Kernel& kernel : design_.kernels) {
      for (const Port* port : kernel.out) {
        check(*port);
      }
    }
    for (const Plio& plio : design_.plios) {
      plio.is_input ? check(plio.port) : void();
    }
    for (const Gmio& gmio : design_.gmios) {
      gmio.is_input ? check(gmio.port) : void();
    }
    for (const SharedBuffer& buffer : design_.shared_buffers) {
      for (const Port& port : buffer.out) {
        check(port);
      }
    }
    for (const PacketSwitch& node : design_.switches) {
      for (const Port& port : node.out) {
        check(port);
      }
    }
  }

  std::vector<Net> in_order() {
    std::vector<Net> nets;
    for (const Connection& c : design_.connections) {
      auto* found = branches_.find(c.from);
      if (found != nullptr && !found->empty()) {
        check_cascade(*c.from, *found);
        nets.push_back({c.from, std::exchange(*found, {})});
      }
    }
    return nets;
  }

  static void check_cascade(const Port& producer, const std::vector<Branch>& branches) {
    if (producer.kernel != nullptr && producer.argument.kind == PortKind::kCascade && branches.size() > 1) {
      refuse("cascade", name_of(producer) + " has " + std::to_string(branches.size()) + " consumers", "a cascade leads to one core");
    }
  }

  Design& design_;
  FlatMap<const Port*, std::vector<const Connection*>> incoming_;
  FlatMap<const Port*, std::vector<Branch>> branches_;
};

}  // namespace

std::vector<Net> collect_nets(Design& design) { return Collector(design).collect(); }

bool has_buffer(const Port& port) { return port.kernel != nullptr && port.argument.kind == PortKind::kBuffer; }

std::size_t margin_bytes(const Port& port) {
  return std::max(port.argument.margin * port.argument.element.size(), port.window_margin_bytes);
}

std::size_t declared_bytes(const Port& port) {
  if (!has_buffer(port)) {
    return 0;
  }
  if (holds(port.dimensions, 0U)) {
    refuse("buffer-size", name_of(port) + " has a dimension of 0 elements", "every dimension is at least 1");
  }
  const std::size_t element = port.argument.element.size();
  const std::size_t sizes[] = {product(port.dimensions) * element, port.argument.extent * element, port.window_bytes};
  const char* const sources[] = {"dimensions()", "its signature", "its connect<window>"};
  std::size_t bytes = 0;
  const char* by = "";
  for (std::size_t i = 0; i < 3; ++i) {
    if (sizes[i] != 0 && bytes != 0 && sizes[i] != bytes) {
      refuse("buffer-size",
             name_of(port) + " has " + std::to_string(bytes) + " B by " + by + " and " + std::to_string(sizes[i]) + " B by " + sources[i],
             "say it once, or say the same");
    }
    if (sizes[i] != 0) {
      bytes = sizes[i];
      by = sources[i];
    }
  }
  return bytes;
}

std::size_t buffer_bytes(const Port& port, const Port& other) {
  std::size_t bytes = declared_bytes(port);
  if (bytes == 0) {
    bytes = declared_bytes(other);
  }
  if (bytes == 0) {
    refuse("buffer-size", "nothing says how large the buffer " + name_of(port) + " is",
           port.argument.window ? "write connect<window<bytes>>(...)"
                                : "write dimensions(" + name_of(port) + ") = {elements}, or extents<...> in the kernel's signature");
  }
  const std::size_t element = port.argument.element.size();
  // Two kernels may share memory without DMA: AMD's have buffers of a single bfloat16 [Vitis-Tutorials, AIE-ML performance analysis].
  const std::size_t word = port.kernel != nullptr && other.kernel != nullptr ? 1 : 4;
  if (bytes % word != 0 || bytes % element != 0) {
    refuse("buffer-size",
           name_of(port) + " has " + std::to_string(bytes) + " B, not a multiple of " + std::to_string(std::max(element, word)),
           "DMA moves 32-bit words, and a buffer has whole elements");
  }
  if (margin_bytes(port) > bytes) {
    refuse("buffer-margin",
           name_of(port) + " has a margin of " + std::to_string(margin_bytes(port)) + " B, more than its " + std::to_string(bytes) + " B",
           "the margin repeats the end of one earlier buffer");
  }
  return bytes;
}

}  // namespace aieloom
