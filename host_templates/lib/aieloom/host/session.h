// A design on this board from C++, as aieloom.Session is from Python: open the folder of its card, give images, take results.
//
//   aieloom::Session session("/run/media/mmcblk0p1");
//   aieloom::Tensor y = session.run({ {2, 3, 224, 224}, values});
//
// A network of several inputs takes session.together({ids, mask}), a tensor for each in the order of session.inputs().
//
// C++17 with POSIX; link with -pthread. The design's host program owns the device: it is started beside the caller, takes images on its
// standard input and gives results on its standard output. So one that fails or hangs takes nothing along, and the caller needs no XRT.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace aieloom {

/// A batch of images or of results: sizes, the number of images first, and all values in their order.
struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

/// An input or an output of a network: its name, and its sizes without the number of images.
struct End {
  std::string name;
  std::vector<std::size_t> shape;
};

/// What a session could not do.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A design on the device, ready to run.
class Session {
 public:
  using Seconds = std::chrono::duration<double>;

  /// Starts the design whose host program and xclbin lie in `folder`. A run of more than `limit` fails, and the session with it.
  explicit Session(const std::filesystem::path& folder, Seconds limit = std::chrono::hours(1)) : limit_(limit) {
    start(folder);
    try {
      greet();
    } catch (...) {
      stop();
      throw;
    }
    worker_ = std::thread([this] { work(); });
  }

  /// Waits for what was asked for, then ends the host program.
  ~Session() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    more_.notify_one();
    worker_.join();
    stop();
  }

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What the network is given.
  const std::vector<End>& inputs() const { return inputs_; }

  /// What it gives.
  const std::vector<End>& outputs() const { return outputs_; }

  /// Sizes of an image, without the number of images; of several inputs the values of all.
  const std::vector<std::size_t>& input_shape() const { return input_; }

  /// Sizes of a result; of several outputs the values of all.
  const std::vector<std::size_t>& output_shape() const { return output_; }

  /// Images that the device takes at a time; any number may be given.
  std::size_t batch() const { return batch_; }

  /// Returns the results of images.
  Tensor run(Tensor images) { return run_async(std::move(images)).get(); }

  /// Returns images of several inputs as one: the values of each behind those of the one before.
  Tensor together(const std::vector<Tensor>& inputs) const {
    if (inputs.size() != inputs_.size() || inputs[0].shape.empty()) {
      throw Error(std::to_string(inputs.size()) + " inputs are given, " + std::to_string(inputs_.size()) + " are taken");
    }
    Tensor made;
    const std::size_t count = inputs[0].shape[0];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      std::vector<std::size_t> wanted = inputs_[k].shape;
      wanted.insert(wanted.begin(), count);
      if (inputs[k].shape != wanted || inputs[k].values.size() != product(wanted)) {
        throw Error("input " + inputs_[k].name + " of " + text(inputs[k].shape) + " is given, " + text(wanted) + " is taken");
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const std::size_t size = product(inputs_[k].shape);
        const float* const from = inputs[k].values.data() + i * size;
        made.values.insert(made.values.end(), from, from + size);
      }
    }
    made.shape = input_;
    made.shape.insert(made.shape.begin(), count);
    return made;
  }

  /// Returns the outputs in results of several, in the order of outputs().
  std::vector<Tensor> apart(const Tensor& results) const {
    std::vector<Tensor> found;
    std::size_t begin = 0;
    for (const End& output : outputs_) {
      Tensor part{output.shape, {}};
      part.shape.insert(part.shape.begin(), results.shape.at(0));
      const std::size_t size = product(output.shape);
      for (std::size_t i = 0; i < results.shape[0]; ++i) {
        const float* const from = results.values.data() + i * product(output_) + begin;
        part.values.insert(part.values.end(), from, from + size);
      }
      begin += size;
      found.push_back(std::move(part));
    }
    return found;
  }

  /// Returns at once; runs follow one another in the order in which they were asked for.
  std::future<Tensor> run_async(Tensor images) {
    auto task = std::make_shared<std::packaged_task<Tensor()>>([this, x = std::move(images)] { return exchange(x); });
    std::future<Tensor> result = task->get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.emplace_back([task] { (*task)(); });
    }
    more_.notify_one();
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// The only file of a folder whose name ends so.
  static std::filesystem::path only(const std::filesystem::path& folder, const std::string& ending) {
    std::error_code none;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
      const std::string name = entry.path().filename().string();
      if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
        found.push_back(entry.path());
      }
    }
    if (found.size() != 1) {
      throw Error(folder.string() + " has " + std::to_string(found.size()) + " files *" + ending + ", one is wanted: name the folder of the card");
    }
    return found[0];
  }

  void start(const std::filesystem::path& folder) {
    const std::filesystem::path xclbin = only(folder, ".xclbin");
    const std::filesystem::path program = std::filesystem::absolute(folder) / (xclbin.stem().string() + "_host");
    if (access(program.c_str(), X_OK) != 0) {
      throw Error(program.string() + " is no program that can be started: copy the whole card");
    }
    const std::string name = xclbin.filename().string();
    const std::string path = program.string();
    const std::string place = std::filesystem::absolute(folder).string();
    std::array<int, 2> ends{};
    std::array<int, 2> told{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0 || pipe2(told.data(), O_CLOEXEC) != 0) {
      throw Error(std::string("no socket: ") + std::strerror(errno));
    }
    child_ = fork();
    if (child_ < 0) {
      throw Error(std::string("no process: ") + std::strerror(errno));
    }
    if (child_ == 0) {  // nothing but calls that are safe between fork and exec
      dup2(ends[1], STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      dup2(told[1], STDERR_FILENO);
      if (chdir(place.c_str()) == 0) {
        execl(path.c_str(), path.c_str(), name.c_str(), "--serve", static_cast<char*>(nullptr));
      }
      _exit(127);
    }
    close(ends[1]);
    close(told[1]);
    socket_ = ends[0];
    listener_ = std::thread([this, file = told[0]] { listen(file); });
  }

  /// Keeps the end of what the host program says as errors.
  void listen(int file) {
    std::array<char, 4096> text{};
    for (ssize_t some = 0; (some = read(file, text.data(), text.size())) != 0;) {
      if (some < 0 && errno != EINTR) {
        break;
      }
      const std::lock_guard<std::mutex> lock(said_mutex_);
      said_.append(text.data(), some > 0 ? static_cast<std::size_t>(some) : 0);
      said_.erase(0, said_.size() > kMostSaid ? said_.size() - kMostSaid : 0);
    }
    close(file);
  }

  void stop() {
    shutdown(socket_, SHUT_WR);  // its standard input ends
    if (failed_) {
      kill(child_, SIGKILL);
    }
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (listener_.joinable()) {
      listener_.join();
    }
    close(socket_);
  }

  [[noreturn]] void fail(const std::string& what) {
    failed_ = true;
    kill(child_, SIGKILL);
    if (listener_.joinable()) {
      listener_.join();  // all that it said
    }
    throw Error("the host program " + what + (said_.empty() ? "" : ": " + said_));
  }

  /// Waits until the socket can be read or written; one that has been left tells by the next call.
  void wait_for(short what, Clock::time_point end) {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      pollfd each{socket_, what, 0};
      const int found = poll(&each, 1, left < 0 ? 0 : static_cast<int>(left < kLongestWait ? left : kLongestWait));
      if (found > 0) {
        return;
      }
      if (found == 0 && left <= 0) {
        fail("took longer than the limit of " + std::to_string(limit_.count()) + " s");
      }
    }
  }

  void take(void* to, std::size_t bytes, Clock::time_point end) {
    auto* at = static_cast<char*>(to);
    while (bytes > 0) {
      wait_for(POLLIN, end);
      const ssize_t some = recv(socket_, at, bytes, MSG_DONTWAIT);
      if (some == 0 || (some < 0 && errno != EINTR && errno != EAGAIN)) {
        fail("has ended");
      }
      at += some > 0 ? some : 0;
      bytes -= some > 0 ? static_cast<std::size_t>(some) : 0;
    }
  }

  void give(const void* from, std::size_t bytes, Clock::time_point end) {
    const auto* at = static_cast<const char*>(from);
    while (bytes > 0) {
      wait_for(POLLOUT, end);
      const ssize_t some = send(socket_, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (some < 0 && errno != EINTR && errno != EAGAIN) {
        fail("has ended");
      }
      at += some > 0 ? some : 0;
      bytes -= some > 0 ? static_cast<std::size_t>(some) : 0;
    }
  }

  std::uint32_t number(Clock::time_point end) {
    std::uint32_t value = 0;
    take(&value, sizeof value, end);
    return value;
  }

  void greet() {
    const Clock::time_point end = deadline();
    std::array<char, 8> magic{};
    take(magic.data(), magic.size(), end);
    if (std::memcmp(magic.data(), "AIELHOST", magic.size()) != 0 || number(end) != kVersion) {
      fail("is of another version than this session.h");
    }
    batch_ = number(end);
    inputs_ = ends("inputs", end);
    outputs_ = ends("outputs", end);
    input_ = whole(inputs_);
    output_ = whole(outputs_);
  }

  std::vector<End> ends(const std::string& what, Clock::time_point end) {
    const std::uint32_t count = number(end);
    if (count == 0 || count > kMostEnds) {
      fail("says that a network has " + std::to_string(count) + " " + what);
    }
    std::vector<End> found;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t length = number(end);
      if (length > kMostSaid) {
        fail("says that a name has " + std::to_string(length) + " bytes");
      }
      std::string name((length + 3) / 4 * 4, ' ');
      take(name.data(), name.size(), end);
      name.resize(length);
      found.push_back({name, sizes(end)});
    }
    return found;
  }

  /// Returns the sizes of one end, or of the record of several.
  static std::vector<std::size_t> whole(const std::vector<End>& ends) {
    std::size_t values = 0;
    for (const End& one : ends) {
      values += product(one.shape);
    }
    return ends.size() > 1 ? std::vector<std::size_t>{values, 1, 1} : ends[0].shape;
  }

  std::vector<std::size_t> sizes(Clock::time_point end) {
    const std::uint32_t rank = number(end);
    std::vector<std::size_t> shape;
    for (std::uint32_t i = 0; i < rank && rank <= kMostRank; ++i) {
      shape.push_back(number(end));
    }
    return shape;
  }

  static std::size_t product(const std::vector<std::size_t>& sizes) {
    std::size_t made = 1;
    for (const std::size_t size : sizes) {
      made *= size;
    }
    return made;
  }

  static std::string text(const std::vector<std::size_t>& sizes) {
    std::string made;
    for (const std::size_t size : sizes) {
      made += (made.empty() ? "" : " x ") + std::to_string(size);
    }
    return made;
  }

  Tensor exchange(const Tensor& x) {
    const std::vector<std::size_t> image(x.shape.begin() + (x.shape.empty() ? 0 : 1), x.shape.end());
    if (x.shape.empty() || x.shape[0] == 0 || image != input_ || x.values.size() != product(x.shape)) {
      throw Error("images of " + text(x.shape) + " with " + std::to_string(x.values.size()) + " values are given, N x " + text(input_) + " is taken");
    }
    if (failed_) {
      throw Error("the host program has ended; open another session");
    }
    Tensor y;
    const std::size_t most = std::max<std::size_t>(1, kMostBytes / sizeof(float) / product(input_));
    for (std::size_t i = 0; i < x.shape[0]; i += most) {
      request(x, i, std::min(most, x.shape[0] - i), y.values);
    }
    y.shape = output_;
    y.shape.insert(y.shape.begin(), x.shape[0]);
    return y;
  }

  /// Runs `count` images from `first` on; appends their results.
  void request(const Tensor& x, std::size_t first, std::size_t count, std::vector<float>& results) {
    const Clock::time_point end = deadline();
    const auto images = static_cast<std::uint32_t>(count);
    failed_ = true;  // until the answer is whole: whatever is thrown before, what is left of it would be read as the next one
    give(&images, sizeof images, end);
    give(&x.values[first * product(input_)], count * product(input_) * sizeof(float), end);
    const std::uint32_t status = number(end);
    const std::uint32_t size = number(end);
    if (status == kRefused) {
      const std::string told = message(size, end);
      failed_ = false;
      throw Error(told);
    }
    if (status != kDone || size != images) {
      fail("answers " + std::to_string(images) + " images with status " + std::to_string(status) + " and " + std::to_string(size) + " results");
    }
    const std::size_t held = results.size();
    results.resize(held + count * product(output_));
    take(&results[held], count * product(output_) * sizeof(float), end);
    failed_ = false;
  }

  /// Returns the beginning of a message of so many bytes; all of it is read.
  std::string message(std::size_t size, Clock::time_point end) {
    std::string told(std::min(size, kMostSaid), ' ');
    take(told.data(), told.size(), end);
    std::array<char, 4096> rest{};
    for (std::size_t left = size - told.size(); left > 0;) {
      const std::size_t some = std::min(left, rest.size());
      take(rest.data(), some, end);
      left -= some;
    }
    return told;
  }

  Clock::time_point deadline() const { return Clock::now() + std::chrono::duration_cast<Clock::duration>(limit_); }

  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      more_.wait(lock, [this] { return over_ || !tasks_.empty(); });
      if (tasks_.empty()) {
        return;
      }
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  static constexpr std::uint32_t kVersion = 2;
  static constexpr std::uint32_t kDone = 0;  // how an answer begins
  static constexpr std::uint32_t kRefused = 1;
  static constexpr std::uint32_t kMostEnds = 64;
  static constexpr std::uint32_t kMostRank = 8;
  static constexpr std::size_t kMostSaid = 4096;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 26;  // of images that are sent at a time
  static constexpr long kLongestWait = 1000;  // ms

  Seconds limit_;
  pid_t child_ = -1;
  int socket_ = -1;
  bool failed_ = false;  // or within an answer
  std::size_t batch_ = 0;
  std::vector<End> inputs_;
  std::vector<End> outputs_;
  std::vector<std::size_t> input_;
  std::vector<std::size_t> output_;
  std::mutex said_mutex_;
  std::string said_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> tasks_;
  bool over_ = false;
  std::thread listener_;
  std::thread worker_;
};

}  // namespace aieloom
