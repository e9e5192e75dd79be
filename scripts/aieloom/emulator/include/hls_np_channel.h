// hls::split and hls::merge: one stream to N, or N to one, in turn or as there is work [UG1399 HLS Split/Merge Library].
//
// Round robin is in order, from port 0. Load balancing is not determined on the device; here split takes the shortest
// queue, merge whichever word is there first. A fiber moves the words, so a channel works between tasks and between
// the processes of a dataflow region alike. Depths steer synthesis only.
#pragma once

#include <memory>

#include "aieloom/scheduler.h"
#include "hls_stream.h"

namespace hls {

namespace detail {

/// The streams of a channel; its fibers keep them as long as the program runs.
template <typename T_, int N_>
struct np_streams {
  stream<T_> one;
  stream<T_> many[N_];
};

template <typename F_>
void move_words(F_ step) {
  ++aieloom::tasks_started();
  aieloom::spawn(aieloom::running_name() + " channel", aieloom::Role::kServer, [step]() mutable {
    for (;;) {
      step();
    }
  });
}

template <typename T_, int N_>
class split_channel {
  static_assert(N_ >= 1, "hls::split: at least one port");
  std::shared_ptr<np_streams<T_, N_>> streams_ = std::make_shared<np_streams<T_, N_>>();

 public:
  split_channel(const split_channel&) = delete;
  split_channel& operator=(const split_channel&) = delete;
  stream<T_>& in = streams_->one;
  stream<T_> (&out)[N_] = streams_->many;

 protected:
  explicit split_channel(bool in_turn) {
    move_words([s = streams_, in_turn, next = 0]() mutable {
      const T_ word = s->one.read();
      int chosen = next;
      for (int i = 0; i < N_ && !in_turn; ++i) {
        chosen = s->many[i].size() < s->many[chosen].size() ? i : chosen;
      }
      s->many[chosen].write(word);
      next = (next + 1) % N_;
    });
  }
};

template <typename T_, int N_>
class merge_channel {
  static_assert(N_ >= 1, "hls::merge: at least one port");
  std::shared_ptr<np_streams<T_, N_>> streams_ = std::make_shared<np_streams<T_, N_>>();

 public:
  merge_channel(const merge_channel&) = delete;
  merge_channel& operator=(const merge_channel&) = delete;
  stream<T_> (&in)[N_] = streams_->many;
  stream<T_>& out = streams_->one;

 protected:
  explicit merge_channel(bool in_turn) {
    if (in_turn) {
      move_words([s = streams_, next = 0]() mutable {
        s->one.write(s->many[next].read());
        next = (next + 1) % N_;
      });
      return;
    }
    for (int i = 0; i < N_; ++i) {
      move_words([s = streams_, i] { s->one.write(s->many[i].read()); });
    }
  }
};

}  // namespace detail

// The third number and round robin's fourth are depths of the queues on either side.

namespace split {

template <typename T_, int N_, int DEPTH_ = 2, int N_PORT_DEPTH_ = 0>
class round_robin : public detail::split_channel<T_, N_> {
 public:
  round_robin() : detail::split_channel<T_, N_>(true) {}
  explicit round_robin(const char*) : round_robin() {}
};
template <typename T_, int N_, int DEPTH_ = 2>
class load_balance : public detail::split_channel<T_, N_> {
 public:
  load_balance() : detail::split_channel<T_, N_>(false) {}
  explicit load_balance(const char*) : load_balance() {}
};

}  // namespace split

namespace merge {

template <typename T_, int N_, int DEPTH_ = 2, int N_PORT_DEPTH_ = 0>
class round_robin : public detail::merge_channel<T_, N_> {
 public:
  round_robin() : detail::merge_channel<T_, N_>(true) {}
  explicit round_robin(const char*) : round_robin() {}
};
template <typename T_, int N_, int DEPTH_ = 2>
class load_balance : public detail::merge_channel<T_, N_> {
 public:
  load_balance() : detail::merge_channel<T_, N_>(false) {}
  explicit load_balance(const char*) : load_balance() {}
};

}  // namespace merge

}  // namespace hls
