// PL kernels: how a function becomes compute units that the linker connects and the host starts.
//
// For every kernel source the builder compiles a small wrapper that includes it and registers its top function;
// the C++ types of the arguments say what they are, as they do for HLS [UG1399 interface defaults].
#ifndef AIELOOM_PL_KERNEL_H
#define AIELOOM_PL_KERNEL_H

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "aieloom/report.h"
#include "aieloom/stream_port.h"
#include "hls_burst_maxi.h"
#include "hls_stream.h"

namespace aieloom {

/// One argument of a kernel, and in a compute unit what it is bound to.
struct PlArgument {
  enum class Kind { kStream, kMemory, kScalar };

  std::string name;
  Kind kind = Kind::kScalar;
  std::size_t count = 1;  // streams of an array argument
  std::size_t bits = 0;   // of a stream word, a memory element or a scalar
  bool is_set = false;
  std::vector<StreamPort*> streams;
  std::shared_ptr<void> storage;  // of the streams
  void* memory = nullptr;
  std::byte scalar[16] = {};
};

/// A kernel as its wrapper registers it.
struct PlKernel {
  std::string name;
  bool free_running = false;  // ap_ctrl_none: starts with the device and again whenever it ends
  std::function<std::vector<PlArgument>()> make_arguments;  // a fresh set for each compute unit
  void (*call)(std::vector<PlArgument>& arguments) = nullptr;
};

void register_pl_kernel(PlKernel kernel);

namespace detail {

template <typename P>
struct pl_traits {
  static_assert(std::is_trivially_copyable_v<P>, "a PL kernel's argument is a stream, a pointer or plain data");
  static void describe(PlArgument& a, std::size_t) { a.bits = sizeof(P) * 8; }
  static P get(PlArgument& a) {
    static_assert(sizeof(P) <= sizeof a.scalar, "a scalar argument has at most 16 bytes");
    P value{};
    std::memcpy(&value, a.scalar, sizeof value);
    return value;
  }
};

template <typename T>
struct pl_traits<T*> {
  static void describe(PlArgument& a, std::size_t) {
    a.kind = PlArgument::Kind::kMemory;
    a.bits = sizeof(T) * 8;
  }
  static T* get(PlArgument& a) { return static_cast<T*>(a.memory); }
};

template <typename T>
struct pl_traits<hls::burst_maxi<T>> {
  static void describe(PlArgument& a, std::size_t n) { pl_traits<T*>::describe(a, n); }
  static hls::burst_maxi<T> get(PlArgument& a) { return static_cast<T*>(a.memory); }
};

template <typename T, int N>
struct pl_traits<hls::stream<T, N>*> {
  /// An array of streams; the wrapper says how many, because the function's type has forgotten.
  static void describe(PlArgument& a, std::size_t count) {
    a.kind = PlArgument::Kind::kStream;
    a.bits = kStreamBits<T>;
    a.count = count;
    const auto streams = std::make_shared<std::vector<hls::stream<T, N>>>(count);
    a.storage = streams;
    for (hls::stream<T, N>& stream : *streams) {
      a.streams.push_back(&stream);
    }
  }
  static hls::stream<T, N>* get(PlArgument& a) {
    return static_cast<std::vector<hls::stream<T, N>>*>(a.storage.get())->data();
  }
};

template <typename T, int N>
struct pl_traits<hls::stream<T, N>&> {
  static void describe(PlArgument& a, std::size_t) { pl_traits<hls::stream<T, N>*>::describe(a, 1); }
  static hls::stream<T, N>& get(PlArgument& a) { return *pl_traits<hls::stream<T, N>*>::get(a); }
};

template <typename T, int N, std::size_t K>
struct pl_traits<hls::stream<T, N> (&)[K]> {
  static void describe(PlArgument& a, std::size_t) { pl_traits<hls::stream<T, N>*>::describe(a, K); }
  static hls::stream<T, N> (&get(PlArgument& a))[K] {
    return *reinterpret_cast<hls::stream<T, N>(*)[K]>(pl_traits<hls::stream<T, N>*>::get(a));
  }
};

}  // namespace detail

/// A parameter's name and, for arrays of streams, their number.
struct PlParameter {
  const char* name;
  std::size_t count;
};

/// Registers `Function` when its wrapper is loaded.
template <auto Function>
class PlRegistration;

template <typename... P, void (*Function)(P...)>
class PlRegistration<Function> {
 public:
  PlRegistration(const char* name, bool free_running, std::vector<PlParameter> parameters) {
    PlKernel kernel;
    kernel.name = name;
    kernel.free_running = free_running;
    if (parameters.size() != sizeof...(P)) {
      refuse("pl-kernel", std::string(name) + ": " + std::to_string(parameters.size()) + " parameter names for " +
                              std::to_string(sizeof...(P)) + " parameters",
             "write the parameters of a top function without macros");
    }
    kernel.make_arguments = [parameters] {
      std::vector<PlArgument> made(sizeof...(P));
      std::size_t i = 0;
      ((made[i].name = parameters[i].name, detail::pl_traits<P>::describe(made[i], parameters[i].count), ++i), ...);
      return made;
    };
    kernel.call = [](std::vector<PlArgument>& bound) { call(bound, std::index_sequence_for<P...>{}); };
    register_pl_kernel(std::move(kernel));
  }

 private:
  template <std::size_t... I>
  static void call([[maybe_unused]] std::vector<PlArgument>& bound, std::index_sequence<I...>) {
    Function(detail::pl_traits<P>::get(bound[I])...);
  }
};

}  // namespace aieloom

#endif  // AIELOOM_PL_KERNEL_H
