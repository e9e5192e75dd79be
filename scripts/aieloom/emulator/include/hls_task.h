// hls::task: a process that runs whenever it has data [UG1399 data-driven task-level parallelism].
//
// Each task is a fiber that calls its function again and again; its streams make it wait. Declare tasks and their
// streams hls_thread_local, so that they outlive the call that starts them.
#ifndef HLS_TASK_H
#define HLS_TASK_H

#include <memory>
#include <tuple>
#include <utility>

#include "aieloom/scheduler.h"
#include "hls_stream.h"

#define hls_thread_local static

namespace hls {

class task {
 public:
  task() = default;

  /// Start `function` with streams (by reference) and other arguments (by value).
  template <typename F, typename... A>
  task(F function, A&&... arguments) {
    start(function, std::forward<A>(arguments)...);
  }

  template <typename F, typename... A>
  void operator()(F function, A&&... arguments) {
    start(function, std::forward<A>(arguments)...);
  }

 private:
  /// A queue between tasks holds what it holds in hardware [UG1399: 2 words, or `#pragma HLS stream depth`].
  template <typename T, int Depth>
  static void bound(stream<T, Depth>& queue) {
    queue.hold_at_most(aieloom::task_queue_depth(queue.line()));
  }

  template <typename T, int Depth, std::size_t N>
  static void bound(stream<T, Depth> (&queues)[N]) {
    for (stream<T, Depth>& queue : queues) {
      bound(queue);
    }
  }

  template <typename Other>
  static void bound(const Other&) {}

  template <typename F, typename... A>
  void start(F function, A&&... arguments) {
    ++aieloom::tasks_started();
    (bound(arguments), ...);
    aieloom::spawn(aieloom::running_name() + " task", aieloom::Role::kServer,
                   [function, bound = std::make_shared<std::tuple<A...>>(std::forward<A>(arguments)...)] {
                     for (;;) {
                       std::apply(function, *bound);
                     }
                   });
  }
};

}  // namespace hls

#endif  // HLS_TASK_H
