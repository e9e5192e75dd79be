// The elaborated design: cores, buffers and streams, made once from the graph's description.
#ifndef AIELOOM_RUNTIME_H
#define AIELOOM_RUNTIME_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "aieloom/buffer.h"
#include "aieloom/byte_stream.h"
#include "aieloom/design.h"
#include "aieloom/scheduler.h"

namespace aieloom {

/// A kernel on its core: one fiber that runs as many iterations as were asked for.
class Core final : public Waitable {
 public:
  explicit Core(Kernel& kernel);

  /// Start the fiber; ports are bound by then.
  void start();
  void request(std::int64_t iterations);
  [[nodiscard]] bool idle() const noexcept { return done_ >= requested_; }
  [[nodiscard]] std::string describe() const override;

  Kernel& kernel;
  std::vector<CoreArgument> arguments;                // in the order of the function's parameters
  std::vector<std::unique_ptr<BufferPort>> buffers;
  std::vector<BufferPort*> synchronous_in;            // acquired before, released after every call
  std::vector<BufferPort*> synchronous_out;

 private:
  void run();
  void call();

  std::shared_ptr<void> object_;
  std::int64_t requested_ = 0;
  std::int64_t done_ = 0;
};

/// A PLIO's stream, with the open end that the PL (or a file) takes.
struct PlioStream {
  Plio* plio = nullptr;
  ByteStream* stream = nullptr;
  int reader = 0;          // of the open end, for outputs of the array
  ElementType element;     // of the kernels behind it, for text files
  std::size_t buffer_bytes = 0;  // of the kernels' buffers behind it, 0 for streams
};

/// Who is at the open ends of the PLIOs.
enum class Outside { kFiles, kProgrammableLogic };

class Runtime {
 public:
  static Runtime& instance();

  /// Make everything from the design; once.
  void elaborate(Outside outside);
  [[nodiscard]] bool elaborated() const noexcept { return elaborated_; }

  [[nodiscard]] std::vector<Core*> cores_of(const void* graph) const;
  [[nodiscard]] PlioStream* find_plio(const std::string& name);
  [[nodiscard]] std::map<std::string, PlioStream>& plios() { return plios_; }

  /// Wait until all cores have done what was asked for.
  void wait(const void* graph);

  /// Let everything run until nothing can, then write the files of output PLIOs.
  void settle();

 private:
  friend class Elaborator;
  bool elaborated_ = false;
  Outside outside_ = Outside::kFiles;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::unique_ptr<BufferPool>> pools_;
  std::vector<std::unique_ptr<ByteStream>> streams_;
  std::map<std::string, PlioStream> plios_;
};

/// Check the design's constraints against the array's geometry (geometry.cpp).
void check_geometry(const Design& design);

/// Feed an input PLIO from its text file, or collect an output PLIO's data for its file (plio_file.cpp).
void attach_input_file(PlioStream& plio);
void attach_output_file(PlioStream& plio);
void write_output_files();

/// The graph objects whose members lie in [address, address + size): top-level graphs of the program.
struct TopGraph {
  const void* address;
  std::size_t size;
};
std::vector<TopGraph> top_graphs();

}  // namespace aieloom

#endif  // AIELOOM_RUNTIME_H
