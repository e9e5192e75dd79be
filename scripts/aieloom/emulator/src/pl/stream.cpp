// Streams that are polled: read_nb, write_nb, empty and full in a world where only one fiber runs at a time.
#include "aieloom/scheduler.h"
#include "aieloom/stream_port.h"

#include <map>
#include <string>

namespace aieloom {

namespace {

constexpr std::size_t kLivelyPolls = 64;       // as long as this, the others get a turn after each poll
constexpr std::size_t kLocalPolls = 1U << 16;  // of a queue inside a kernel, which may well stay empty
constexpr std::size_t kIdlePolls = 1U << 12;   // between two rests of a system in which nothing happens
constexpr std::size_t kMostRests = 1000;       // then whoever polls is taken to do so for ever

/// Something that is never woken: who blocks on it goes on when everything else has come to rest.
class Quiet final : public Waitable {
 public:
  explicit Quiet(const std::string& name) : name_(name) {}
  [[nodiscard]] std::string describe() const override { return "stream '" + name_ + "', which it polls in vain"; }

 private:
  const std::string& name_;
};

}  // namespace

std::size_t& tasks_started() {
  // By compute unit: while one waits in the middle of an image, others start theirs.
  static std::map<std::string, std::size_t> counts;
  return counts[running_name()];
}

namespace {

/// Where those sleep who have polled in vain for too long, until the host does something.
Quiet& asleep() {
  static const std::string name = "one or the other";
  static Quiet only(name);
  return only;
}

}  // namespace

void wake_pollers() {
  ++poll_progress();
  wake(asleep());
}

std::size_t& poll_progress() {
  static std::size_t count = 0;
  return count;
}

void StreamPort::polled_in_vain() const {
  if (const std::size_t progress = poll_progress() + words_moved; progress_seen_ != progress) {
    progress_seen_ = progress;
    rests_ = 0;
  }
  const std::size_t patience = rests_ > 0 ? kIdlePolls : linked() ? kLivelyPolls : kLocalPolls;
  if (++vain_polls_ < patience) {
    if (rests_ == 0 && (linked() || vain_polls_ % kLivelyPolls == 0)) {
      yield();
    }
    return;
  }
  vain_polls_ = 0;
  if (++rests_ > kMostRests) {
    block(asleep(), "for");
    return;
  }
  Quiet quiet(name_);
  static_cast<void>(block_unless_stuck(quiet, "for"));
}

}  // namespace aieloom
