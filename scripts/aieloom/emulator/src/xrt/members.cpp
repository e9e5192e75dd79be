// Paths of members, as hosts name run-time parameters: `gr.sub.k[1].in[0]` [UG1079 Run-Time Parameter Support Summary].
//
// The table beside the program (members.py) has a line for each type: what its members are called and where they lie. A
// path is followed through the graph in memory, through sub-graphs, base classes, arrays, std::vector and pointers.
//
//   object NAME                  types are numbered from 1 after it
//   record BYTES NAME:PLACE:TYPE...   a base class has no name
//   kernel BYTES | port BYTES | vector BYTES TYPE | array TYPE COUNT... | pointer TYPE
//   variable NAME TYPE
#include <cstdlib>
#include <cstring>

#include "adf/kernel.h"
#include "files.h"
#include "system.h"

namespace aieloom {

namespace {

std::vector<std::string> fields(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::size_t number(const std::string& text) { return static_cast<std::size_t>(std::strtoull(text.c_str(), nullptr, 10)); }

/// An object in memory and the number of its type.
struct Place {
  const std::byte* address = nullptr;
  std::size_t type = 0;
};

class Members {
 public:
  Members(const std::string& table, const std::string& variable) {
    for (const std::string& line : fields(table, '\n')) {
      auto words = fields(line, '\t');
      if (words[0] == "object") {
        if (root_ != 0) {
          return;
        }
        types_.assign(1, {});
      } else if (words[0] == "variable") {
        root_ = words[1] == variable ? number(words[2]) : root_;
      } else {
        types_.push_back(std::move(words));
      }
    }
  }

  /// The port at a path below an object, or null.
  [[nodiscard]] Port* find(const std::byte* address, const std::vector<std::string>& steps) const {
    Place at{address, root_};
    for (std::size_t i = 0; i < steps.size() && at.type != 0; ++i) {
      at = through_pointers(at);
      if (kind(at) == "kernel") {
        return i + 2 == steps.size() ? kernel_port(at, steps[i], number(steps[i + 1])) : nullptr;
      }
      at = steps[i][0] >= '0' && steps[i][0] <= '9' ? element(at, number(steps[i])) : member(at, steps[i]);
    }
    at = through_pointers(at);
    return at.type != 0 && kind(at) == "port" ? &reinterpret_cast<const adf::port<adf::input>*>(at.address)->node() : nullptr;
  }

 private:
  [[nodiscard]] const std::string& kind(const Place& at) const { return types_[at.type][0]; }

  [[nodiscard]] Place through_pointers(Place at) const {
    while (at.type != 0 && at.address != nullptr && kind(at) == "pointer") {
      const std::byte* to = nullptr;
      std::memcpy(&to, at.address, sizeof to);
      at = {to, number(types_[at.type][1])};
    }
    return at.address != nullptr ? at : Place{};
  }

  [[nodiscard]] std::size_t size(std::size_t type) const {
    if (type == 0) {
      return 0;
    }
    const auto& words = types_[type];
    if (words[0] == "pointer") {
      return sizeof(void*);
    }
    if (words[0] != "array") {
      return number(words[1]);
    }
    std::size_t all = size(number(words[1]));
    for (std::size_t i = 2; i < words.size(); ++i) {
      all *= number(words[i]);
    }
    return all;
  }

  /// A member by its name; what smart pointers and std::array hold is reached through their own members, which no path names.
  [[nodiscard]] Place member(const Place& at, const std::string& name) const {
    const auto& words = types_[at.type];
    if (words[0] != "record") {
      return {};
    }
    for (const bool own : {true, false}) {
      for (std::size_t i = 2; i < words.size(); ++i) {
        const auto parts = fields(words[i], ':');
        const Place there{at.address + number(parts[1]), number(parts[2])};
        if (own ? parts[0] == name : parts[0].empty() || parts[0][0] == '_') {
          const Place found = own ? there : there.type != 0 ? member(through_pointers(there), name) : Place{};
          if (found.type != 0) {
            return found;
          }
        }
      }
    }
    return {};
  }

  [[nodiscard]] Place element(const Place& at, std::size_t index) const {
    const auto& words = types_[at.type];
    if (words[0] == "vector") {
      return vector_element(at, index);
    }
    if (words[0] == "array") {
      return array_element(at, index);
    }
    for (std::size_t i = 2; words[0] == "record" && i < words.size(); ++i) {  // std::array keeps a member of its own
      const auto parts = fields(words[i], ':');
      const Place there{at.address + number(parts[1]), number(parts[2])};
      if ((parts[0].empty() || parts[0][0] == '_') && there.type != 0) {
        if (const Place found = element(there, index); found.type != 0) {
          return found;
        }
      }
    }
    return {};
  }

  /// The first dimension's element; arrays of arrays are one array with several counts.
  [[nodiscard]] Place array_element(const Place& at, std::size_t index) const {
    const auto& words = types_[at.type];
    const std::size_t of = number(words[1]);
    if (of == 0 || index >= number(words[2])) {
      return {};
    }
    if (words.size() == 3) {
      return {at.address + index * size(of), of};
    }
    std::vector<std::string> rest{"array", words[1]};
    rest.insert(rest.end(), words.begin() + 3, words.end());
    types_.push_back(std::move(rest));
    const std::size_t type = types_.size() - 1;
    return {at.address + index * size(type), type};
  }

  /// std::vector holds the first element's address, and the end's, in its base.
  [[nodiscard]] Place vector_element(const Place& at, std::size_t index) const {
    const std::byte* ends[2];
    std::memcpy(ends, at.address, sizeof ends);
    const std::size_t of = number(types_[at.type][2]), bytes = size(of);
    const bool inside = bytes != 0 && index < static_cast<std::size_t>(ends[1] - ends[0]) / bytes;
    return inside ? Place{ends[0] + index * bytes, of} : Place{};
  }

  [[nodiscard]] static Port* kernel_port(const Place& at, const std::string& list, std::size_t index) {
    const Kernel& kernel = reinterpret_cast<const adf::kernel*>(at.address)->node();
    const auto& ports = list == "in" ? kernel.in : list == "out" ? kernel.out : kernel.inout;
    const bool known = list == "in" || list == "out" || list == "inout";
    return known && index < ports.size() ? ports[index] : nullptr;
  }

  mutable std::vector<std::vector<std::string>> types_;
  std::size_t root_ = 0;
};

/// `gr.k[1].in[0]` as gr, k, 1, in, 0; empty when it is no path.
std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find_first_of(".[]", at), path.size());
    const std::string step = path.substr(at, end - at);
    const bool closes = end > 0 && path[end - 1] == ']';
    if (!step.empty()) {
      steps.push_back(step);
    } else if (!closes) {
      return {};
    }
    at = end + 1;
  }
  return steps;
}

}  // namespace

Port* find_port(const void* graph, const std::string& path) {
  auto steps = steps_of(path);
  std::string table;
  if (steps.size() < 2 || !read_file(program_file() + ".members", table)) {
    return nullptr;
  }
  const Members members(table, steps.front());
  steps.erase(steps.begin());
  return members.find(static_cast<const std::byte*>(graph), steps);
}

}  // namespace aieloom
