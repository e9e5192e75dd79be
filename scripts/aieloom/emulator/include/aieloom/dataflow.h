// Queues as long as in hardware, and dataflow regions whose processes run side by side: what the build puts into PL sources
// where it matters (aieloom/emulator/pl_dataflow.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "aieloom/scheduler.h"
#include "aieloom/traits.h"
#include "aieloom/waitable.h"

namespace aieloom {

template <typename Q_, typename = void>
struct IsQueue : std::false_type {};
template <typename Q_>
struct IsQueue<Q_, Void<decltype(std::declval<Q_&>().hold_as_hardware())>> : std::true_type {};

template <typename Q_, typename = void>
struct HoldsQueues : std::false_type {};
template <typename Q_>
struct HoldsQueues<Q_, Void<typename Q_::value_type, decltype(std::declval<Q_&>().begin())>> : IsQueue<typename Q_::value_type> {};

/// Do something with a queue, or with each of several; with anything else nothing.
template <typename Q_, typename F_>
void for_each_queue(Q_& queues, F_ action) {
  constexpr bool is_array = std::is_array<Q_>::value && IsQueue<std::remove_all_extents_t<Q_>>::value;
  if constexpr (IsQueue<Q_>::value) {
    action(queues);
  } else if constexpr (is_array || HoldsQueues<Q_>::value) {
    for (auto& queue : queues) {
      for_each_queue(queue, action);
    }
  }
}

/// `#pragma HLS stream variable=queue depth=words`.
template <typename Q_>
void hold(Q_& queue, long long words) {
  for_each_queue(queue, [words](auto& q) { q.set_depth(static_cast<std::size_t>(words < 1 ? 1 : words)); });
}

/// The queue belongs to the function that declares it, not to who calls it.
template <typename Q_>
void between_tasks(Q_& queue) {
  for_each_queue(queue, [](auto& q) { q.belongs_inside(); });
}

template <typename T_>
struct IsData {
  using Element = std::remove_all_extents_t<std::remove_reference_t<T_>>;
  static constexpr bool value = !std::is_const<Element>::value && std::is_copy_constructible<Element>::value;
};

/// The bit of a process when one of these types is data: what takes it waits for the end of who fills it. A stream is none.
template <typename... T_>
[[nodiscard]] constexpr std::uint64_t fills(unsigned process) {
  return (IsData<T_>::value || ...) ? std::uint64_t{1} << process : 0;
}

/// A dataflow region: its processes run side by side, and wait for each other's streams as they do in hardware.
class Dataflow {
 public:
  static constexpr std::size_t kMost = 64;

  Dataflow() = default;
  Dataflow(const Dataflow&) = delete;
  Dataflow& operator=(const Dataflow&) = delete;
  ~Dataflow() { join(); }

  /// A queue of the region is as long as in hardware.
  template <typename Q_>
  void bound(Q_& queue) {
    for_each_queue(queue, [](auto& q) { q.hold_as_hardware(); });
  }

  /// Process `number` is `body`; it begins when those in `after` (bits) have ended.
  template <typename F_>
  void process(std::size_t number, std::uint64_t after, F_ body) {
    join(after);
    ++running_[number];
    under_way_ |= std::uint64_t{1} << number;
    spawn(running_name(), running_role(), [this, number, body] {
      body();
      if (--running_[number] == 0) {
        under_way_ &= ~(std::uint64_t{1} << number);
        wake(at_end_);
      }
    });
  }

  /// Wait for the ends of the processes in `which` (bits).
  void join(std::uint64_t which = ~std::uint64_t{0}) {
    while ((under_way_ & which) != 0) {
      block(at_end_, "for the ends of");
    }
  }

 private:
  struct Ends final : Waitable {
    [[nodiscard]] std::string describe() const override { return "processes of its dataflow region"; }
  };

  Ends at_end_;
  std::uint64_t under_way_ = 0;
  unsigned running_[kMost] = {};  // of each number, which unrolled loops share
};

}  // namespace aieloom
