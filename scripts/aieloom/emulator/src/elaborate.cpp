// From the graph's description to cores, buffers and streams that run.
#include <algorithm>
#include <cstdio>

#include "aieloom/report.h"
#include "dma.h"
#include "nets.h"
#include "runtime.h"

namespace aieloom {

namespace {

// Bytes between the two ends of a stream in functional runs. Like the vendor's functional simulator this is more
// than the switches hold (4 words a hop, AM009), so that kernels run long without a change of fibers.
constexpr std::size_t kStreamBytes = std::size_t{64} << 10;

}  // namespace

class Elaborator {
 public:
  Elaborator(Runtime& runtime, Design& design, Outside outside) : run_(runtime), design_(design), outside_(outside) {}

  void elaborate() {
    for (Kernel& kernel : design_.kernels) {
      check_kernel(kernel);
      core_of_[&kernel] = &run_.cores_.emplace_back(kernel);
    }
    const auto nets = collect_nets(design_);
    balance(design_, nets);
    check_geometry(design_, nets);
    check_memory_tiles(design_);
    load_kernels(run_.cores_);
    parameters();
    for (SharedBuffer& buffer : design_.shared_buffers) {
      placed_[&buffer] = &make_placed_buffer(buffer);
    }
    for (const Net& net : nets) {
      connect(net);
    }
    for (const PacketSwitch& node : design_.switches) {
      start(node);
    }
    for (Core& core : run_.cores_) {
      physical_ports(core);
      core.start();
    }
  }

 private:
  static void check_kernel(const Kernel& kernel) {
    if (kernel.source.empty()) {
      refuse("kernel-source", kernel.name + " has no source file", "write source(k) = \"file.cc\"");
    }
    if (kernel.runtime_ratio <= 0 || kernel.runtime_ratio > 1) {
      char given[32];
      std::snprintf(given, sizeof given, "%g%s", kernel.runtime_ratio, kernel.runtime_ratio == 0 ? ": none is set" : "");
      refuse("kernel-ratio", kernel.name + " has a runtime ratio of " + given,
             "write runtime<ratio>(k) = 0.9: more than 0, at most 1");
    }
  }

  void parameters() {
    for (Core& core : run_.cores_) {
      for (std::size_t i = 0; i < core.kernel.arguments.size(); ++i) {
        Port& port = *core.kernel.arguments[i];
        if (port.argument.kind == PortKind::kValue) {
          Rtp& rtp = run_.rtps_.emplace_back(port);
          run_.rtp_of_[&port] = &rtp;
          core.parameters.push_back(&rtp);
          core.arguments[i].value = rtp.storage.data();
        }
      }
    }
    for (Rtp& rtp : run_.rtps_) {
      if (rtp.port.direction != Direction::kIn) {
        for (Rtp* target : run_.parameters_of_beyond(rtp.port)) {
          rtp.targets.push_back(target);
        }
      }
    }
  }

  void connect(const Net& net) {
    Port& producer = *net.producer;
    if (net.branches.size() == 1 && shares_memory(producer, *net.branches.front().consumer)) {
      Port& consumer = *net.branches.front().consumer;
      BufferPool& pool = make_pool(producer, consumer, 0);
      pool.set_ends(producer.kernel->name, consumer.kernel->name);
      bind(producer, pool);
      bind(consumer, pool);
      return;
    }
    const bool cascade = producer.kernel != nullptr && producer.argument.kind == PortKind::kCascade;
    ByteStream& stream = run_.streams_.emplace_back((cascade ? "cascade from " : "stream from ") + name_of(producer), kStreamBytes);
    std::vector<std::size_t> hops;
    for (const Branch& branch : net.branches) {
      hops.push_back(hops_between(producer, *branch.consumer));
    }
    const std::size_t shortest = *std::min_element(hops.begin(), hops.end());
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const Branch& branch = net.branches[i];
      const std::size_t longer = cascade ? 0 : 4 * kHopWords * (hops[i] - shortest);
      stream.add_fifo(stream.add_reader(reader_name(*branch.consumer)), is_timed() ? fifo_bytes(branch) + longer : 0);
    }
    if (is_timed()) {
      keep_time(net, stream, cascade, shortest);
      for (std::size_t i = 0; i < hops.size() && !cascade; ++i) {
        stream.set_detour(static_cast<int>(i), kHopCycles * static_cast<double>(hops[i] - shortest));
      }
    }
    int reader = 0;
    for (const Branch& branch : net.branches) {
      attach_consumer(producer, *branch.consumer, stream, reader++);
    }
    attach_producer(producer, *net.branches.front().consumer, stream);
  }

  /// Bytes of the FIFOs that the graph asks for on the way to one consumer.
  static std::size_t fifo_bytes(const Branch& branch) {
    std::size_t words = 0;
    for (const Connection* c : branch.path) {
      words += c->fifo_depth;
    }
    return 4 * words;
  }

  /// Cycles of the array that a PLIO takes for a word of the array's streams: its width at the logic's clock, at most a word a cycle.
  static double word_cycles(const Plio& plio) {
    const double bytes_a_cycle = static_cast<double>(plio.bits) / 8 * (plio.mhz > 0 ? plio.mhz : kPlioMhz) / kArrayMhz;
    return std::max(1.0, 4 / bytes_a_cycle);
  }

  /// Column and row of a port's tile: the interface is row 0, memory tiles follow, then cores.
  struct Place {
    bool known = false;
    int col = 0, row = 0;
  };

  static Place place_of(const Port& port) {
    const auto at = [](const Location& l, int row) { return Place{l.kind != Location::Kind::kNone, l.col, row}; };
    if (port.kernel != nullptr) {
      const Location& tile = port.kernel->tile;
      return {tile.kind == Location::Kind::kTile, tile.col, 1 + design().part.memory_rows + tile.row};
    }
    if (port.plio != nullptr || port.gmio != nullptr) {
      return at(port.plio != nullptr ? port.plio->shim : port.gmio->shim, 0);
    }
    if (port.shared != nullptr && !port.shared->locations.empty() && port.shared->locations.front().kind != Location::Kind::kOffset) {
      return at(port.shared->locations.front(), 1 + port.shared->locations.front().row);
    }
    return {};
  }

  /// Switches on a stream's way: those of the shortest way where the graph places both ends, else what is usual.
  static std::size_t hops_between(const Port& from, const Port& to) {
    const Place a = place_of(from), b = place_of(to);
    return a.known && b.known ? static_cast<std::size_t>(std::abs(a.col - b.col) + std::abs(a.row - b.row) + 1) : kHops;
  }

  static void keep_time(const Net& net, ByteStream& stream, bool cascade, std::size_t hops) {
    const Plio* source = net.producer->plio;
    stream.keep_time(4 * (cascade ? kCascadeWords : hops * kHopWords),
                     cascade             ? kCascadeWordCycles
                     : source != nullptr ? word_cycles(*source)
                                         : 1,
                     cascade ? 1 : kHopCycles * static_cast<double>(hops), cascade ? Stall::kCascade : Stall::kStream);
    for (std::size_t i = 0; i < net.branches.size(); ++i) {
      const Plio* target = net.branches[i].consumer->plio;
      if (target != nullptr) {
        stream.set_pace(static_cast<int>(i), word_cycles(*target));
      }
    }
  }

  /// Two kernels, one consumer, equal sizes: producer and consumer use the same buffers.
  static bool shares_memory(const Port& producer, const Port& consumer) {
    return has_buffer(producer) && has_buffer(consumer) && margin_bytes(consumer) == 0 && !producer.tiled && !consumer.tiled &&
           buffer_bytes(producer, consumer) == buffer_bytes(consumer, producer);
  }

  BufferPool& make_pool(const Port& port, const Port& other, std::size_t margin) {
    const bool shared = has_buffer(other) && shares_memory(port.direction == Direction::kOut ? port : other,
                                                           port.direction == Direction::kOut ? other : port);
    const int asked = port.buffers != 0 ? port.buffers : shared && other.buffers != 0 ? other.buffers : 2;
    if (asked < 1) {
      refuse("buffer-count", name_of(port) + " has num_buffers " + std::to_string(asked), "use 1 or more");
    }
    return run_.pools_.emplace_back("buffer " + name_of(port), buffer_bytes(port, other), static_cast<std::size_t>(asked), margin);
  }

  void bind(Port& port, BufferPool& pool) {
    Core& core = *core_of_[port.kernel];
    const bool is_input = port.direction == Direction::kIn;
    BufferPort* bound = &core.buffers.emplace_back(pool, is_input, name_of(port));
    argument_of(port).buffer = bound;
    if (!port.argument.async && !port.async) {
      (is_input ? core.synchronous_in : core.synchronous_out).push_back(bound);
    }
  }

  CoreArgument& argument_of(const Port& port) {
    return core_of_[port.kernel]->arguments[index_of(port.kernel->arguments, &port)];
  }

  void bind_stream(const Port& port, ByteStream& stream, int reader) {
    StreamEnd& end = run_.ends_.emplace_back();
    end.stream = &stream;
    end.reader = reader;
    end.name = name_of(port);
    argument_of(port).stream = &end;
  }

  /// The fiber that reads for this port, as deadlock reports name it.
  static std::string reader_name(const Port& port) {
    if (has_buffer(port) || port.shared != nullptr) {
      return "S2MM of " + name_of(port);
    }
    return port.kernel != nullptr ? port.kernel->name : port.packet != nullptr && port.packet->kind == PacketSwitch::Kind::kSplit
                                                            ? port.packet->name
                                                            : name_of(port);
  }

  DmaChannel channel(Port& port, const Port& other, ByteStream& stream, int reader) {
    DmaChannel c;
    c.pool = &make_pool(port, other, port.direction == Direction::kIn ? margin_bytes(port) : 0);
    c.stream = &stream;
    c.reader = reader;
    c.name = name_of(port);
    c.packets = other.packet != nullptr;
    c.packet_id = static_cast<unsigned>(other.number);
    c.row = port.kernel->tile.kind == Location::Kind::kTile ? port.kernel->tile.row : 0;
    c.col = port.kernel->tile.kind == Location::Kind::kTile ? port.kernel->tile.col : 0;
    if (port.tiled) {
      const std::size_t element = port.argument.element.size();
      const auto dims = port.dimensions.empty() ? std::vector<std::size_t>{c.pool->bytes() / element} : port.dimensions;
      static Sequence<Walk> walks;
      c.walk = &walks.emplace_back(port.access, dims, element, Walk::Engine::kTile, c.name);
    }
    bind(port, *c.pool);
    const bool is_input = port.direction == Direction::kIn;
    c.pool->set_ends(is_input ? "S2MM of " + c.name : port.kernel->name, is_input ? port.kernel->name : "MM2S of " + c.name);
    return c;
  }

  void attach_consumer(const Port& producer, Port& consumer, ByteStream& stream, int reader) {
    if (has_buffer(consumer)) {
      start_s2mm(channel(consumer, producer, stream, reader));
    } else if (consumer.kernel != nullptr) {
      bind_stream(consumer, stream, reader);
    } else if (consumer.plio != nullptr) {
      open_end(*consumer.plio, producer, stream, reader);
    } else if (consumer.gmio != nullptr) {
      run_.gmios_[consumer.gmio] = &make_gmio(*consumer.gmio, stream, reader);
    } else if (consumer.shared != nullptr) {
      start_writer(*placed_[consumer.shared], static_cast<std::size_t>(consumer.number), stream, reader);
    } else {
      auto& inputs = inputs_of_[consumer.packet];
      inputs.resize(consumer.packet->in.size());
      inputs[static_cast<std::size_t>(consumer.number)] = {&stream, reader};
    }
  }

  void attach_producer(Port& producer, const Port& consumer, ByteStream& stream) {
    if (has_buffer(producer)) {
      stream.set_writer("MM2S of " + name_of(producer));
      start_mm2s(channel(producer, consumer, stream, 0));
    } else if (producer.kernel != nullptr) {
      stream.set_writer(producer.kernel->name);
      bind_stream(producer, stream, 0);
    } else if (producer.plio != nullptr) {
      open_end(*producer.plio, consumer, stream, 0);
    } else if (producer.gmio != nullptr) {
      stream.set_writer("GMIO '" + producer.gmio->name + "'");
      run_.gmios_[producer.gmio] = &make_gmio(*producer.gmio, stream, 0);
    } else if (producer.shared != nullptr) {
      stream.set_writer("MM2S of " + name_of(producer));
      start_reader(*placed_[producer.shared], static_cast<std::size_t>(producer.number), stream);
    } else {
      stream.set_writer(producer.packet->name);
      auto& outputs = outputs_of_[producer.packet];
      outputs.resize(producer.packet->out.size());
      // A kernel that takes packets as input_pktstream reads their headers, buffers have none [UG1079 Packet Switching
      // Graph Constructs]; of input_stream the guides say nothing, and published kernels read the data alone.
      const bool bare = consumer.kernel != nullptr && consumer.argument.kind == PortKind::kStream;
      outputs[static_cast<std::size_t>(producer.number)] = {&stream, bare};
    }
  }

  void start(const PacketSwitch& node) {
    auto& outputs = outputs_of_[&node];
    outputs.resize(node.out.size());
    if (node.kind == PacketSwitch::Kind::kSplit) {
      start_split(node, inputs_of_[&node].front(), outputs);
    } else {
      start_merge(node, inputs_of_[&node], outputs.front().stream);
    }
  }

  /// The side of a PLIO that is outside the array: a file, or the PL, which is linked later.
  void open_end(Plio& plio, const Port& inside, ByteStream& stream, int reader) {
    PlioStream& open = run_.plios_.emplace_back();
    const bool packets = inside.packet != nullptr || (inside.kernel != nullptr && inside.argument.kind == PortKind::kPacket);
    // Files of packets hold 32-bit integers, the words on the wire, whatever the kernels behind the switch take and
    // whether one or several of them [Vitis Tutorials, packet switching with windows of int32, float and cint16].
    open = PlioStream{&plio, &stream, reader, packets ? ElementType{} : inside.argument.element, declared_bytes(inside), packets};
    if (plio.bits < 8 * open.element.bytes) {
      refuse("plio-width",
             name_of(plio.port) + " has " + std::to_string(plio.bits) + " bits, an element of " + name_of(inside) + " " +
                 std::to_string(8 * open.element.bytes),
             "make the PLIO at least as wide as one element");
    }
    if (outside_ == Outside::kFiles) {
      if (plio.is_input) {
        stream.set_writer("file " + plio.file);
        attach_input_file(open);
      } else {
        attach_output_file(open);
      }
    }
  }

  /// Streams of a core are its physical ports, in the order of its parameters.
  void physical_ports(Core& core) {
    for (std::size_t i = 0; i < core.arguments.size(); ++i) {
      const Port& port = *core.kernel.arguments[i];
      if (port.argument.kind == PortKind::kStream || port.argument.kind == PortKind::kPacket) {
        (port.direction == Direction::kIn ? core.streams_in : core.streams_out).push_back(core.arguments[i].stream);
      }
    }
  }

  Runtime& run_;
  Design& design_;
  Outside outside_;
  FlatMap<const Kernel*, Core*> core_of_;
  FlatMap<const SharedBuffer*, PlacedBuffer*> placed_;
  FlatMap<const PacketSwitch*, std::vector<SwitchInput>> inputs_of_;
  FlatMap<const PacketSwitch*, std::vector<SwitchOutput>> outputs_of_;
};

Runtime& Runtime::instance() {
  static Runtime only;
  return only;
}

void Runtime::elaborate(Outside outside) {
  if (elaborated_) {
    return;
  }
  discover();
  elaborated_ = true;
  outside_ = outside;
  Elaborator(*this, design(), outside).elaborate();
  count_at_exit();
}

PlioStream* Runtime::find_plio(const std::string& name) {
  for (PlioStream& plio : plios_) {
    if (plio.plio->name == name) {
      return &plio;
    }
  }
  return nullptr;
}

}  // namespace aieloom
