// The grammar of system.cfg [UG1702 v++ configuration file: connectivity, clock, advanced, vivado, profile, debug].
#include "config.h"

#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "aieloom/report.h"

namespace aieloom {

namespace {

/// A key's form: one letter for each part between colons, ? after the optional last one; and how to write it.
struct Form {
  const char* parts;
  const char* shape;
};

constexpr const char* kAnything = "";

const std::map<std::string, std::map<std::string, Form>>& sections() {
  static const Form stream{"ee*?", "<source unit>.<port>:<target unit>.<port>[:<depth>]"};
  static const Form setting{"=", "<name>=<value>"};
  static const std::map<std::string, std::map<std::string, Form>> known = {
      {"connectivity",
       {{"nk", {"u**?", "<kernel>:<number>[:<unit>,<unit>...]"}},
        {"sc", stream},
        {"stream_connect", stream},
        {"sp", {"em", "<unit>.<argument>:<memory>, e.g. mm2s_1.memory:DDR"}},
        {"slr", {"us", "<unit>:SLR<number>"}},
        {"region", {"uu", "<label>:<unit>"}},
        {"connect", {"**", "<source>:<target>"}}}},
      {"clock",
       {{"freqHz", {"f*", "<Hz>:<unit>[,<unit>...]"}},
        {"id", {"n*", "<number>:<unit>[,<unit>...]"}},
        {"defaultFreqHz", {"f", "<Hz>"}},
        {"defaultId", {"n", "<number>"}},
        {"defaultTolerance", {"t*?", "<tolerance>"}},
        {"tolerance", {"t*", "<tolerance>:<unit>[,<unit>...]"}}}},
      {"advanced", {{"param", setting}, {"prop", setting}, {"misc", setting}}},
      {"vivado",
       {{"prop", setting},
        {"param", setting},
        {"impl.strategies", {kAnything, ""}},
        {"impl.jobs", {"n", "<number>"}},
        {"impl.lsf", {kAnything, ""}},
        {"synth.jobs", {"n", "<number>"}},
        {"synth.lsf", {kAnything, ""}}}},
      {"profile",
       {{"data", {"***c?", "<kernel|all>:<unit|all>:<port|all>[:counters|all]"}},
        {"stall", {"**c?", "<kernel|all>:<unit|all>[:counters|all]"}},
        {"exec", {"**c?", "<kernel|all>:<unit|all>[:counters|all]"}},
        {"memory", {"*", "all or a memory"}},
        {"aie", {"*", "all or a PLIO"}},
        {"trace_memory", {"**?", "DDR, LPDDR or FIFO:<size>"}}}},
      {"debug",
       {{"chipscope", {"**?", "<unit>[:<port>]"}},
        {"aie.chipscope", {"*", "a PLIO"}},
        {"protocol", {"**?", "<unit>[:<port>]"}},
        {"list_ports", {kAnything, ""}}}},
  };
  return known;
}

bool all_of(const std::string& text, const char* allowed) { return !text.empty() && text.find_first_not_of(allowed) == std::string::npos; }

bool is_word(const std::string& text) {
  return all_of(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

/// Whether one part of a value is what a letter of its form stands for.
bool fits(char letter, const std::string& part) {
  constexpr const char* kDigits = "0123456789";
  const auto dot = part.find('.');
  switch (letter) {
    case 'e':  // the end of a connection: <unit>.<port>
      return dot != std::string::npos && is_word(part.substr(0, dot)) && dot + 1 < part.size();
    case 'u':
      return is_word(part);
    case 'n':
      return all_of(part, kDigits);
    case 't':
      return all_of(part, "0123456789.");
    case 'f': {  // whole Hz, or MHz with a unit and at most 6 decimals [UG1700]
      const std::string number = part.ends_with("MHz") ? part.substr(0, part.size() - 3) : part;
      const std::string decimals = dot == std::string::npos ? "0" : number.substr(dot + 1);
      return all_of(number.substr(0, dot), kDigits) && all_of(decimals, kDigits) && decimals.size() <= 6;
    }
    case 'm':  // a memory, perhaps with a number or a range
      return is_word(part.substr(0, part.find('['))) && (part.find('[') == std::string::npos || part.back() == ']');
    case 's':
      return part.starts_with("SLR") && all_of(part.substr(3), kDigits);
    case 'c':
      return part == "counters" || part == "all";
    default:
      return !part.empty() && part.find_first_of(" \t") == std::string::npos;
  }
}

/// Whether a value has the form of its key.
bool has_form(const std::string& value, const std::string& form) {
  if (form == "=") {
    const auto equals = value.find('=');
    return equals != std::string::npos && equals > 0 && value.find_first_of(" \t") > equals;
  }
  const bool optional = form.ends_with('?');
  const std::string letters = optional ? form.substr(0, form.size() - 1) : form;
  auto parts = split(value, ':');
  if (letters.ends_with('m') && parts.size() > letters.size()) {  // the colon of a range, DDR[0:3]
    parts[letters.size() - 1] += ":" + parts.back();
    parts.resize(letters.size());
  }
  bool good = letters.empty() || (parts.size() <= letters.size() && parts.size() + (optional ? 1 : 0) >= letters.size());
  for (std::size_t i = 0; good && i < parts.size() && i < letters.size(); ++i) {
    good = fits(letters[i], parts[i]);
  }
  return good;
}

/// Sections of the other steps, which one file for all of them may have.
bool of_another_step(const std::string& section) {
  return section == "hls" || section == "package" || section == "aie" || section == "linker";
}

/// Options of the tool itself, above the sections.
bool is_plain_option(const std::string& key) {
  static const std::set<std::string> known = {
      "platform", "part", "target", "include", "freqhz", "kernel", "kernel_frequency", "save-temps", "temp_dir", "report_dir", "log_dir",
      "output", "debug", "optimize", "report_level", "jobs", "verbose", "message-rules", "input_files", "link", "define", "remote_ip_cache",
      "no_ip_cache", "user_ip_repo_paths", "profile_kernel", "custom_script", "export_archive",
  };
  return known.contains(key);
}

std::string known_names(const std::map<std::string, Form>& keys) {
  std::string names;
  for (const auto& [name, form] : keys) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void check(const ConfigEntry& entry) {
  if (entry.section.empty()) {
    if (!is_plain_option(entry.key)) {
      refuse_entry("cfg-key", entry, "v++ has no option '" + entry.key + "' outside the sections",
                   "put it into its section, e.g. [connectivity], or correct its name");
    }
    return;
  }
  if (of_another_step(entry.section)) {
    return;
  }
  const auto& keys = sections().at(entry.section);
  const auto found = keys.find(entry.key);
  if (found == keys.end()) {
    refuse_entry("cfg-key", entry, "[" + entry.section + "] has no key '" + entry.key + "'", "its keys are: " + known_names(keys));
  }
  if (!has_form(entry.value, found->second.parts)) {
    refuse_entry("cfg-value", entry, "not of the form of this key", "write " + entry.key + "=" + found->second.shape);
  }
}

[[noreturn]] void refuse_line(const char* rule, std::size_t line, const std::string& text, const std::string& problem, const std::string& remedy) {
  refuse(rule, "system.cfg:" + std::to_string(line) + ": " + text + ": " + problem, remedy);
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(trim(part));
  }
  return parts;
}

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  const auto last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

void refuse_entry(const char* rule, const ConfigEntry& entry, const std::string& problem, const std::string& remedy) {
  refuse_line(rule, entry.line, entry.key + "=" + entry.value, problem, remedy);
}

int number_in(const ConfigEntry& entry, const std::string& text, int least, const char* what) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least) {
    refuse_entry("cfg-value", entry, std::string("'") + text + "' is no " + what,
                 "write a whole number, at least " + std::to_string(least));
  }
  return value;
}

std::vector<ConfigEntry> read_config(std::istream& in) {
  std::vector<ConfigEntry> entries;
  std::string section;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) {
      line.erase(0, 3);  // the byte order mark of some editors
    }
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) {
      continue;
    }
    if (line.front() == '[') {
      section = trim(line.substr(1, line.find(']') - 1));
      if (line.back() != ']' || (!sections().contains(section) && !of_another_step(section))) {
        refuse_line("cfg-section", number, line, "v++ has no such section",
                    "use [connectivity], [clock], [advanced], [vivado], [profile] or [debug]");
      }
      continue;
    }
    const auto equals = line.find('=');
    if (equals == std::string::npos) {
      refuse_line("cfg-line", number, line, "neither a section nor key=value", "write key=value, or begin comments with #");
    }
    entries.push_back({section, trim(line.substr(0, equals)), trim(line.substr(equals + 1)), number});
    check(entries.back());
  }
  return entries;
}

}  // namespace aieloom
