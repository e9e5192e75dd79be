// power.h: power of a run, as the board's sensors show it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace aieloom::host {

/// Samples the board's power sensors while it lives: the INA226 of each rail as Linux shows it, in microwatts.
class Power {
 public:
  explicit Power(const std::string& folder) {
    std::error_code none;
    for (const auto& sensor : std::filesystem::directory_iterator(folder, none)) {
      std::ifstream name(sensor.path() / "name");
      std::string chip;
      if (name >> chip && chip.rfind("ina2", 0) == 0) {
        rails_.push_back(sensor.path() / "power1_input");
      }
    }
    if (!rails_.empty()) {
      thread_ = std::thread([this] { sample(); });
    }
  }

  ~Power() { stop(); }
  Power(const Power&) = delete;
  Power& operator=(const Power&) = delete;

  /// Ends the sampling and says what it showed.
  void report() {
    stop();
    if (samples_ > 0) {
      std::printf("power: %.2f W on average, %.2f W at most, the sum of %zu rails, %zu samples\n",
                  sum_ / static_cast<double>(samples_), most_, rails_.size(), samples_);
    }
  }

 private:
  void stop() {
    over_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  void sample() {
    do {
      double watts = 0;
      for (const std::filesystem::path& rail : rails_) {
        double microwatts = 0;
        std::ifstream(rail) >> microwatts;
        watts += microwatts * 1e-6;
      }
      sum_ += watts;
      most_ = std::max(most_, watts);
      ++samples_;
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
    } while (!over_);
  }

  std::vector<std::filesystem::path> rails_;
  std::thread thread_;
  std::atomic<bool> over_{false};
  double sum_ = 0;
  double most_ = 0;
  std::size_t samples_ = 0;
};

}  // namespace aieloom::host
