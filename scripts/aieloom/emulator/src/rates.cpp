// How often kernels and shared buffers run in one iteration of the graph [UG1079 Multirate]: what one side of a
// connection produces, the other consumes.
#include <algorithm>
#include <numeric>
#include <vector>

#include "aieloom/report.h"
#include "dma.h"
#include "nets.h"

namespace aieloom {

namespace {

/// Something that runs a whole number of times.
struct Node {
  std::string name;
  std::size_t* count = nullptr;  // 0 when the graph leaves it open
  std::int64_t up = 0, down = 1; // rounds, relative to the first node of its component; 0 not reached yet
};

struct Edge {
  std::size_t from, to;
  std::size_t produced, consumed;  // bytes a round
  std::string from_port, to_port;
};

class Balance {
 public:
  Balance(Design& design, const std::vector<Net>& nets) {
    for (Kernel& k : design.kernels) {
      add(&k, k.name, k.repetition_count);
      for (const Port& port : k.ports) {
        if (port.async_repetition != 0 && !port.argument.async && !port.async) {
          refuse("rate", name_of(port) + " has async_repetition " + std::to_string(port.async_repetition) + " and is no asynchronous buffer",
                 "declare the kernel's parameter as input_async_buffer or output_async_buffer, or use repetition_count(kernel)");
        }
      }
    }
    for (SharedBuffer& b : design.shared_buffers) {
      add(&b, b.name, b.repetition_count);
    }
    for (const Net& net : nets) {
      for (const Branch& branch : net.branches) {
        add_edge(*net.producer, *branch.consumer);
      }
    }
  }

  void solve() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].up == 0) {
        component(i);
      }
    }
  }

 private:
  void add(const void* key, const std::string& name, std::size_t& count) {
    index_[key] = nodes_.size();
    reach_.emplace_back();
    nodes_.push_back({name, &count});
  }

  static const void* owner(const Port& port) {
    return port.kernel != nullptr ? static_cast<const void*>(port.kernel) : port.shared;
  }

  /// Bytes that a port moves in one round of its owner; 0 when it has no rate.
  static std::size_t rate(const Port& port, const Port& other) {
    if (port.shared != nullptr) {
      return bytes_per_round(*port.shared, port);
    }
    if (!has_buffer(port) || port.argument.async || port.async) {
      return 0;
    }
    if (port.tiled) {
      const std::size_t element = port.argument.element.size();
      const auto dims = port.dimensions.empty() ? std::vector<std::size_t>{buffer_bytes(port, other) / element} : port.dimensions;
      return Walk(port.access, dims, element, Walk::Engine::kTile, name_of(port)).bytes();
    }
    return buffer_bytes(port, other);
  }

  void add_edge(const Port& producer, const Port& consumer) {
    if (owner(producer) == nullptr || owner(consumer) == nullptr) {
      return;
    }
    const bool cascade = producer.kernel != nullptr && producer.argument.kind == PortKind::kCascade;
    const std::size_t out = cascade ? 1 : rate(producer, consumer);
    const std::size_t in = cascade ? 1 : rate(consumer, producer);
    if (out == 0 || in == 0) {
      return;
    }
    edges_.push_back({index_[owner(producer)], index_[owner(consumer)], out, in, name_of(producer), name_of(consumer)});
    reach_[edges_.back().from].push_back(edges_.size() - 1);
    reach_[edges_.back().to].push_back(edges_.size() - 1);
  }

  [[noreturn]] void unbalanced(const Edge& e, std::int64_t from, std::int64_t to) const {
    refuse("rate",
           e.from_port + " produces " + std::to_string(static_cast<std::int64_t>(e.produced) * from) + " B an iteration (" +
               std::to_string(from) + " x " + std::to_string(e.produced) + "), " + e.to_port + " takes " +
               std::to_string(static_cast<std::int64_t>(e.consumed) * to) + " (" + std::to_string(to) + " x " +
               std::to_string(e.consumed) + ")",
           "make the sizes equal, or set repetition_count() so that both move the same");
  }

  void component(std::size_t first) {
    std::vector<std::size_t> members{first};
    nodes_[first].up = 1;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const std::size_t at : reach_[members[i]]) {
        follow(edges_[at], members[i], members);
      }
    }
    apply(members);
  }

  /// Fix the other end's rounds by this end's, or check them.
  void follow(const Edge& e, std::size_t here, std::vector<std::size_t>& members) {
    const bool forward = here == e.from;
    const Node& from = nodes_[here];
    std::int64_t up = from.up * static_cast<std::int64_t>(forward ? e.produced : e.consumed);
    std::int64_t down = from.down * static_cast<std::int64_t>(forward ? e.consumed : e.produced);
    const std::int64_t common = std::gcd(up, down);
    up /= common;
    down /= common;
    Node& other = nodes_[forward ? e.to : e.from];
    if (other.up == 0) {
      other.up = up;
      other.down = down;
      members.push_back(forward ? e.to : e.from);
    } else if (other.up != up || other.down != down) {
      unbalanced(e, 1, 1);
    }
  }

  /// Scale to whole numbers: the smallest, or what the graph says for one of them.
  void apply(const std::vector<std::size_t>& members) {
    std::int64_t multiple = 1;
    for (const std::size_t m : members) {
      multiple = std::lcm(multiple, nodes_[m].down);
    }
    std::int64_t divisor = 0;
    for (const std::size_t m : members) {
      divisor = std::gcd(divisor, nodes_[m].up * (multiple / nodes_[m].down));
    }
    const auto smallest = [&](const Node& n) { return n.up * (multiple / n.down) / divisor; };
    std::int64_t scale = 0;
    for (const std::size_t m : members) {
      if (*nodes_[m].count != 0) {
        const auto given = static_cast<std::int64_t>(*nodes_[m].count);
        const std::int64_t base = smallest(nodes_[m]);
        if (given % base != 0 || (scale != 0 && given / base != scale)) {
          disagree(members, m, base);
        }
        scale = given / base;
      }
    }
    for (const std::size_t m : members) {
      *nodes_[m].count = static_cast<std::size_t>(smallest(nodes_[m]) * std::max<std::int64_t>(scale, 1));
    }
  }

  /// repetition_count() values that no balance has: name an edge between two that disagree.
  [[noreturn]] void disagree(const std::vector<std::size_t>& members, std::size_t culprit, std::int64_t base) const {
    for (const Edge& e : edges_) {
      const std::size_t from = *nodes_[e.from].count, to = *nodes_[e.to].count;
      if (from != 0 && to != 0 && from * e.produced != to * e.consumed) {
        unbalanced(e, static_cast<std::int64_t>(from), static_cast<std::int64_t>(to));
      }
    }
    for (const Edge& e : edges_) {
      if ((e.from == culprit || e.to == culprit) && e.produced != e.consumed) {
        refuse("rate",
               e.from_port + " gives " + std::to_string(e.produced) + " B a call, " + e.to_port + " takes " + std::to_string(e.consumed) +
                   " B a call: " + nodes_[culprit].name + " runs a multiple of " + std::to_string(base) +
                   " times an iteration, its repetition_count is " + std::to_string(*nodes_[culprit].count),
               "leave repetition_count() out, or make the sizes and counts fit");
      }
    }
    refuse("rate",
           nodes_[culprit].name + " has repetition_count " + std::to_string(*nodes_[culprit].count) + ", which does not balance with the " +
               std::to_string(members.size()) + " kernels and buffers it is connected to",
           "leave repetition_count() out, or make the sizes and counts fit");
  }

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  FlatMap<const void*, std::size_t> index_;
  std::vector<std::vector<std::size_t>> reach_;
};

}  // namespace

void balance(Design& design, const std::vector<Net>& nets) { Balance(design, nets).solve(); }

}  // namespace aieloom
