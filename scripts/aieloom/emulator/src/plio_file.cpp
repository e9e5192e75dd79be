// PLIO text files [UG1076 Simulation Input and Output Data]: one stream word a line, decimal numbers, or CSV.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "aieloom/report.h"
#include "files.h"
#include "runtime.h"

namespace aieloom {

namespace {

std::string folder(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : ".";
}

bool is_csv(const std::string& file) { return file.ends_with(".csv"); }

/// A line of a file, for messages.
struct Place {
  const std::string& file;
  std::size_t line;

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    refuse("plio-file", file + ":" + std::to_string(line) + ": " + problem, remedy);
  }
};

std::uint64_t float_bits(std::string_view text, std::size_t bytes, bool& good) {
  float value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  good = (result.ec == std::errc{} || result.ec == std::errc::result_out_of_range) && result.ptr == text.data() + text.size();
  std::uint32_t raw = 0;
  std::memcpy(&raw, &value, sizeof raw);
  if (bytes == 4) {
    return raw;
  }
  const bool is_nan = (raw & 0x7FFFFFFFU) > 0x7F800000U;
  return is_nan ? 0x7FC0U : (raw + 0x7FFFU + ((raw >> 16) & 1U)) >> 16;  // bfloat16, to nearest even
}

std::uint64_t int_bits(std::string_view text, const ElementType& type, const Place& place, bool& good) {
  std::int64_t value = 0;
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::result_out_of_range && !type.is_signed) {
    std::uint64_t large = 0;
    result = std::from_chars(text.data(), text.data() + text.size(), large);
    value = static_cast<std::int64_t>(large);
  }
  good = result.ec == std::errc{} && result.ptr == text.data() + text.size();
  const int width = static_cast<int>(8 * type.bytes);
  if (good && width < 64) {  // unsigned numbers may also be written as the signed ones with the same bits
    const std::int64_t low = -(std::int64_t{1} << (width - 1));
    const std::int64_t high = (std::int64_t{1} << (type.is_signed ? width - 1 : width)) - 1;
    if (value < low || value > high) {
      place.fail("'" + std::string(text) + "' is no " + type.name, "use " + std::to_string(type.is_signed ? low : 0) + ".." + std::to_string(high));
    }
  }
  return static_cast<std::uint64_t>(value);
}

/// The bits of a number that a file of hexadecimal numbers has, with or without 0x.
std::uint64_t hex_bits(std::string_view text, const ElementType& type, bool& good) {
  const std::string_view digits = text.starts_with("0x") || text.starts_with("0X") ? text.substr(2) : text;
  std::uint64_t bits = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  good = result.ec == std::errc{} && result.ptr == digits.data() + digits.size() && digits.size() <= 2 * type.bytes;
  return bits;
}

/// One number of the file's element type as little-endian bytes.
void append_number(std::vector<std::byte>& bytes, std::string_view text, const ElementType& type, bool hex, const Place& place) {
  bool good = false;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const std::uint64_t bits = hex             ? hex_bits(digits, type, good)
                             : type.is_float ? float_bits(digits, type.bytes, good)
                                             : int_bits(digits, type, place, good);
  if (!good) {
    place.fail("'" + std::string(text) + "' is no " + type.name + (hex ? " in hexadecimal digits" : ""),
               hex ? "write at most " + std::to_string(2 * type.bytes) + " hexadecimal digits a number"
                   : "write decimal numbers with blanks between them");
  }
  for (std::size_t i = 0; i < type.bytes; ++i) {
    bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
  }
}

void append_text(std::string& text, const std::byte* place, const ElementType& type) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < type.bytes; ++i) {
    bits |= static_cast<std::uint64_t>(place[i]) << (8 * i);
  }
  char buffer[64];
  std::to_chars_result result{};
  if (type.is_float) {
    const auto raw = static_cast<std::uint32_t>(type.bytes == 2 ? bits << 16 : bits);
    float value = 0;
    std::memcpy(&value, &raw, sizeof value);
    result = std::to_chars(buffer, buffer + sizeof buffer, value);
  } else if (type.is_signed) {
    const int shift = static_cast<int>(64 - 8 * type.bytes);
    result = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(bits << shift) >> shift);
  } else {
    result = std::to_chars(buffer, buffer + sizeof buffer, bits);
  }
  text.append(buffer, result.ptr);
}

std::vector<std::string_view> words_of(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(separators, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

const ElementType& header_type() {
  static const ElementType type{"packet header", 4, 1, false, false};
  return type;
}

/// Feeds one file into one stream, word by word.
class Feeder {
 public:
  Feeder(const PlioStream& plio, std::string file, std::string text)
      : plio_(plio), file_(std::move(file)), text_(std::move(text)), word_(plio.plio->bits / 8) {}

  void feed() {
    std::size_t number = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      const std::string_view line(text_.data() + at, end - at);
      at = end + 1;
      ++number;
      is_csv(file_) ? csv_line(line, {file_, number}) : text_line(line, {file_, number});
    }
    finish();
  }

 private:
  void text_line(std::string_view line, const Place& place) {
    const auto words = words_of(line, " \t\r,");
    if (words.empty() || words[0] == "T") {  // aiesimulator's time stamps
      return;
    }
    std::size_t first = 0;
    if (words[0] == "TLAST") {
      last_ = true;
      first = 1;
    }
    if (first < words.size()) {
      send({words.begin() + static_cast<std::ptrdiff_t>(first), words.end()}, place);
    }
  }

  void csv_line(std::string_view line, const Place& place) {
    auto words = words_of(line, " \t\r,");
    if (words.empty() || words[0].starts_with("#")) {
      return;
    }
    if (words[0] == "CMD") {
      columns_.assign(words.begin() + 1, words.end());
      return;
    }
    const std::string_view command = words[0].substr(0, words[0].find(':'));
    if (command == "STALL") {  // cycles without data: time does not matter here
      return;
    }
    if (command != "DATA" || columns_.empty()) {
      place.fail("'" + std::string(words[0]) + "' is no command" + (columns_.empty() ? " (and no line CMD,D,... came before)" : ""),
                 "begin with CMD,D,TLAST,TKEEP, then lines of DATA or STALL:<cycles>");
    }
    if (words.size() != columns_.size() + 1) {
      place.fail(std::to_string(words.size() - 1) + " values for " + std::to_string(columns_.size()) + " columns", "give every column a value");
    }
    std::vector<std::string_view> data;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == "TLAST") {
        last_ = words[i + 1] != "0";
      } else if (columns_[i].starts_with("D")) {
        data.push_back(words[i + 1]);
      }
    }
    std::uint64_t times = 1;
    if (const auto colon = words[0].find(':'); colon != std::string_view::npos) {
      std::from_chars(words[0].data() + colon + 1, words[0].data() + words[0].size(), times);
    }
    for (std::uint64_t i = 0; i < times; ++i) {
      send(data, place);
    }
  }

  /// One stream word: numbers of the element's type, in a packet after one header word.
  void send(const std::vector<std::string_view>& words, const Place& place) {
    std::vector<std::byte> bytes;
    bytes.reserve(word_);
    for (const std::string_view word : words) {
      const bool header = plio_.packets && begins_ && bytes.empty();
      append_number(bytes, word, header ? header_type() : plio_.element, plio_.plio->hex, place);
    }
    if (bytes.size() != word_ && !(last_ && plio_.packets && bytes.size() < word_ && bytes.size() % 4 == 0)) {
      place.fail(std::to_string(words.size()) + " numbers; a " + std::to_string(plio_.plio->bits) + "-bit PLIO takes " +
                     std::to_string(word_ / plio_.element.bytes) + " of " + plio_.element.name + " a line",
                 "write one stream word a line");
    }
    if (plio_.packets && begins_) {
      mend_parity(bytes.data(), place);
    }
    begins_ = last_;
    sent_ += bytes.size();
    plio_.stream->write(bytes.data(), bytes.size(), last_);
    last_ = false;
  }

  /// Published files have headers of even parity (XD100 n-body: 0x8fff0001), which aiesimulator takes and switches do not.
  void mend_parity(std::byte* header, const Place& place) {
    std::uint32_t word = 0;
    std::memcpy(&word, header, sizeof word);
    if (std::popcount(word) % 2 == 0) {
      static bool told = false;
      if (!std::exchange(told, true)) {
        warn("packet-header", place.file + ":" + std::to_string(place.line) + ": the header word " + std::to_string(word) +
                                  ", whose parity is not odd, as the array's switches want it, is sent with bit 31 the other way");
      }
      word ^= 1U << 31;
      std::memcpy(header, &word, sizeof word);
    }
  }

  void finish() {
    plio_.stream->set_writer("file " + file_ + ", which has ended");
    if (plio_.packets && !begins_) {
      warn("plio-file", file_ + " ends inside a packet: no TLAST before its last line");
    } else if (!plio_.packets && plio_.buffer_bytes != 0 && sent_ % plio_.buffer_bytes != 0) {
      warn("plio-file", file_ + " ends in the middle of a buffer: " + std::to_string(plio_.buffer_bytes - sent_ % plio_.buffer_bytes) +
                            " B are missing of the last " + std::to_string(plio_.buffer_bytes));
    }
  }

  const PlioStream& plio_;
  std::string file_, text_;
  std::size_t word_;
  std::vector<std::string_view> columns_;
  std::size_t sent_ = 0;
  bool last_ = false, begins_ = true;
};

/// What came out of one PLIO.
struct Collected {
  const PlioStream* plio;
  std::vector<std::byte> bytes;
  std::vector<std::size_t> ends;  // of packets and other runs that TLAST closed
  std::vector<std::uint64_t> times;  // cycles in which each 32-bit word came, in a timed run
};

Sequence<Collected>& collected() {
  static Sequence<Collected> all;
  return all;
}

/// One line of output: `TLAST` before the last word of a run, as inputs have it. In text a blank follows each number, the last
/// of a line too, as both of AMD's simulators write them (in all of 1,890 lines of aiesimulator's in public projects; programs
/// that check results read numbers up to a blank).
void put_line(std::string& text, const Collected& store, std::size_t from, std::size_t to, bool header, bool last) {
  const PlioStream& plio = *store.plio;
  const bool csv = is_csv(plio.plio->file);
  text += csv ? "DATA" : last ? "TLAST\n" : "";
  for (std::size_t at = from; at < to;) {
    text += csv ? "," : "";
    const bool is_header = header && at == from;
    static const ElementType signed_header{"packet header", 4, 1, false, true};
    append_text(text, store.bytes.data() + at, is_header ? signed_header : plio.element);
    text += csv ? "" : " ";
    at += is_header ? 4 : plio.element.bytes;
  }
  text += csv ? (last ? ",1,-1\n" : ",0,-1\n") : "\n";
}

/// A time as aiesimulator writes it: a whole number in the largest unit that has one.
std::string time_text(std::uint64_t cycles) {
  auto number = static_cast<std::uint64_t>(std::llround(static_cast<double>(cycles) * 1e6 / kArrayMhz));  // picoseconds
  const char* unit = "ps";
  for (const char* larger : {"ns", "us", "ms"}) {
    if (number == 0 || number % 1000 != 0) {
      break;
    }
    number /= 1000;
    unit = larger;
  }
  return std::to_string(number) + " " + unit;
}

std::string text_of(const Collected& store) {
  const PlioStream& plio = *store.plio;
  const std::size_t word = plio.plio->bits / 8;
  std::string text;
  if (is_csv(plio.plio->file)) {
    text = "CMD";
    for (std::size_t i = 0; i < word / plio.element.bytes; ++i) {
      text += ",D";
    }
    text += ",TLAST,TKEEP\n";
  }
  const bool stamped = !store.times.empty() && !is_csv(plio.plio->file) && std::getenv("AIELOOM_TIMESTAMPS") != nullptr;
  auto end = store.ends.begin();
  bool begins = true;
  for (std::size_t at = 0; at < store.bytes.size();) {
    const std::size_t run_end = end != store.ends.end() ? *end : store.bytes.size();
    std::size_t to = std::min(at + word, run_end);
    if ((to - at) % plio.element.bytes != 0) {
      to = at + (to - at) / plio.element.bytes * plio.element.bytes;  // half an element at the very end
      if (to == at) {
        break;
      }
    }
    const bool last = end != store.ends.end() && to == run_end;
    if (stamped) {
      text += "T " + time_text(store.times[(to - 1) / 4]) + "\n";
    }
    put_line(text, store, at, to, plio.packets && begins, last);
    begins = last;
    end += last ? 1 : 0;
    at = to;
  }
  return text;
}

/// The folder where a caller leaves arrays instead of text files and finds results; empty when there is none.
std::string arrays() {
  const char* value = std::getenv("AIELOOM_ARRAYS");
  return value != nullptr ? value : "";
}

/// Feed an array that the caller left for this PLIO, `in/<name>.<type>` as plain little-endian numbers; false when none.
bool attach_array(PlioStream& plio) {
  const std::string name = plio.plio->name + ".";
  for (const std::string& file : list_folder(arrays() + "/in")) {
    if (!file.starts_with(name)) {
      continue;
    }
    const std::string type = file.substr(name.size());
    static Sequence<std::string> given;
    std::string* bytes = &given.emplace_back();
    if (!read_file(arrays() + "/in/" + file, *bytes)) {
      refuse("plio-array", "the array for PLIO '" + plio.plio->name + "' cannot be read", "call emulate() again");
    }
    const std::size_t word = plio.plio->bits / 8;
    if (type != plio.element.name || bytes->size() % word != 0) {
      refuse("plio-array",
             "the array for PLIO '" + plio.plio->name + "' has " + std::to_string(bytes->size()) + " bytes of " + type +
                 "; the PLIO carries words of " + std::to_string(word) + " bytes of " + plio.element.name,
             "give an array of that type and of whole words");
    }
    plio.stream->set_writer("the array for PLIO '" + plio.plio->name + "'");
    spawn("array " + plio.plio->name, Role::kServer, [&plio, bytes] {
      const std::size_t most = plio.stream->capacity() / 2;
    for (std::size_t at = 0; at < bytes->size(); at += most) {
      plio.stream->write(bytes->data() + at, std::min(most, bytes->size() - at));
    }
      plio.stream->set_writer("the array for PLIO '" + plio.plio->name + "', which has ended");
    });
    return true;
  }
  return false;
}

}  // namespace

void attach_input_file(PlioStream& plio) {
  if (!arrays().empty() && attach_array(plio)) {
    return;
  }
  if (plio.plio->file.empty()) {
    refuse("plio-file", "PLIO '" + plio.plio->name + "' has no file for its data",
           "name one in input_plio::create, or run its PL kernels and its host program, too: --project FOLDER");
  }
  const std::string file = join(folder("AIELOOM_DATA"), plio.plio->file);
  std::string text;
  if (!read_file(file, text)) {
    refuse("plio-file", "PLIO '" + plio.plio->name + "' reads the file '" + file + "', which cannot be read",
           plio.plio->file.starts_with("/") ? "create it, or name it in input_plio::create from the data's folder on, which --data FOLDER gives: a path that begins with / stays as it is"
                                        : "create it, or say where the data are: --data FOLDER");
  }
  plio.stream->set_writer("file " + file);
  static Sequence<Feeder> feeders;
  Feeder* feeder = &feeders.emplace_back(plio, file, std::move(text));
  spawn("file " + file, Role::kServer, [feeder] { feeder->feed(); });
}

void attach_output_file(PlioStream& plio) {
  if (plio.plio->file.empty() && arrays().empty()) {
    refuse("plio-file", "PLIO '" + plio.plio->name + "' has no file for its data", "name one in output_plio::create");
  }
  for (const Collected& other : collected()) {
    if (other.plio->plio->file == plio.plio->file && arrays().empty()) {
      warn("plio-file", "PLIO '" + other.plio->plio->name + "' and PLIO '" + plio.plio->name + "' both write the file '" +
                            plio.plio->file + "': it will hold the data of the second");
    }
  }
  Collected& store = collected().emplace_back();
  store.plio = &plio;
  spawn("PLIO '" + plio.plio->name + "'", Role::kServer, [&plio, &store] {
    ByteStream& stream = *plio.stream;
    for (;;) {
      std::byte word[4];
      stream.read(plio.reader, word, sizeof word);  // may wait; what has come meanwhile is taken at once
      store.bytes.insert(store.bytes.end(), word, word + sizeof word);
      if (is_timed()) {
        store.times.push_back(running_clock().now());
      }
      if (stream.took_last(plio.reader)) {
        store.ends.push_back(store.bytes.size());
        continue;
      }
      if (is_timed()) {  // word by word, for each has a time
        continue;
      }
      const std::size_t n = std::min(stream.available(plio.reader) / 4 * 4, stream.until_last(plio.reader));
      const std::size_t at = store.bytes.size();
      store.bytes.resize(at + n);
      stream.read(plio.reader, store.bytes.data() + at, n);
      if (stream.took_last(plio.reader)) {
        store.ends.push_back(store.bytes.size());
      }
    }
  });
}

void write_output_files() {
  for (const Collected& store : collected()) {
    const bool as_array = !arrays().empty();
    const Plio& plio = *store.plio->plio;
    const std::string file = as_array ? arrays() + "/out/" + plio.name + "." + store.plio->element.name
                                      : join(folder("AIELOOM_OUT"), plio.file);
    const std::string text = as_array ? std::string() : text_of(store);
    const bool written = as_array ? write_file(file, store.bytes.data(), store.bytes.size())
                                  : write_file(file, text.data(), text.size());
    if (!written) {
      refuse("plio-file", "cannot write " + file,
             !as_array && plio.file.starts_with("/") ? "let its folder be written to, or name it in output_plio::create from the folder on that --out FOLDER gives: a path that begins with / stays as it is"
                                                 : "say where results go: --out FOLDER");
    }
  }
}

}  // namespace aieloom
