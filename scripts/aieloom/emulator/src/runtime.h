// The elaborated design: cores, buffers and streams, made once from the graph's description.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "aieloom/buffer.h"
#include "aieloom/buffer_pool.h"
#include "aieloom/byte_stream.h"
#include "aieloom/core_state.h"
#include "aieloom/design.h"
#include "aieloom/scheduler.h"
#include "aieloom/sequence.h"
#include "lanes.h"

namespace aieloom {

/// A run-time parameter of a kernel: storage, and who has seen which version of it [UG1079].
class Rtp final : public Waitable {
 public:
  explicit Rtp(Port& p);

  /// What a kernel does before and after a call.
  void before_call();
  void after_call();

  /// From the host or another kernel; each waits for the kernel when the parameter is synchronous.
  void update(const void* values);
  void read(void* values);

  [[nodiscard]] bool asynchronous() const;
  [[nodiscard]] std::string describe() const override;

  Port& port;
  std::size_t bytes;
  struct alignas(32) Word {  // as buffers are: kernels load vectors of arrays
    std::byte bytes[32];
  };
  std::vector<Word> storage;  // what the kernel sees during a call
  std::vector<Rtp*> targets;             // inputs of other kernels that this output feeds

 private:
  std::vector<std::vector<std::byte>> pending_;  // synchronous values on their way, oldest first
  std::vector<std::byte> latest_;               // asynchronous value
  bool has_value_ = false;
};

/// A kernel on its core: one fiber that runs as many iterations as were asked for.
class Core final : public Waitable {
 public:
  explicit Core(Kernel& kernel);

  /// Start the fiber; ports are bound by then.
  void start();
  void request(std::int64_t iterations);
  [[nodiscard]] bool idle() const noexcept { return done_ >= requested_; }
  [[nodiscard]] bool for_ever() const noexcept;
  [[nodiscard]] bool was_asked() const noexcept { return requested_ != 0; }

  [[nodiscard]] std::int64_t calls() const noexcept { return calls_; }
  /// Changes with each call and each word.
  [[nodiscard]] std::uint64_t progress() const;
  /// Bytes that have passed at a stream argument's end, in all and in the calls that have ended.
  [[nodiscard]] std::uint64_t moved(std::size_t argument) const;
  [[nodiscard]] std::uint64_t moved_in_calls(std::size_t argument) const {
    return argument < moved_.size() ? moved_[argument] : 0;
  }

  /// One line of what the kernel has done; a build with -DAIELOOM_COUNTED counts.
  [[nodiscard]] std::string counts() const;
  [[nodiscard]] bool has_counted() const;
  /// For --timed: how often each block of its source's code ran, one line of a table.
  void write_blocks(std::FILE* out) const;
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] Name waker() const override { return kernel.name; }

  /// In a timed run, when the host asked for what it does, and when it was done.
  [[nodiscard]] std::uint64_t done_at() const noexcept { return done_at_; }

  Kernel& kernel;
  Lane lane;
  const void* code = nullptr;   // the function, as its source's library has it
  void (*init)(void*) = nullptr;  // initialization_function; of a class it may be a member: it is given the object
  void* library = nullptr;      // its source's, as dlopen() gave it
  void** slots = nullptr;       // what the graph's own code reaches this kernel's source by
  std::vector<CoreArgument> arguments;                // in the order of the function's parameters
  Sequence<BufferPort> buffers;
  std::vector<BufferPort*> synchronous_in;            // acquired before, released after every call
  std::vector<BufferPort*> synchronous_out;
  std::vector<StreamEnd*> streams_in, streams_out;    // physical ports 0, 1
  std::vector<Rtp*> parameters;

 private:
  void run();
  void call();
  [[nodiscard]] bool passes_by();

  void* object_ = nullptr;  // of the kernel class; as on a core, it ends with the program
  std::int64_t requested_ = 0;
  std::int64_t done_ = 0;
  std::int64_t calls_ = 0;
  std::uint64_t* tile_free_ = nullptr;  // from the first call on
  std::uint64_t requested_at_ = 0, done_at_ = 0;  // cycles
  std::vector<std::uint64_t> moved_;  // by argument, when the last call ended
  OperationCounts counts_;
};

/// Refuse a kernel that computes for too long without coming back (watch.cpp); begins with the first core.
void watch_kernels();

/// The core whose kernel is running; null on the host's stack and in DMA channels.
[[nodiscard]] Core* running_core();

/// A PLIO's stream, with the open end that the PL (or a file) takes.
struct PlioStream {
  Plio* plio = nullptr;
  ByteStream* stream = nullptr;
  int reader = 0;          // of the open end, for outputs of the array
  ElementType element;     // of the kernels behind it, for text files
  std::size_t buffer_bytes = 0;  // of the kernels' buffers behind it, 0 for streams
  bool packets = false;    // every packet begins with a header word
};

/// A GMIO's stream and its queue of transfers.
struct GmioChannel;

/// Who is at the open ends of the PLIOs.
enum class Outside { kFiles, kProgrammableLogic };

class Runtime {
 public:
  static Runtime& instance();

  /// Make everything from the design; once.
  void elaborate(Outside outside);
  [[nodiscard]] bool elaborated() const noexcept { return elaborated_; }
  [[nodiscard]] Outside outside() const noexcept { return outside_; }

  /// The cores of a top-level graph.
  [[nodiscard]] std::vector<Core*> cores_of(const void* graph);
  [[nodiscard]] std::vector<Core*> all_cores();
  [[nodiscard]] Sequence<Core>& cores() { return cores_; }
  [[nodiscard]] const Sequence<Core>& cores() const { return cores_; }
  [[nodiscard]] const Sequence<ByteStream>& streams() const { return streams_; }
  [[nodiscard]] PlioStream* find_plio(const std::string& name);
  [[nodiscard]] Sequence<PlioStream>& plios() { return plios_; }
  [[nodiscard]] Sequence<ByteStream>& streams() { return streams_; }
  [[nodiscard]] GmioChannel& gmio(const Gmio& gmio);

  /// The run-time parameters that a graph's port (or a kernel's own) stands for: inputs to update, or the one to read.
  [[nodiscard]] std::vector<Rtp*> parameters_of(Port& port, bool to_update);

  /// The inputs of other kernels that a kernel's inout parameter feeds.
  [[nodiscard]] std::vector<Rtp*> parameters_of_beyond(const Port& port);

  /// Start iterations of a graph (for ever when negative).
  void run(const void* graph, std::int64_t iterations);

  /// Wait until all cores have done what was asked for.
  void wait(const void* graph);

  /// Print what each kernel has done when the program ends.
  static void count_at_exit();

  /// Let everything run until nothing can.
  void rest();

  /// Let everything run until nothing can, then write the files of output PLIOs.
  void settle();

 private:
  friend class Elaborator;
  bool elaborated_ = false;
  Outside outside_ = Outside::kFiles;
  Sequence<Core> cores_;
  Sequence<BufferPool> pools_;
  Sequence<ByteStream> streams_;
  Sequence<StreamEnd> ends_;
  Sequence<Rtp> rtps_;
  FlatMap<const Port*, Rtp*> rtp_of_;
  Sequence<PlioStream> plios_;
  FlatMap<const Gmio*, GmioChannel*> gmios_;
};

/// Feed an input PLIO from its text file, or collect an output PLIO's data for its file (plio_file.cpp).
void attach_input_file(PlioStream& plio);
void attach_output_file(PlioStream& plio);
void write_output_files();

/// File and line of a place in a program or library; empty when unknown (report.cpp).
std::string source_line(const std::string& file, std::uintptr_t offset);

/// Write where a timed run's time went (times.cpp); aieloom/emulator/timed/times.py reads it.
void write_times(const std::string& file);

/// Tell what kernels wrote and nobody read, and what they did not write; once (leftovers.cpp).
void report_leftovers();

/// "16 words", or bytes where they are none.
std::string words(std::uint64_t bytes);

/// For the kernels at both ends of each stream that somebody waits for: what they move a call (leftovers.cpp).
std::string compare_rates();

/// Start the graphs of a system whose host opens and runs none; true when there are some.
bool start_undriven();

/// Make a GMIO's channel on a stream; reader is the open end's, for outputs of the array (gmio.cpp).
GmioChannel& make_gmio(const Gmio& gmio, ByteStream& stream, int reader);

/// What passed through the GMIOs and when, in a timed run (gmio.cpp).
struct PortTime {
  std::string name;
  bool is_input;
  std::uint64_t bytes;
  ByteStream::Span span;
};
std::vector<PortTime> gmio_times();

/// Start a transfer, and wait for all of a port's, as hosts with XRT do (gmio.cpp).
void start_gmio(const Gmio& gmio, bool into_array, void* memory, std::size_t bytes);
void wait_gmio(const Gmio& gmio);

/// What GMIOs have still to do, and what they brought or were given that nobody took, a line each.
std::vector<std::string> gmio_leftovers();

/// Refuse what the host has written beside the blocks of GMIO::malloc().
void check_allocated();

/// The stream behind a GMIO, of which event:: reads the words that have passed (gmio.cpp).
const ByteStream& stream_of(const Gmio& gmio);

/// Find each kernel's function in the library of its source (kernels.cpp).
void load_kernels(Sequence<Core>& cores);

/// Whether this run only lists the kernels' sources; if so, list them and end (kernels.cpp).
void discover();

/// The graph objects that are nobody's member, in the order of their construction; `size` 0 when unknown.
struct TopGraph {
  const void* address;
  std::size_t size;
};
std::vector<TopGraph> top_graphs();

/// The place of the graph at an address among the design's graphs, or how many these are.
std::size_t graph_at(const void* address);

/// Mark a graph as top-level: somebody controls it.
Graph& mark_top(const void* graph);

}  // namespace aieloom
