// The lines of system.cfg, checked against the grammar of v++ before anything is made of them.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace aieloom {

/// One `key=value` with its place.
struct ConfigEntry {
  std::string section, key, value;
  std::size_t line = 0;
};

/// Refuse a line: "system.cfg:7: sc=a.x:b.y: <problem>".
[[noreturn]] void refuse_entry(const char* rule, const ConfigEntry& entry, const std::string& problem, const std::string& remedy);

/// Read all lines; refuses sections and keys that v++ does not have, and values that are not of their key's form.
[[nodiscard]] std::vector<ConfigEntry> read_config(std::istream& in);

[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
[[nodiscard]] std::string trim(const std::string& text);

/// A whole number not below `least`; refuses the entry otherwise.
[[nodiscard]] int number_in(const ConfigEntry& entry, const std::string& text, int least, const char* what);

}  // namespace aieloom
