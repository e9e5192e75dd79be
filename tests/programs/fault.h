// Places where a known fault can be put into a test program while it runs: FAULT=<kind>:<place>[:<value>] in the
// environment. FAULT=list prints every place, so that the test seeds faults into all of them.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

#include <adf.h>

namespace fault {

inline std::string wanted() {
  const char* text = std::getenv("FAULT");
  return text != nullptr ? text : "";
}

inline void list(const char* kind, const std::string& place, const std::string& good) {
  if (wanted() == "list") {
    std::printf("site %s %s %s\n", kind, place.c_str(), good.c_str());
  }
}

/// The value that the environment asks for at this place, or the good one.
inline std::string text(const char* kind, const std::string& place, const std::string& good) {
  list(kind, place, good);
  const std::string prefix = std::string(kind) + ":" + place + ":";
  const std::string all = wanted();
  return all.compare(0, prefix.size(), prefix) == 0 ? all.substr(prefix.size()) : good;
}
inline double number(const char* kind, const std::string& place, double good) {
  return std::strtod(text(kind, place, std::to_string(good)).c_str(), nullptr);
}
inline unsigned size(const std::string& place, unsigned good) {
  return static_cast<unsigned>(number("size", place, good));
}
inline bool active(const char* kind, const std::string& place) {
  list(kind, place, "off");
  return wanted() == std::string(kind) + ":" + place;
}

/// connect<Kind>(from, to), which a fault leaves out, doubles or turns round.
template <typename Kind = void>
void join(const std::string& place, const adf::detail::port_base& from, const adf::detail::port_base& to) {
  if (active("drop", place)) {
    return;
  }
  if (active("turn", place)) {
    adf::connect<Kind>(to, from);
    return;
  }
  adf::connect<Kind>(from, to);
  if (active("double", place)) {
    adf::connect<Kind>(from, to);
  }
}

/// The attributes that every kernel has, each a place for faults.
inline void attributes(adf::kernel& k, const std::string& place, const char* file, int col, int row) {
  adf::source(k) = text("source", place, file) == "none" ? "" : file;
  adf::runtime<adf::ratio>(k) = number("ratio", place, 0.6);
  adf::stack_size(k) = static_cast<std::size_t>(number("stack", place, 1024));
  adf::location<adf::kernel>(k) =
      adf::tile(static_cast<int>(number("col", place, col)), static_cast<int>(number("row", place, row)));
}

/// Names and files of I/O, each a place for faults.
template <typename Io>
Io plio(const std::string& name, int bits, const std::string& file) {
  const int width = static_cast<int>(number("width", name, bits));
  return Io::create(text("name", name, name), static_cast<adf::plio_type>(width), text("file", name, file));
}

}  // namespace fault
