// PLIO text files [UG1076 Simulation Input and Output Data]: one stream word a line, decimal numbers.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "aieloom/report.h"
#include "runtime.h"

namespace aieloom {

namespace {

std::filesystem::path folder(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : ".";
}

[[noreturn]] void refuse_line(const std::string& file, std::size_t line, const std::string& problem,
                              const std::string& remedy) {
  refuse("plio-file", file + ":" + std::to_string(line) + ": " + problem, remedy);
}

/// One number of the file's element type as little-endian bytes.
void append_number(std::vector<std::byte>& bytes, const std::string& text, const ElementType& type,
                   const std::string& file, std::size_t line) {
  std::uint64_t bits = 0;
  const char* end = text.data() + text.size();
  bool good = false;
  if (type.is_float) {
    float value = 0;
    const auto result = std::from_chars(text.data(), end, value);
    good = result.ec == std::errc{} && result.ptr == end;
    std::uint32_t raw = 0;
    std::memcpy(&raw, &value, sizeof raw);
    bits = type.bytes == 2 ? raw >> 16 : raw;
  } else {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), end, value);
    good = result.ec == std::errc{} && result.ptr == end;
    const int width = static_cast<int>(8 * type.bytes);
    if (good && width < 64) {
      const std::int64_t low = type.is_signed ? -(std::int64_t{1} << (width - 1)) : 0;
      const std::int64_t high = (std::int64_t{1} << (type.is_signed ? width - 1 : width)) - 1;
      if (value < low || value > high) {
        refuse_line(file, line, "'" + text + "' is no " + type.name, "use " + std::to_string(low) + ".." + std::to_string(high));
      }
    }
    bits = static_cast<std::uint64_t>(value);
  }
  if (!good) {
    refuse_line(file, line, "'" + text + "' is no " + type.name, "write decimal numbers with blanks between them");
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

std::size_t numbers_per_line(const PlioStream& plio) {
  return plio.plio->bits / (8 * plio.element.bytes);
}

/// Read the file line by line into the stream; a line TLAST marks the next one.
void feed(const PlioStream& plio, const std::string& file, std::ifstream& in) {
  const std::size_t wanted = numbers_per_line(plio);
  std::string line;
  bool last = false;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    std::string word;
    std::vector<std::byte> bytes;
    std::size_t count = 0;
    while (words >> word) {
      if (word == "TLAST") {
        last = true;
        continue;
      }
      append_number(bytes, word, plio.element, file, number);
      ++count;
    }
    if (count == 0) {
      continue;
    }
    if (count != wanted) {
      refuse_line(file, number,
                  std::to_string(count) + " numbers; a " + std::to_string(plio.plio->bits) + "-bit PLIO takes " +
                      std::to_string(wanted) + " of " + plio.element.name + " a line",
                  "write one stream word a line");
    }
    plio.stream->write(bytes.data(), bytes.size(), last);
    last = false;
  }
  plio.stream->set_writer("file " + file + ", which has ended");
}

struct Collected {
  const PlioStream* plio;
  std::vector<std::byte> bytes;
};

std::vector<std::unique_ptr<Collected>>& collected() {
  static std::vector<std::unique_ptr<Collected>> all;
  return all;
}

}  // namespace

void attach_input_file(PlioStream& plio) {
  const std::string file = (folder("AIELOOM_DATA") / plio.plio->file).lexically_normal().string();
  auto in = std::make_shared<std::ifstream>(file);
  if (plio.plio->file.empty() || !*in) {
    refuse("plio-file", "PLIO '" + plio.plio->name + "' reads the file '" + file + "', which cannot be read",
           "create it, or say where the data are: --data FOLDER");
  }
  spawn("file " + file, Role::kServer, [&plio, file, in] { feed(plio, file, *in); });
}

void attach_output_file(PlioStream& plio) {
  collected().push_back(std::make_unique<Collected>());
  Collected& store = *collected().back();
  store.plio = &plio;
  spawn("file of PLIO '" + plio.plio->name + "'", Role::kServer, [&plio, &store] {
    std::byte word[16];
    const std::size_t bytes = plio.plio->bits / 8;
    for (;;) {
      plio.stream->read(plio.reader, word, bytes);
      store.bytes.insert(store.bytes.end(), word, word + bytes);
    }
  });
}

void write_output_files() {
  for (const auto& store : collected()) {
    const PlioStream& plio = *store->plio;
    const auto file = folder("AIELOOM_OUT") / plio.plio->file;
    std::string text;
    const std::size_t per_line = numbers_per_line(plio);
    const std::size_t numbers = store->bytes.size() / plio.element.bytes;
    for (std::size_t i = 0; i < numbers; ++i) {
      append_text(text, store->bytes.data() + i * plio.element.bytes, plio.element);
      text += (i + 1) % per_line == 0 ? '\n' : ' ';
    }
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
      refuse("plio-file", "cannot write " + file.string(), "say where results go: --out FOLDER");
    }
  }
}

}  // namespace aieloom
