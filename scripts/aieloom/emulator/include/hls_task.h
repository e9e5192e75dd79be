// hls::task: a process that runs whenever it has data [UG1399 data-driven task-level parallelism].
//
// Each task is a fiber that calls its function again and again; its streams make it wait. Declare tasks and their
// streams hls_thread_local, so that they outlive the call that starts them.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "aieloom/scheduler.h"
#include "hls_stream.h"

#define hls_thread_local static

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
  /// A queue between tasks holds what it holds in hardware [UG1399: 2 words, or `#pragma HLS stream depth`].
  template <typename T_, int Depth>
  static void bound(stream<T_, Depth>& queue) {
    queue.hold_at_most(aieloom::task_queue_depth(queue.line()));
  }

  template <typename T_, int Depth, std::size_t N_>
  static void bound(stream<T_, Depth> (&queues)[N_]) {
    for (stream<T_, Depth>& queue : queues) {
      bound(queue);
    }
  }

  template <typename Other>
  static void bound(const Other&) {}

  /// How an argument is kept: what cannot be copied is a stream, or several.
  template <typename A_>
  using Kept = std::conditional_t<std::is_copy_constructible_v<std::remove_cvref_t<A_>> && !std::is_array_v<std::remove_reference_t<A_>>,
                                  std::remove_cvref_t<A_>, A_>;

  template <typename F_, typename... A_>
  void start(F_ function, A_&&... arguments) {
    ++aieloom::tasks_started();
    (bound(arguments), ...);
    aieloom::spawn(aieloom::running_name() + " task", aieloom::Role::kServer,
                   [function, bound = std::make_shared<std::tuple<Kept<A_>...>>(std::forward<A_>(arguments)...)] {
                     for (;;) {
                       std::apply(function, *bound);
                     }
                   });
  }
};

/// A top function called again and again with the same arguments, as a kernel with an auto-restart counter runs [UG1399
/// Programmer's Model]: by itself `count` times when the object is made, then as often as it is called.
class autorestart {
 public:
  template <typename F_, typename... A_>
  autorestart(int count, F_&& function, A_&&... arguments) {
    (*this)(count, function, arguments...);
  }

  template <typename F_, typename... A_>
  void operator()(int count, F_&& function, A_&&... arguments) {
    for (int i = 0; i < count; ++i) {
      function(arguments...);
    }
  }
};

}  // namespace hls
