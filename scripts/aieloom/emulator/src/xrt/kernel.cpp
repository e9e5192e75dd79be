// XRT's native API on the emulated system: kernels and runs.
#include "xrt/xrt_kernel.h"

#include <algorithm>
#include <cstring>

#include "system.h"
#include "error.h"
#include "inside.h"

namespace xrt {

namespace {

using aieloom::PlArgument;
using aieloom::throw_error;
using aieloom::XrtInside;

constexpr const char* kKinds[] = {"a stream", "memory", "a scalar", "a register"};

/// An argument by its position in the kernel's signature.
std::size_t checked(const aieloom::ComputeUnit& unit, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= unit.arguments.size()) {
    throw_error(EINVAL, "kernel '" + unit.kernel.name + "' has no argument " + std::to_string(index) + ": it has " +
                            std::to_string(unit.arguments.size()) + ", counted from 0");
  }
  return static_cast<std::size_t>(index);
}

[[noreturn]] void wrong_kind(const aieloom::ComputeUnit& unit, std::size_t index, const std::string& wanted) {
  const PlArgument& argument = unit.arguments[index];
  throw_error(EINVAL, "argument " + std::to_string(index) + " ('" + argument.name + "') of kernel '" + unit.kernel.name + "' is " +
                          kKinds[static_cast<int>(argument.kind)] + ", not " + wanted);
}

ert_cmd_state state_of(const aieloom::Run& run) {
  switch (run.state) {
    case aieloom::Run::State::kNew:
      return ERT_CMD_STATE_NEW;
    case aieloom::Run::State::kQueued:
      return ERT_CMD_STATE_QUEUED;
    case aieloom::Run::State::kRunning:
      return ERT_CMD_STATE_RUNNING;
    default:
      return ERT_CMD_STATE_COMPLETED;
  }
}

void require(bool there, const char* what) {
  if (!there) {
    throw_error(EINVAL, std::string("an empty ") + what);
  }
}

}  // namespace

kernel::kernel(const device& device, const uuid& id, const std::string& name, cu_access_mode mode) : mode_(mode) {
  auto& system = aieloom::System::instance();
  if (!device || system.uuid().empty() || id != uuid(system.uuid())) {
    throw_error(EINVAL, "kernel '" + name + "': its xclbin is not loaded");
  }
  units_ = system.find(name);
  if (units_.empty()) {
    throw_error(ENOENT, "No such kernel '" + name + "'; compute units: " + system.unit_names());
  }
  if (units_.front()->kernel.free_running) {
    throw_error(EINVAL, "kernel '" + name + "' is free running (ap_ctrl_none): the host cannot open it");
  }
}

std::string kernel::get_name() const { return units_.empty() ? "" : units_.front()->kernel.name; }

int kernel::group_id(int argument) const {
  require(!units_.empty(), "xrt::kernel");
  const aieloom::ComputeUnit& unit = *units_.front();
  const std::size_t index = checked(unit, argument);
  if (unit.arguments[index].kind != PlArgument::Kind::kMemory) {
    wrong_kind(unit, index, "memory: it has no bank");
  }
  return unit.groups[index];
}

std::uint32_t kernel::offset(int argument) const {
  require(!units_.empty(), "xrt::kernel");
  const std::size_t index = checked(*units_.front(), argument);
  if (units_.front()->arguments[index].kind == PlArgument::Kind::kStream) {
    wrong_kind(*units_.front(), index, "a register");
  }
  return units_.front()->offset(index);
}

namespace {

/// The word of an argument at a register's address, of a kernel that may be accessed so.
std::byte* word_at(const kernel& k, bool exclusive, std::uint32_t offset) {
  const auto& units = XrtInside::units(k);
  require(!units.empty(), "xrt::kernel");
  if (!exclusive || units.size() != 1) {
    throw_error(EPERM, "registers of kernel '" + k.get_name() + "': open one compute unit with cu_access_mode::exclusive");
  }
  std::size_t byte = 0;
  PlArgument* argument = units.front()->at_offset(offset, byte);
  if (argument == nullptr || offset % 4 != 0) {
    throw_error(EINVAL, "kernel '" + k.get_name() + "' has no argument's register at " + std::to_string(offset) + ": use offset(argument)");
  }
  return argument->scalar + byte;
}

}  // namespace

std::uint32_t kernel::read_register(std::uint32_t at) const {
  std::uint32_t value = 0;
  std::memcpy(&value, word_at(*this, mode_ == cu_access_mode::exclusive, at), sizeof value);
  return value;
}

void kernel::write_register(std::uint32_t at, std::uint32_t value) {
  std::memcpy(word_at(*this, mode_ == cu_access_mode::exclusive, at), &value, sizeof value);
}

run::run(const kernel& kernel) : run_(std::make_shared<aieloom::Run>()) {
  run_->units = XrtInside::units(kernel);
  require(!run_->units.empty(), "xrt::kernel");
  for (const PlArgument& argument : run_->units.front()->arguments) {
    PlArgument& own = run_->arguments.emplace_back();
    own.name = argument.name;
    own.kind = argument.kind;
    own.bits = argument.bits;
  }
}

int run::index_of(const std::string& name) const {
  require(run_ != nullptr, "xrt::run");
  const auto found = std::ranges::find(run_->arguments, name, &PlArgument::name);
  if (found == run_->arguments.end()) {
    throw_error(EINVAL, "kernel '" + run_->units.front()->kernel.name + "' has no argument '" + name + "'");
  }
  return static_cast<int>(found - run_->arguments.begin());
}

void run::set_arg(int index, const bo& buffer) {
  require(run_ != nullptr, "xrt::run");
  require(static_cast<bool>(buffer), "xrt::bo");
  const std::size_t at = checked(*run_->units.front(), index);
  if (run_->arguments[at].kind != PlArgument::Kind::kMemory) {
    wrong_kind(*run_->units.front(), at, "a buffer");
  }
  std::vector<aieloom::ComputeUnit*> fitting;
  std::ranges::copy_if(run_->units, std::back_inserter(fitting), [&](const aieloom::ComputeUnit* u) {
    return static_cast<unsigned>(u->groups[at]) == buffer.get_memory_group();
  });
  if (fitting.empty()) {
    throw_error(EINVAL, "argument " + std::to_string(index) + " of kernel '" + run_->units.front()->kernel.name + "' is in memory bank " +
                            std::to_string(run_->units.front()->groups[at]) + ", the buffer in " + std::to_string(buffer.get_memory_group()) +
                            ": allocate it with group_id(" + std::to_string(index) + ")");
  }
  run_->units = fitting;
  run_->arguments[at].memory = XrtInside::buffer(buffer)->device_begin;
  run_->arguments[at].storage = XrtInside::buffer(buffer)->shared_from_this();
  run_->arguments[at].is_set = true;
}

void run::set_arg(int index, std::nullptr_t) {
  require(run_ != nullptr, "xrt::run");
  const std::size_t at = checked(*run_->units.front(), index);
  if (run_->arguments[at].kind != PlArgument::Kind::kStream) {
    wrong_kind(*run_->units.front(), at, "a stream: it needs a value");
  }
}

void run::set_scalar(int index, const void* value, std::size_t bytes, bool is_integer) {
  require(run_ != nullptr, "xrt::run");
  const std::size_t at = checked(*run_->units.front(), index);
  PlArgument& argument = run_->arguments[at];
  if (argument.kind != PlArgument::Kind::kScalar && argument.kind != PlArgument::Kind::kRegister) {
    wrong_kind(*run_->units.front(), at, "a scalar");
  }
  // XRT copies as many bytes as the argument has; a whole number of another size is meant as a number all the same.
  if (bytes * 8 != argument.bits && !(is_integer && bytes * 8 > argument.bits)) {
    throw_error(EINVAL, "argument " + std::to_string(index) + " ('" + argument.name + "') of kernel '" + run_->units.front()->kernel.name + "' has " +
                            std::to_string(argument.bits / 8) + " bytes, the value given " + std::to_string(bytes));
  }
  std::memcpy(argument.scalar, value, argument.bits / 8);
  argument.is_set = true;
}

void run::start() { start(autostart{1}); }

void run::start(const autostart& iterations) {
  require(run_ != nullptr, "xrt::run");
  if (run_->state == aieloom::Run::State::kQueued || run_->state == aieloom::Run::State::kRunning) {
    throw_error(EBUSY, "a run of kernel '" + run_->units.front()->kernel.name + "' is started before it has ended: wait() first");
  }
  run_->repetitions = iterations.iterations;
  (*std::ranges::min_element(run_->units, {}, &aieloom::ComputeUnit::load))->submit(run_);
}

ert_cmd_state run::abort() {
  if (state() == ERT_CMD_STATE_COMPLETED || state() == ERT_CMD_STATE_NEW) {
    return state();
  }
  throw_error(ENOTSUP, "a run of kernel '" + run_->units.front()->kernel.name + "' cannot be aborted: hardware kernels cannot either, unless made so");
}

ert_cmd_state run::wait(const std::chrono::milliseconds& limit) const {
  require(run_ != nullptr, "xrt::run");
  if (run_->state == aieloom::Run::State::kNew) {
    throw_error(EINVAL, "wait() for a run of kernel '" + run_->units.front()->kernel.name + "' that was not started");
  }
  while (!run_->finished()) {
    if (limit.count() == 0) {
      aieloom::block(*run_, "for the end of");
    } else if (!aieloom::block_unless_stuck(*run_, "for the end of")) {
      aieloom::wake_pollers();
      return ERT_CMD_STATE_TIMEOUT;
    }
  }
  aieloom::running_clock().wait_until(run_->finished_at);
  return ERT_CMD_STATE_COMPLETED;
}

std::cv_status run::wait2(const std::chrono::milliseconds& limit) const {
  return wait(limit) == ERT_CMD_STATE_TIMEOUT ? std::cv_status::timeout : std::cv_status::no_timeout;
}

ert_cmd_state run::state() const {
  require(run_ != nullptr, "xrt::run");
  return state_of(*run_);
}

void run::add_callback(ert_cmd_state state, std::function<void(const void*, ert_cmd_state, void*)> callback, void* data) {
  require(run_ != nullptr, "xrt::run");
  if (state != ERT_CMD_STATE_COMPLETED) {
    throw_error(EINVAL, "callbacks are called at ERT_CMD_STATE_COMPLETED only");
  }
  run_->when_finished.push_back([callback = std::move(callback), data, self = run_.get()] { callback(self, ERT_CMD_STATE_COMPLETED, data); });
}

}  // namespace xrt
