// A test bench of one PL kernel: what it was given in the emulated system, and what it gave there.
//
//   kernel.ports:  kernel's arguments in order, each a line `kind name bits bytes` and its bytes
//     scalar, memory   a value; what lay in memory when the kernel was started
//     in, out          the words of a stream, each as its bytes and one for TLAST; of an array of streams one after another
//     after            what lay in memory when it had ended, behind all others
//     shared           the same where other kernels write too: what this one writes has to lie there
//
// `run(kernel, file)` calls the kernel once and compares: 0 where all is the same, as C simulation wants it.
#pragma once

#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace aieloom {
namespace bench {

struct Record {
  std::string kind, name;
  std::size_t bits = 0;
  std::vector<char> bytes;
};

inline std::vector<Record> records_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<Record> found;
  Record r;
  std::size_t size = 0;
  while (in >> r.kind >> r.name >> r.bits >> size) {
    in.ignore(1);
    r.bytes.resize(size);
    in.read(r.bytes.data(), static_cast<std::streamsize>(size));
    found.push_back(r);
  }
  return found;
}

/// What is read and compared: the records, and how many differences were told.
struct Bench {
  explicit Bench(const std::string& file) : records(records_of(file)) {}

  /// The records of the next argument: one, or one for each stream of an array.
  std::vector<Record> next() {
    std::vector<Record> found;
    do {
      found.push_back(records.at(at++));
    } while (at < records.size() && records[at].name == found[0].name && records[at].kind == found[0].kind);
    return found;
  }

  void tell(const std::string& text) {
    if (++differences <= kTold) {
      std::printf("%s\n", text.c_str());
    }
  }

  static constexpr int kTold = 10;
  std::vector<Record> records;
  std::size_t at = 0, compared = 0;
  int differences = 0;
};

/// A word of a stream, as its bytes and one for TLAST: ap_uint here, words of AXI streams below.
template <class Word, class = void>
struct Wire {
  static Word word_of(const unsigned char* bytes, int bits) {
    Word made = 0;
    for (int i = 0; i < bits; i += 8) {
      made.range(i + 7 < bits ? i + 7 : bits - 1, i) = bytes[i / 8];
    }
    return made;
  }
  static bool is(const Word& word, const unsigned char* bytes, int bits) { return word == word_of(bytes, bits); }
};

template <class Word>
struct Wire<Word, decltype(static_cast<void>(std::declval<Word&>().last))> {
  using Data = Wire<typename std::remove_reference<decltype(std::declval<Word&>().data)>::type>;

  static Word word_of(const unsigned char* bytes, int bits) {
    Word made;
    made.data = Data::word_of(bytes, bits);
    made.keep = -1;
    made.strb = -1;
    made.last = bytes[bits / 8];
    return made;
  }
  static bool is(const Word& word, const unsigned char* bytes, int bits) {
    return Data::is(word.data, bytes, bits) && (word.last != 0) == (bytes[bits / 8] != 0);
  }
};

/// One argument of the kernel: made of its records, passed, compared.
template <class T>
class Argument {
 public:
  explicit Argument(Bench& b) { std::memcpy(&value_, b.next()[0].bytes.data(), sizeof value_); }
  T pass() { return value_; }
  void compare(Bench&) {}

 private:
  T value_{};
};

template <class T>
class Argument<T*> {
 public:
  using Value = typename std::remove_const<T>::type;

  explicit Argument(Bench& b) : record_(b.next()[0]), values_(record_.bytes.size() / sizeof(Value) + 1) {
    std::memcpy(static_cast<void*>(values_.data()), record_.bytes.data(), record_.bytes.size());
  }
  T* pass() { return values_.data(); }
  void compare(Bench& b) {
    for (const Record& r : b.records) {
      if (!std::is_const<T>::value && r.name == record_.name && (r.kind == "after" || r.kind == "shared")) {
        compare_with(r, b);
      }
    }
  }

 private:
  void compare_with(const Record& r, Bench& b) {
    const char* made = reinterpret_cast<const char*>(values_.data());
    std::size_t differ = 0;
    for (std::size_t i = 0; i < r.bytes.size(); ++i) {
      const bool counts = r.kind == "after" || made[i] != record_.bytes[i];
      b.compared += counts ? 1 : 0;
      differ += counts && made[i] != r.bytes[i] ? 1 : 0;
    }
    if (differ > 0) {
      b.tell(r.name + ": " + std::to_string(differ) + " bytes are others than in the emulated system");
    }
  }

  Record record_;
  std::vector<Value> values_;
};

template <class Word, int kDepth>
class Argument<hls::stream<Word, kDepth>*> {
 public:
  using Stream = hls::stream<Word, kDepth>;

  explicit Argument(Bench& b) : records_(b.next()), streams_(new Stream[records_.size()]) {
    for (std::size_t s = 0; s < records_.size(); ++s) {
      const Record& r = records_[s];
      for (std::size_t i = 0; r.kind == "in" && i < r.bytes.size(); i += r.bits / 8 + 1) {
        streams_[s].write(Wire<Word>::word_of(bytes(r, i), static_cast<int>(r.bits)));
      }
    }
  }
  Stream* pass() { return streams_.get(); }
  void compare(Bench& b) {
    for (std::size_t s = 0; s < records_.size(); ++s) {
      const Record& r = records_[s];
      const std::size_t each = r.bits / 8 + 1;
      const std::string name = r.name + (records_.size() > 1 ? "[" + std::to_string(s) + "]" : "");
      for (std::size_t i = 0; r.kind == "out" && i < r.bytes.size(); i += each) {
        ++b.compared;
        if (!Wire<Word>::is(streams_[s].read(), bytes(r, i), static_cast<int>(r.bits))) {
          b.tell(name + ": word " + std::to_string(i / each) + " is another one than in the emulated system");
        }
      }
      if (r.kind == "out" && !streams_[s].empty()) {
        b.tell(name + ": more words than in the emulated system");
      }
    }
  }

 private:
  static const unsigned char* bytes(const Record& r, std::size_t i) { return reinterpret_cast<const unsigned char*>(r.bytes.data()) + i; }

  std::vector<Record> records_;
  std::unique_ptr<Stream[]> streams_;
};

template <class Word, int kDepth>
class Argument<hls::stream<Word, kDepth>&> : public Argument<hls::stream<Word, kDepth>*> {
 public:
  using Argument<hls::stream<Word, kDepth>*>::Argument;
  hls::stream<Word, kDepth>& pass() { return *Argument<hls::stream<Word, kDepth>*>::pass(); }
};

template <class... P, std::size_t... I>
void call(void (*kernel)(P...), std::tuple<std::unique_ptr<Argument<P>>...>& arguments, Bench& b, std::index_sequence<I...>) {
  kernel(std::get<I>(arguments)->pass()...);
  const int each[] = {(std::get<I>(arguments)->compare(b), 0)...};
  static_cast<void>(each);
}

template <class... P>
int run(void (*kernel)(P...), const char* file) {
  Bench b(file);
  if (b.records.empty()) {
    std::printf("%s is not there, or has nothing\n", file);
    return 1;
  }
  // In braces: made one after another, as the records lie.
  std::tuple<std::unique_ptr<Argument<P>>...> arguments{std::unique_ptr<Argument<P>>(new Argument<P>(b))...};
  call(kernel, arguments, b, std::index_sequence_for<P...>{});
  const bool passes = b.differences == 0 && b.compared > 0;  // what gives nothing shows nothing
  std::printf("%s: %zu words and bytes compared, %d of them differ\n", passes ? "PASS" : "FAIL", b.compared, b.differences);
  return passes ? 0 : 1;
}

}  // namespace bench
}  // namespace aieloom
