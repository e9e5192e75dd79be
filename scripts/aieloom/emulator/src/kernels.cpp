// Kernels' code: each source is a library of its own, as the vendor compiles each core's program apart.
//
// The graph's program only declares kernel functions; the builder gives it a small jump for each (a "slot"), whose
// target is set here. Libraries with variables of static storage are loaded once for each core, because every core
// has its own [UG1076 Memory Model].
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "aieloom/report.h"
#include "files.h"
#include "runtime.h"

extern "C" {
/// Written by the builder: the functions that the graph uses and kernel sources define. Absent in other programs.
extern __attribute__((weak)) const char* const aieloom_slot_names[];
/// What each jump goes to where the running kernel's source does not define the function: it calls the function below.
extern __attribute__((weak)) void* const aieloom_slot_missing[];
/// What the jumps go through: the running core's table.
void** aieloom_slots = const_cast<void**>(aieloom_slot_missing);
[[noreturn]] void aieloom_missing_function(unsigned slot);
}

namespace aieloom {

namespace {

/// A line of the file beside the program: a source as the graph names it, its library, whether cores share it.
struct Library {
  std::string file;
  bool shared = true;
};

FlatMap<std::string, Library> libraries() {
  FlatMap<std::string, Library> found;
  const std::string exe = program_file();
  std::string rows;
  read_file(exe + ".kernels", rows);  // none: a program whose kernels are its own
  for (std::size_t at = 0; at < rows.size();) {
    const std::size_t file = rows.find('\t', at) + 1, mode = rows.find('\t', file) + 1, end = rows.find('\n', mode);
    found[rows.substr(at, file - 1 - at)] = {exe.substr(0, exe.rfind('/') + 1) + rows.substr(file, mode - 1 - file),
                                             rows.substr(mode, end - mode) == "shared"};
    at = end + 1;
  }
  return found;
}

void* open_library(const std::string& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    refuse("kernel-source", std::string("a kernel's library cannot be loaded: ") + dlerror(), "build again");
  }
  return handle;
}

/// Another instance of a library: the loader tells files apart by inode, so it gets a copy.
void* open_copy(const std::string& file) {
  const int from = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const int to = memfd_create("kernel", MFD_CLOEXEC);
  struct stat info {};
  if (from < 0 || to < 0 || fstat(from, &info) != 0) {
    refuse("kernel-source", "cannot copy " + file, "build again");
  }
  for (off_t left = info.st_size; left > 0;) {
    const ssize_t n = sendfile(to, from, nullptr, static_cast<std::size_t>(left));
    if (n <= 0) {
      refuse("kernel-source", "cannot copy " + file, "build again");
    }
    left -= n;
  }
  close(from);
  // It stays open: its path is the library's name for the loader, and for addr2line, which is another process.
  return open_library("/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(to));
}

/// The function by which the builder makes an instance of a template in the source's library (libraries.py).
std::string instance_name(const std::string& name) {
  std::string linked = "aieloom_init";
  for (const char c : name) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "_%02x", static_cast<unsigned char>(c));
    linked += digits;
  }
  return linked;
}

/// A function by its source name: C linkage, a C++ function without parameters, or an instance of a template.
void* find_init(void* handle, const std::string& name) {
  std::string mangled;
  std::size_t parts = 0;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find("::", at), name.size());
    mangled += std::to_string(end - at) + name.substr(at, end - at);
    ++parts;
    at = end + 2;
  }
  mangled = parts > 1 ? "_ZN" + mangled + "Ev" : "_Z" + mangled + "v";
  for (const std::string& symbol : {mangled, name, instance_name(name)}) {
    if (void* found = handle != nullptr ? dlsym(handle, symbol.c_str()) : dlsym(RTLD_DEFAULT, symbol.c_str())) {
      return found;
    }
  }
  return nullptr;
}

/// The C++ spelling of a linker name.
std::string plain_name(const char* name) {
  char* plain = abi::__cxa_demangle(name, nullptr, nullptr, nullptr);
  std::string text = plain != nullptr ? plain : name;
  std::free(plain);
  return text;
}

/// Where an instance of a library is used: cores on one tile share its variables.
using Instance = std::pair<std::string, std::pair<int, int>>;

class Loader {
 public:
  Loader() : libraries_(libraries()) {
    rlimit files{};  // every copy of a library is an open file
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
      files.rlim_cur = files.rlim_max;
      setrlimit(RLIMIT_NOFILE, &files);
    }
    while (aieloom_slot_names != nullptr && aieloom_slot_names[count_] != nullptr) {
      ++count_;
    }
  }

  void load(Core& core) {
    void* handle = library_of(core);
    core.library = handle;
    core.slots = table_of(handle);
    const std::string name = core.kernel.code != nullptr ? linker_name(core.kernel.code) : std::string();
    void* own = handle != nullptr && !name.empty() ? dlsym(handle, name.c_str()) : nullptr;  // libraries.py has seen that it is there
    core.code = own != nullptr ? own : core.kernel.code;
    if (!core.kernel.initialization_function.empty()) {
      core.init = reinterpret_cast<void (*)(void*)>(find_init(handle, core.kernel.initialization_function));
      if (core.init == nullptr) {
        refuse("kernel-init", core.kernel.name + ": there is no function 'void " + core.kernel.initialization_function + "()'",
               "define it in " + core.kernel.source);
      }
    }
  }

 private:
  void* library_of(const Core& core) {
    const Library* library = libraries_.find(core.kernel.source);
    if (library == nullptr) {
      return nullptr;  // linked into the program
    }
    const Location& tile = core.kernel.tile;
    const bool placed = tile.kind == Location::Kind::kTile;
    Instance place{library->file, placed ? std::pair{tile.col, tile.row} : std::pair{-1, unplaced_}};
    if (library->shared) {
      place.second = {-1, -1};
    } else if (!placed) {
      ++unplaced_;
    }
    if (void* const* found = handles_.find(place)) {
      return *found;
    }
    const bool first = !holds(opened_, place.first);
    opened_.push_back(place.first);
    return handles_[place] = first ? open_library(place.first) : open_copy(place.first);
  }

  void** table_of(void* handle) {
    auto& table = tables_[handle];
    if (table == nullptr) {
      table = new void*[count_ + 1]();
      for (std::size_t i = 0; i < count_; ++i) {
        void* found = handle != nullptr ? dlsym(handle, aieloom_slot_names[i]) : nullptr;
        table[i] = found != nullptr ? found : aieloom_slot_missing[i];
      }
    }
    return table;
  }

  FlatMap<std::string, Library> libraries_;
  FlatMap<Instance, void*> handles_;
  std::vector<std::string> opened_;
  FlatMap<void*, void**> tables_;  // a table never moves
  std::size_t count_ = 0;
  int unplaced_ = 0;
};

/// A name that a tab-separated file can hold.
void put(std::FILE* out, const std::string& text, char end) {
  for (const char c : text) {
    std::fputc(c == '\t' || c == '\n' ? ' ' : c, out);
  }
  std::fputc(end, out);
}

}  // namespace

extern "C" void aieloom_missing_function(unsigned slot) {
  const bool in_kernel = core_local() != nullptr;
  refuse("kernel-source",
         std::string(in_kernel ? "a kernel" : "the graph's program") + " calls " + plain_name(aieloom_slot_names[slot]) + ", which " +
             (in_kernel ? "its source does not define" : "no source of the graph defines: files that source() names are programs of the cores"),
         in_kernel ? "define it in the file that source() names, or in a file that it includes"
                   : "define it in the graph's source, or in a file that it includes");
}

void load_kernels(Sequence<Core>& cores) {
  static Loader loader;  // keeps the tables that the jumps go through
  for (Core& core : cores) {
    loader.load(core);
  }
}

void discover() {
  const char* target = std::getenv("AIELOOM_DISCOVER");
  if (target == nullptr) {
    return;
  }
  std::FILE* out = std::fopen(target, "w");
  if (out == nullptr) {
    refuse("discover", std::string("cannot write ") + target, "");
  }
  for (const Kernel& k : design().kernels) {
    put(out, k.name, '\t');
    put(out, k.source, '\t');
    put(out, k.code != nullptr ? linker_name(k.code) : k.function, '\t');
    put(out, k.code != nullptr ? "function" : "class", '\t');
    put(out, k.initialization_function, '\t');
    std::string headers;
    for (const std::string& h : k.headers) {
      headers += (headers.empty() ? "" : ":") + h;
    }
    put(out, headers, '\n');
  }
  std::fclose(out);
  std::fflush(stdout);
  std::_Exit(0);
}

namespace {

/// Linked last, so that it runs when all graphs at file scope exist.
struct AtStart {
  AtStart() {
    if (!design().kernels.empty()) {
      discover();
    }
  }
};

}  // namespace

}  // namespace aieloom

extern "C" const aieloom::AtStart aieloom_at_start;
const aieloom::AtStart aieloom_at_start;
