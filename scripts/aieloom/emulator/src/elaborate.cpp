// From the graph's description to cores, buffers and streams that run.
#include <algorithm>
#include <set>

#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

namespace {

// Bytes between the two ends of a stream in functional runs. Like the vendor's functional simulator this is more
// than the switches hold (4 words a hop, AM009), so that kernels run long without a change of fibers.
constexpr std::size_t kStreamBytes = std::size_t{64} << 10;

std::size_t product(const std::vector<std::size_t>& sizes) {
  std::size_t all = sizes.empty() ? 0 : 1;
  for (const std::size_t s : sizes) {
    all *= s;
  }
  return all;
}

}  // namespace

class Elaborator {
 public:
  Elaborator(Runtime& runtime, Design& design, Outside outside) : run_(runtime), design_(design), outside_(outside) {}

  void elaborate() {
    for (Kernel& kernel : design_.kernels) {
      check_kernel(kernel);
      run_.cores_.push_back(std::make_unique<Core>(kernel));
      core_of_[&kernel] = run_.cores_.back().get();
    }
    check_geometry(design_);
    collect_nets();
    for (Port* producer : order_) {  // not the map's order, which depends on addresses
      connect(*producer, nets_[producer]);
    }
    for (auto& core : run_.cores_) {
      core->start();
    }
  }

 private:
  static void check_kernel(const Kernel& kernel) {
    if (kernel.source.empty()) {
      refuse("kernel-source", kernel.name + " has no source file", "write source(k) = \"file.cc\"");
    }
    if (kernel.runtime_ratio <= 0 || kernel.runtime_ratio > 1) {
      refuse("kernel-ratio", kernel.name + " has a runtime ratio of " + std::to_string(kernel.runtime_ratio),
             "write runtime<ratio>(k) = 0.9: more than 0, at most 1");
    }
    if (kernel.repetition_count == 0) {
      refuse("kernel-repetition", kernel.name + " has a repetition count of 0", "use 1 or more");
    }
  }

  /// Follow connections back from every consumer, through the ports of graphs, to who produces its data.
  void collect_nets() {
    for (const Connection& c : design_.connections) {
      incoming_[c.to].push_back(c.from);
    }
    for (Kernel& kernel : design_.kernels) {
      for (Port* port : kernel.in) {
        add_consumer(*port);
      }
    }
    for (Plio& plio : design_.plios) {
      if (!plio.is_input) {
        add_consumer(plio.port);
      }
    }
    for (Kernel& kernel : design_.kernels) {
      for (Port* port : kernel.out) {
        check_used(*port);
      }
    }
    for (Plio& plio : design_.plios) {
      if (plio.is_input) {
        check_used(plio.port);
      }
    }
  }

  void add_consumer(Port& consumer) {
    Port* at = &consumer;
    std::set<Port*> seen;
    while (at->kernel == nullptr || at->direction == Direction::kIn) {
      if (at->plio != nullptr && at->plio->is_input) {
        break;
      }
      const auto& from = incoming_[at];
      if (from.empty()) {
        refuse("unconnected", name_of(consumer) + " is not connected to a producer",
               "connect it: connect<>(producer.out[0], ...)");
      }
      if (from.size() > 1) {
        refuse("two-writers",
               name_of(consumer) + " is connected to " + std::to_string(from.size()) + " producers: " + name_of(*from[0]) +
                   " and " + name_of(*from[1]),
               "one producer a port; merge streams with pktmerge");
      }
      if (!seen.insert(at).second) {
        refuse("unconnected", name_of(consumer) + " is connected in a circle of graph ports", "connect a producer");
      }
      at = from.front();
    }
    if (at->direction != Direction::kOut) {
      refuse("direction", name_of(consumer) + " is fed by " + name_of(*at) + ", which is no output",
             "connect an output to an input: connect<>(from, to)");
    }
    if (!nets_.contains(at)) {
      order_.push_back(at);
    }
    nets_[at].push_back(&consumer);
  }

  void check_used(const Port& producer) const {
    if (!nets_.contains(const_cast<Port*>(&producer))) {
      refuse("unconnected", name_of(producer) + " is not connected to a consumer", "connect it, or remove it");
    }
  }

  /// Bytes of a kernel's buffer; 0 when neither signature nor graph says.
  static std::size_t declared_bytes(const Port& port) {
    const Argument& a = port.argument;
    const std::size_t dims = product(port.dimensions);
    if (dims != 0 && a.extent != 0 && dims != a.extent) {
      refuse("buffer-size",
             name_of(port) + " has " + std::to_string(a.extent) + " elements by its signature and " + std::to_string(dims) +
                 " by dimensions()",
             "say it once, or say the same");
    }
    return (dims != 0 ? dims : a.extent) * a.element.bytes * a.element.numbers;
  }

  static std::size_t buffer_bytes(const Port& port, const Port& other) {
    std::size_t bytes = declared_bytes(port);
    if (bytes == 0 && other.kernel != nullptr) {
      bytes = declared_bytes(other);
    }
    if (bytes == 0) {
      refuse("buffer-size", "nothing says how large the buffer " + name_of(port) + " is",
             "write dimensions(" + name_of(port) + ") = {elements}, or extents<...> in the kernel's signature");
    }
    if (bytes % 4 != 0) {
      refuse("buffer-size", name_of(port) + " has " + std::to_string(bytes) + " B, not a multiple of 4",
             "DMA moves 32-bit words");
    }
    return bytes;
  }

  void connect(Port& producer, const std::vector<Port*>& consumers) {
    for (const Port* consumer : consumers) {
      check_rates(producer, *consumer);
    }
    if (shares_memory(producer, consumers)) {
      BufferPool& pool = make_pool(producer, *consumers.front());
      bind(producer, pool);
      bind(*consumers.front(), pool);
      return;
    }
    ByteStream& stream = make_stream(name_of(producer));
    for (Port* consumer : consumers) {
      const int reader = stream.add_reader(name_of(*consumer));
      attach_consumer(producer, *consumer, stream, reader);
    }
    attach_producer(producer, *consumers.front(), stream);
  }

  static void check_rates(const Port& producer, const Port& consumer) {
    if (producer.kernel == nullptr || consumer.kernel == nullptr || producer.argument.async || consumer.argument.async) {
      return;
    }
    const std::size_t out = buffer_bytes(producer, consumer) * producer.kernel->repetition_count;
    const std::size_t in = buffer_bytes(consumer, producer) * consumer.kernel->repetition_count;
    if (out != in) {
      refuse("rate",
             name_of(producer) + " produces " + std::to_string(out) + " B an iteration, " + name_of(consumer) + " takes " +
                 std::to_string(in),
             "make the sizes equal, or set repetition_count() on the kernels");
    }
  }

  /// Two kernels, one consumer, equal sizes: producer and consumer use the same buffers.
  static bool shares_memory(const Port& producer, const std::vector<Port*>& consumers) {
    return consumers.size() == 1 && producer.kernel != nullptr && consumers.front()->kernel != nullptr &&
           consumers.front()->argument.margin == 0 &&
           buffer_bytes(producer, *consumers.front()) == buffer_bytes(*consumers.front(), producer);
  }

  BufferPool& make_pool(const Port& port, const Port& other) {
    const std::size_t copies = port.single_buffer || (other.kernel != nullptr && other.single_buffer) ? 1 : 2;
    run_.pools_.push_back(std::make_unique<BufferPool>("buffer " + name_of(port), buffer_bytes(port, other), copies));
    return *run_.pools_.back();
  }

  ByteStream& make_stream(const std::string& name) {
    run_.streams_.push_back(std::make_unique<ByteStream>("stream from " + name, kStreamBytes));
    return *run_.streams_.back();
  }

  void bind(Port& port, BufferPool& pool) {
    Core& core = *core_of_.at(port.kernel);
    const bool is_input = port.direction == Direction::kIn;
    core.buffers.push_back(std::make_unique<BufferPort>(pool, is_input, name_of(port)));
    BufferPort* bound = core.buffers.back().get();
    const auto at = std::ranges::find(port.kernel->arguments, &port) - port.kernel->arguments.begin();
    core.arguments[static_cast<std::size_t>(at)].buffer = bound;
    if (!port.argument.async) {
      (is_input ? core.synchronous_in : core.synchronous_out).push_back(bound);
    }
  }

  void attach_consumer(const Port& producer, Port& consumer, ByteStream& stream, int reader) {
    if (consumer.plio != nullptr) {
      open_end(*consumer.plio, producer, stream, reader);
      return;
    }
    BufferPool& pool = make_pool(consumer, producer);
    bind(consumer, pool);
    // Stream to memory: fill one buffer after another, for ever.
    spawn("S2MM of " + name_of(consumer), Role::kServer, [&pool, &stream, reader] {
      for (;;) {
        std::byte* block = pool.acquire_empty();
        stream.read(reader, block, pool.bytes());
        pool.commit();
      }
    });
  }

  void attach_producer(Port& producer, const Port& consumer, ByteStream& stream) {
    if (producer.plio != nullptr) {
      open_end(*producer.plio, consumer, stream, 0);
      return;
    }
    BufferPool& pool = make_pool(producer, consumer);
    bind(producer, pool);
    stream.set_writer(name_of(producer));
    // Memory to stream.
    spawn("MM2S of " + name_of(producer), Role::kServer, [&pool, &stream] {
      for (;;) {
        const std::byte* block = pool.acquire_full();
        for (std::size_t sent = 0; sent < pool.bytes();) {
          const std::size_t part = std::min(pool.bytes() - sent, stream.capacity());
          stream.write(block + sent, part);
          sent += part;
        }
        pool.release();
      }
    });
  }

  /// The side of a PLIO that is outside the array: a file, or the PL, which is linked later.
  void open_end(Plio& plio, const Port& inside, ByteStream& stream, int reader) {
    PlioStream& open = run_.plios_[plio.name];
    open = PlioStream{&plio, &stream, reader, inside.argument.element, declared_bytes(inside)};
    if (outside_ == Outside::kFiles) {
      if (plio.is_input) {
        stream.set_writer("file " + plio.file);
        attach_input_file(open);
      } else {
        attach_output_file(open);
      }
    }
  }

  Runtime& run_;
  Design& design_;
  Outside outside_;
  std::map<const Kernel*, Core*> core_of_;
  std::map<Port*, std::vector<Port*>> incoming_;
  std::map<Port*, std::vector<Port*>> nets_;
  std::vector<Port*> order_;
};

Runtime& Runtime::instance() {
  static Runtime only;
  return only;
}

void Runtime::elaborate(Outside outside) {
  if (elaborated_) {
    return;
  }
  elaborated_ = true;
  outside_ = outside;
  Elaborator(*this, design(), outside).elaborate();
}

PlioStream* Runtime::find_plio(const std::string& name) {
  const auto found = plios_.find(name);
  return found == plios_.end() ? nullptr : &found->second;
}

}  // namespace aieloom
