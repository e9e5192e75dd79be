// PL kernels: how a function becomes compute units that the linker connects and the host starts.
//
// For every kernel source the builder compiles a small wrapper that includes it and registers its top function;
// the C++ types of the arguments say what they are, as they do for HLS [UG1399 interface defaults].
#pragma once

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
  enum class Kind { kStream, kMemory, kScalar, kRegister };  // a register is read and written by the kernel

  std::string name;
  std::string bundle;  // of m_axi: arguments of one bundle share a port
  Kind kind = Kind::kScalar;
  bool is_array = false;  // of streams: even a single one has a number
  std::size_t bits = 0;   // of a stream word, a memory element, a scalar or a register
  bool is_float = false;  // a scalar of type float or double
  bool is_set = false;
  std::vector<StreamPort*> streams;
  std::shared_ptr<void> storage;  // of the streams
  void* memory = nullptr;
  alignas(16) Byte scalar[16] = {};
};

/// A kernel as its wrapper registers it.
struct PlKernel {
  std::string name;
  bool is_certain = false;    // its source says so: interface pragmas, or no other function that could be one
  bool free_running = false;  // ap_ctrl_none: starts with the device and again whenever it ends
  std::function<std::vector<PlArgument>()> make_arguments;  // a fresh set for each compute unit
  std::size_t result_bits = 0;  // of what the function returns: a register in front of those of the arguments
  void (*call)(std::vector<PlArgument>& arguments, PlArgument& result) = nullptr;
};

void register_pl_kernel(PlKernel kernel);

namespace detail {

template <typename P_>
struct pl_traits {
  static_assert(std::is_trivially_copyable<P_>::value, "a PL kernel's argument is a stream, a pointer or plain data");
  static void describe(PlArgument& a, std::size_t) {
    a.bits = sizeof(P_) * 8;
    a.is_float = std::is_floating_point<P_>::value;
  }
  static P_ get(PlArgument& a) {
    static_assert(sizeof(P_) <= sizeof a.scalar, "a scalar argument has at most 16 bytes");
    P_ value{};
    std::memcpy(&value, a.scalar, sizeof value);
    return value;
  }
};

template <typename T_>
struct pl_traits<T_*> {
  static void describe(PlArgument& a, std::size_t) {
    a.kind = PlArgument::Kind::kMemory;
    a.bits = sizeof(T_) * 8;
  }
  static T_* get(PlArgument& a) {
    if (a.kind == PlArgument::Kind::kRegister) {
      return reinterpret_cast<T_*>(a.scalar);
    }
    return static_cast<T_*>(a.memory);
  }
};

/// hls::ap_hs and its like (hls_directio.h).
template <typename T_, typename = void>
inline constexpr bool kIsWire = false;
template <typename T_>
inline constexpr bool kIsWire<T_, Void<typename T_::aieloom_wire>> = true;

/// A reference to plain data is a register that the kernel writes; to constant data an input.
template <typename T_>
struct pl_traits<T_&> {
  static_assert(!kIsWire<T_>, "hls_directio.h: wire ports belong to the Vivado IP flow; kernels of system.cfg take hls::stream, s_axilite or m_axi");
  static_assert(kIsWire<T_> || std::is_trivially_copyable<T_>::value, "a PL kernel's argument is a stream, a pointer or plain data");
  static_assert(sizeof(T_) <= 16, "a register has at most 16 bytes");
  static void describe(PlArgument& a, std::size_t) {
    a.kind = std::is_const<T_>::value ? PlArgument::Kind::kScalar : PlArgument::Kind::kRegister;
    a.bits = sizeof(T_) * 8;
  }
  static T_& get(PlArgument& a) { return *reinterpret_cast<T_*>(a.scalar); }
};

template <typename T_>
struct pl_traits<hls::burst_maxi<T_>> {
  static void describe(PlArgument& a, std::size_t n) { pl_traits<T_*>::describe(a, n); }
  static hls::burst_maxi<T_> get(PlArgument& a) { return static_cast<T_*>(a.memory); }
};

template <typename T_, int N_>
struct pl_traits<hls::stream<T_, N_>*> {
  /// An array of streams; the wrapper says how many, because the function's type has forgotten.
  static void describe(PlArgument& a, std::size_t count) {
    a.kind = PlArgument::Kind::kStream;
    a.bits = kStreamBits<T_>;
    const auto streams = std::make_shared<std::vector<hls::stream<T_, N_>>>(count);
    a.storage = streams;
    for (hls::stream<T_, N_>& stream : *streams) {
      a.streams.push_back(&stream);
    }
  }
  static hls::stream<T_, N_>* get(PlArgument& a) {
    return static_cast<std::vector<hls::stream<T_, N_>>*>(a.storage.get())->data();
  }
};

template <typename T_, int N_>
struct pl_traits<hls::stream<T_, N_>&> {
  static void describe(PlArgument& a, std::size_t) { pl_traits<hls::stream<T_, N_>*>::describe(a, 1); }
  static hls::stream<T_, N_>& get(PlArgument& a) { return *pl_traits<hls::stream<T_, N_>*>::get(a); }
};

template <typename T_, int N_, std::size_t K_>
struct pl_traits<hls::stream<T_, N_> (&)[K_]> {
  static void describe(PlArgument& a, std::size_t) { pl_traits<hls::stream<T_, N_>*>::describe(a, K_); }
  static hls::stream<T_, N_> (&get(PlArgument& a))[K_] {
    return *reinterpret_cast<hls::stream<T_, N_>(*)[K_]>(pl_traits<hls::stream<T_, N_>*>::get(a));
  }
};

}  // namespace detail

/// What a parameter's type has forgotten: its name, the number of an array's streams, and whether its pragmas make a
/// pointer a register of the control interface (s_axilite without m_axi).
struct PlParameter {
  const char* name;
  std::size_t count = 0;  // 0: no array
  bool is_register = false;
  const char* bundle = "gmem";  // its memory port: one for all that name none [UG1399 AXI4 Master Interface]
};

// Of each object file alone: a kernel of several compute units is linked once for each (aieloom.emulator.units), and every
// object's registration must call its own function.
namespace {

/// Registers `Function` when its wrapper is loaded.
template <typename Pointer_, Pointer_ Function>
class PlRegistration;

template <typename R_, typename... P_, R_ (*Function)(P_...)>
class PlRegistration<R_ (*)(P_...), Function> {
 public:
  PlRegistration(const char* name, bool is_certain, bool free_running, std::vector<PlParameter> parameters) {
    PlKernel kernel;
    kernel.name = name;
    kernel.is_certain = is_certain;
    kernel.free_running = free_running;
    if (parameters.size() != sizeof...(P_)) {
      refuse("pl-kernel", std::string(name) + ": " + std::to_string(parameters.size()) + " parameter names for " +
                              std::to_string(sizeof...(P_)) + " parameters",
             "write the parameters of a top function without macros");
    }
    kernel.make_arguments = [parameters] {
      std::vector<PlArgument> made(sizeof...(P_));
      std::size_t i = 0;
      ((describe<P_>(made[i], parameters[i]), ++i), ...);
      return made;
    };
    if constexpr (!std::is_void<R_>::value) {
      static_assert(std::is_trivially_copyable<R_>::value && sizeof(R_) <= sizeof PlArgument::scalar, "a PL kernel returns plain data of at most 16 bytes");
      kernel.result_bits = sizeof(R_) * 8;
    }
    kernel.call = [](std::vector<PlArgument>& bound, PlArgument& result) { call(bound, result, std::index_sequence_for<P_...>{}); };
    register_pl_kernel(std::move(kernel));
  }

 private:
  template <typename Parameter>
  static void describe(PlArgument& made, const PlParameter& parameter) {
    made.name = parameter.name;
    made.bundle = parameter.bundle;
    made.is_array = parameter.count > 0;
    detail::pl_traits<Parameter>::describe(made, made.is_array ? parameter.count : 1);
    if (parameter.is_register && made.kind == PlArgument::Kind::kMemory) {
      made.kind = PlArgument::Kind::kRegister;
    }
  }

  template <std::size_t... I_>
  static void call([[maybe_unused]] std::vector<PlArgument>& bound, [[maybe_unused]] PlArgument& result, std::index_sequence<I_...>) {
    if constexpr (std::is_void<R_>::value) {
      Function(detail::pl_traits<P_>::get(bound[I_])...);
    } else {
      const R_ value = Function(detail::pl_traits<P_>::get(bound[I_])...);
      std::memcpy(result.scalar, &value, sizeof value);
    }
  }
};

}  // namespace

}  // namespace aieloom
