// hls::task: a process that runs whenever it has data [UG1399 data-driven task-level parallelism].
//
// Each task is a fiber that calls its function again and again; its streams make it wait. Declare tasks and their
// streams hls_thread_local, so that they outlive the call that starts them.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "aieloom/scheduler.h"
#include "aieloom/traits.h"
#include "hls_directio.h"
#include "hls_stream.h"
#include "hls_streamofblocks.h"

#define hls_thread_local static

// What UG1399's macros for tasks stand for.
#define HLS_TASK hls_thread_local hls::task
#define HLS_TASK_STREAM hls_thread_local hls::stream
#define HLS_TASK_STREAM_OF_BLOCKS hls_thread_local hls::stream_of_blocks
#define HLS_TASK_MERGE hls_thread_local hls::merge
#define HLS_TASK_SPLIT hls_thread_local hls::split

namespace hls {

class task {
 public:
  task() = default;

  /// Start `function` with streams (by reference) and other arguments (by value): a task outlives the call that starts it.
  template <typename F_, typename... A_>
  task(F_ function, A_&&... arguments) {
    start(function, std::forward<A_>(arguments)...);
  }

  template <typename F_, typename... A_>
  void operator()(F_ function, A_&&... arguments) {
    start(function, std::forward<A_>(arguments)...);
  }

 private:
  /// A queue between tasks holds what it holds in hardware; in C simulation those of the test bench hold what they are given.
  template <typename A_>
  static void bound(A_& argument) {
    aieloom::for_each_queue(argument, [](auto& queue) {
#ifdef __HLS_CSIM__
      if (!queue.is_inside()) {
        return;
      }
#endif
      queue.hold_as_hardware();
    });
  }

  /// How an argument is kept: streams and wires by reference, an array as a pointer, all else by value.
  template <typename T_, int Depth>
  static std::reference_wrapper<stream<T_, Depth>> kept(stream<T_, Depth>& queue) {
    return std::ref(queue);
  }
  template <typename B_, int Depth>
  static std::reference_wrapper<stream_of_blocks<B_, Depth>> kept(stream_of_blocks<B_, Depth>& queue) {
    return std::ref(queue);
  }
  template <typename T_, int Mode>
  static std::reference_wrapper<directio<T_, Mode>> kept(directio<T_, Mode>& wire) {
    return std::ref(wire);
  }
  template <typename T_>
  static std::decay_t<T_> kept(T_& value) {
    return value;
  }

  template <typename F_, typename Arguments_, typename = void>
  struct Takes : std::false_type {};
  template <typename F_, typename... A_>
  struct Takes<F_, void(A_...), aieloom::Void<decltype(std::declval<F_&>()(std::declval<A_&>()...))>> : std::true_type {};

  template <typename F_, typename... A_>
  void start(F_ function, A_&&... arguments) {
    static_assert(Takes<F_, void(decltype(kept(arguments))...)>::value || (!std::is_array<std::remove_reference_t<A_>>::value && ...),
                  "hls::task: a parameter that is a reference to an array takes no argument of a task, because arrays decay to pointers in it "
                  "(AMD's hls_task.h refuses them too): pass each stream of the array as an argument of its own");
    ++aieloom::tasks_started();
    (bound(arguments), ...);
    aieloom::spawn(aieloom::running_name() + " task", aieloom::Role::kServer, endless(function, kept(arguments)...));
  }

  /// A call again and again, with copies of the arguments.
  template <typename F_, typename... A_>
  static auto endless(F_ function, A_... arguments) {
    return [function, arguments...]() mutable {
      for (;;) {
        function(arguments...);
      }
    };
  }
};

/// A top function called `count` times with the same arguments, as a kernel with an auto-restart counter runs [UG1399 Programmer's Model]:
/// by itself when the object is made with them, then as often as it is called.
template <int count = -1>
class autorestart {
 public:
  autorestart() = default;

  template <typename F_, typename... A_>
  explicit autorestart(F_ function, A_&&... arguments) {
    (*this)(function, arguments...);
  }

  template <typename F_, typename... A_>
  void operator()(F_ function, A_&&... arguments) {
    for (int i = 0; i < count; ++i) {
      function(arguments...);
    }
  }
};

#if __cplusplus >= 201703L
/// The same with the count beside the arguments, as AMD's examples of 2026 have it (autorestart).
template <>
class autorestart<-1> {
 public:
  template <typename F_, typename... A_>
  explicit autorestart(int count, F_ function, A_&&... arguments) {
    for (int i = 0; i < count; ++i) {
      function(arguments...);
    }
  }
};
template <typename F_, typename... A_>
autorestart(int, F_, A_&&...) -> autorestart<-1>;
#endif

}  // namespace hls
