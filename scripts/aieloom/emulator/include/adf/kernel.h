// Kernels: functions and classes that run on a core [UG1079 Graph Objects: kernel; C++ Kernel Class Support].
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "adf/argument.h"
#include "adf/location.h"
#include "adf/port.h"
#include "aieloom/report.h"

namespace adf {

namespace detail {

/// The kernel whose class is being registered: REGISTER_FUNCTION and REGISTER_PARAMETER write to it.
aieloom::Kernel*& registering();

template <typename... P>
void describe_arguments(aieloom::Kernel& kernel) {
  (add_argument(kernel, argument_traits<P>::describe()), ...);
}

/// Call `function` with its bound arguments; the holders are temporaries that live until it returns.
template <typename... P, typename F, std::size_t... I>
void call(F&& function, aieloom::CoreArgument* bound, std::index_sequence<I...>) {
  function(typename argument_traits<P>::Holder(bound[I]).get()...);
}

template <auto Function>
struct member_function;

template <typename C, typename... P, void (C::*Function)(P...)>
struct member_function<Function> {
  static void describe(aieloom::Kernel& kernel) { describe_arguments<P...>(kernel); }
  static void invoke(void* object, aieloom::CoreArgument* bound) {
    call<P...>([object](P... arguments) { (static_cast<C*>(object)->*Function)(arguments...); }, bound,
               std::index_sequence_for<P...>{});
  }
};

template <auto Function>
void register_function(const char* name) {
  aieloom::Kernel& kernel = *registering();
  kernel.function = name;
  member_function<Function>::describe(kernel);
  kernel.invoke = &member_function<Function>::invoke;
}

template <typename T>
void register_parameter(const char* name) {
  // UG1079 knows arrays alone; published kernels that were built with the vendor's tools register numbers too, and AMD's
  // sorting tutorial (XD100, 14-Bitonic-Sorting) an array that is the member itself: it lies where the object does.
  using M = std::remove_reference_t<T>;
  static_assert(std::is_reference_v<T> ? std::is_array_v<M> || kIsParameter<std::remove_cv_t<M>>
                                       : std::is_trivially_copyable_v<M> && !std::is_pointer_v<M>,
                "REGISTER_PARAMETER wants a member that is a reference to an array, T (&name)[N], a number or an array");
  aieloom::Parameter parameter;
  parameter.name = name;
  parameter.bytes = sizeof(std::remove_reference_t<T>);
  registering()->parameters.push_back(std::move(parameter));
}

/// An array given to create_object as std::vector: storage of the core's that converts to `T (&)[N]`.
template <typename T>
class array_argument {
 public:
  explicit array_argument(const std::vector<T>& values) : count_(values.size()), memory_(allocate(values.size())) {
    std::memcpy(memory_, values.data(), count_ * sizeof(T));
  }

  template <typename U, std::size_t N>
  using reference = U (&)[N];

  template <std::size_t N>
  operator reference<T, N>() const {
    return *checked<T, N>();
  }
  template <std::size_t N>
  operator reference<const T, N>() const {
    return *checked<const T, N>();
  }

 private:
  static constexpr std::size_t kAlignment = 32;  // as the mapper aligns data that vectors are loaded from

  static T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new[](count * sizeof(T), std::align_val_t{kAlignment}));
  }

  template <typename U, std::size_t N>
  U (*checked() const)[N] {
    if (N != count_) {
      aieloom::refuse("kernel-parameter",
                      "a kernel class takes an array of " + std::to_string(N) + " elements, create_object gives it " +
                          std::to_string(count_),
                      "give it as many as the constructor's parameter has");
    }
    return reinterpret_cast<U(*)[N]>(memory_);
  }

  std::size_t count_;
  T* memory_;  // a tile's: it is there as long as the design
};

template <typename T>
array_argument<T> constructor_argument(const std::vector<T>& values) {
  return array_argument<T>(values);
}
template <typename T, std::size_t N>
array_argument<T> constructor_argument(const T (&values)[N]) {
  return array_argument<T>(std::vector<T>(values, values + N));
}
template <typename T>
T constructor_argument(const T& value) {
  return value;
}

/// A kernel's in, out or inout.
template <typename D>
class port_list {
 public:
  port_list(const aieloom::Kernel* const& kernel, std::vector<aieloom::Port*> aieloom::Kernel::* list, const char* which)
      : kernel_(&kernel), list_(list), which_(which) {}
  port<D>& operator[](std::size_t number) const {
    if (*kernel_ == nullptr) {
      aieloom::refuse("kernel-unset", std::string("a kernel's ") + which_ + "[" + std::to_string(number) +
                                          "] is used before kernel::create was assigned to it",
                      "assign kernel::create(...) or create_object<...>(...) first");
    }
    return lasting<port<D>>(port_at(**kernel_, (*kernel_)->*list_, which_, number));
  }

 private:
  const aieloom::Kernel* const* kernel_;
  std::vector<aieloom::Port*> aieloom::Kernel::* list_;
  const char* which_;
};

}  // namespace detail

/// A parameter of a kernel class, as in `location<parameter>(k.param[0])`, or an array at file scope.
class parameter {
 public:
  parameter() = default;
  explicit parameter(aieloom::Parameter& node) : node_(&node) {}

  /// An array that a kernel's source defines; connect<>(array, kernel) says which kernel uses it.
  template <typename T, std::size_t N>
  static parameter array(T (&values)[N]) {
    return parameter(aieloom::add_array(&values, sizeof values));
  }
  /// An array whose size its declaration does not say.
  template <typename T>
  static parameter array(T (&values)[]) {
    return parameter(aieloom::add_array(&values, 0));
  }

  [[nodiscard]] aieloom::Parameter& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("kernel-parameter", "a parameter is used before parameter::array() was assigned to it", "assign it first");
    }
    return *node_;
  }

 private:
  aieloom::Parameter* node_ = nullptr;
};

class kernel {
 public:
  kernel() = default;
  kernel(const kernel& other) : node_(other.node_) {}
  kernel& operator=(const kernel& other) {
    node_ = other.node_;
    if (node_ != nullptr) {
      node_->handle = this;
    }
    return *this;
  }
  ~kernel() = default;

  /// A kernel that runs a function.
  template <typename... P>
  static kernel create(void (*function)(P...)) {
    const auto* code = reinterpret_cast<const void*>(function);
    kernel made(aieloom::add_kernel(aieloom::function_name(code)));
    detail::describe_arguments<P...>(*made.node_);
    made.node_->code = code;
    made.node_->invoke = [](void* target, aieloom::CoreArgument* bound) {
      detail::call<P...>(reinterpret_cast<void (*)(P...)>(target), bound, std::index_sequence_for<P...>{});
    };
    return made;
  }
  template <typename R, typename... P>
  static kernel create(R (*)(P...)) {
    static_assert(std::is_void_v<R>, "a kernel function returns void [UG1079]");
    return {};
  }

  /// A kernel that runs a member function of an object of its own, made with `arguments`.
  template <typename C, typename... A>
  static kernel create_object(A&&... arguments) {
    kernel made(aieloom::add_kernel("a kernel class"));
    detail::registering() = made.node_;
    C::registerKernelClass();
    if (made.node_->invoke == nullptr) {
      aieloom::refuse("kernel-class", "registerKernelClass() registers no function",
                      "write REGISTER_FUNCTION(Class::function) in it");
    }
    aieloom::rename_kernel(*made.node_, made.node_->function);
    using Recipe = decltype(std::make_tuple(detail::constructor_argument(arguments)...));
    made.node_->recipe = new Recipe(detail::constructor_argument(arguments)...);
    made.node_->construct = [](void* recipe) {
      return std::apply([](const auto&... a) { return static_cast<void*>(new C(a...)); },
                        *static_cast<Recipe*>(recipe));
    };
    return made;
  }

  [[nodiscard]] aieloom::Kernel& node() const {
    if (node_ == nullptr) {
      aieloom::refuse("kernel-unset", "a kernel is placed, or given an array, that was not created",
                      "assign kernel::create(...) or create_object<...>(...) to it first");
    }
    return *node_;
  }

  /// Where attributes go. Those of a kernel that was not created have no effect: DSPLib gives them to kernels that some
  /// template arguments leave out. Connecting such a kernel is refused.
  [[nodiscard]] aieloom::Kernel& attributes() const {
    static aieloom::Kernel nobody;
    return node_ != nullptr ? *node_ : nobody;
  }

  detail::port_list<input> in{node_view(), &aieloom::Kernel::in, "in"};
  detail::port_list<output> out{node_view(), &aieloom::Kernel::out, "out"};
  detail::port_list<::adf::inout> inout{node_view(), &aieloom::Kernel::inout, "inout"};

  /// Parameters of a kernel class.
  struct parameter_list {
    const kernel* owner;
    parameter operator[](std::size_t number) const {
      auto& all = owner->node().parameters;
      if (number >= all.size()) {
        aieloom::refuse("kernel-parameter",
                        owner->node().name + " has " + std::to_string(all.size()) + " parameters, not a param[" +
                            std::to_string(number) + "]",
                        "register members with REGISTER_PARAMETER; they are numbered in that order");
      }
      return parameter(all[number]);
    }
  };
  parameter_list param{this};

 private:
  explicit kernel(aieloom::Kernel& node) : node_(&node) {}
  [[nodiscard]] const aieloom::Kernel* const& node_view() const {
    return reinterpret_cast<const aieloom::Kernel* const&>(node_);
  }

  aieloom::Kernel* node_ = nullptr;
};

/// A way past a kernel: where the run-time parameter bp is 1, its input buffers are copied to its output buffers and it is not
/// called; where it is 0, it is [UG1079 Graph Objects: bypass].
class bypass {
 public:
  bypass() = default;
  bypass(const bypass& other) { *this = other; }
  bypass& operator=(const bypass& other) {
    node_ = other.node_;
    bp = other.bp;
    return *this;
  }
  ~bypass() = default;

  static bypass create(const kernel& around) {
    bypass made;
    made.node_ = &around.node();
    made.bp = port<input>(aieloom::add_bypass(around.node()));
    return made;
  }

  detail::port_list<input> in{node_view(), &aieloom::Kernel::in, "in"};
  detail::port_list<output> out{node_view(), &aieloom::Kernel::out, "out"};
  port<input> bp{unset()};

 private:
  [[nodiscard]] const aieloom::Kernel* const& node_view() const {
    return reinterpret_cast<const aieloom::Kernel* const&>(node_);
  }
  static aieloom::Port& unset() {
    static aieloom::Port nobodys;
    return nobodys;
  }

  aieloom::Kernel* node_ = nullptr;
};

/// File that defines the kernel.
inline std::string& source(const kernel& k) { return k.attributes().source; }

/// Headers that the kernel's wrapper needs, e.g. of a class template.
inline std::vector<std::string>& headers(const kernel& k) { return k.attributes().headers; }

/// Bytes of the kernel's stack and heap.
inline std::size_t& stack_size(const kernel& k) { return k.attributes().stack_bytes; }
inline std::size_t& heap_size(const kernel& k) { return k.attributes().heap_bytes; }

/// Calls of the kernel in one iteration of the graph.
inline std::size_t& repetition_count(const kernel& k) { return k.attributes().repetition_count; }

/// The same for a kernel with an asynchronous window [UG1079 2022.2]; later releases ask it of the port (port.h).
inline std::size_t& async_repetition(const kernel& k) { return k.attributes().repetition_count; }

inline std::string& initialization_function(const kernel& k) { return k.attributes().initialization_function; }

/// Share of the core's time that the kernel takes.
template <typename R = ratio>
  requires std::same_as<R, ratio>
double& runtime(const kernel& k) {
  return k.attributes().runtime_ratio;
}

struct aiengine {};
struct pl {};

/// Where a kernel runs: kernels of a graph run on the array. Kernels in the PL were part of graphs in the first
/// releases only; now they are units of system.cfg [UG1701].
template <typename Where>
void fabric(const kernel& k) {
  static_assert(!std::is_same_v<Where, pl>,
                "fabric<pl>: kernels in the PL are no part of a graph any more; make it a unit of system.cfg and connect it to "
                "a PLIO");
  static_cast<void>(k.node());
}

}  // namespace adf

#define REGISTER_FUNCTION(function) ::adf::detail::register_function<&function>(#function)
#define REGISTER_PARAMETER(member) ::adf::detail::register_parameter<decltype(member)>(#member)
