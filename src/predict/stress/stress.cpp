#include "predict/stress/stress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/field_list.h"
#include "base/machine/load_work.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
constexpr Nanoseconds tell_every = 10ms, start_patience = 60s, longest_stress = std::chrono::hours(24 * 30);

bool loads_processors(const StressTask& task) {
  return task.processors.compute > 0 || task.processors.memory > 0 || task.processors.cache > 0;
}

bool loads_gpu(const StressTask& task) { return task.gpu.levels.compute > 0 || task.gpu.levels.copies > 0; }

std::string line_of(const StressWork& work) {
  return fmt::format("{} {} {} {} {}", work.time.count(), work.compute.count(), work.reading.count(),
                     work.gpu_compute.count(), work.gpu_copies.count());
}

constexpr auto stress_fields = [](auto& task, const auto& field) {
  field("compute", task.processors.compute);
  field("memory", task.processors.memory);
  field("cache", task.processors.cache);
  field("threads", task.threads);
  field("gpu", task.gpu.levels.compute);
  field("gpu_copies", task.gpu.levels.copies);
  field("gpu_device", task.gpu.device);
  field("gpu_library", task.gpu.library);
  field("duration_ns", task.duration);
  field("parent", task.parent);
};

}  // namespace

std::string to_json(const StressTask& task) { return written_fields(task, stress_fields); }

StressTask parse_stress_task(std::string_view json) {
  const auto task = read_fields<StressTask>(json, stress_fields, "a stressor received something other than a task");
  check_stress(task);
  return task;
}

void check_stress(const StressTask& task) {
  check_load(task.processors, task.threads);
  const auto& [compute, copies] = task.gpu.levels;
  if (!(compute >= 0 && copies >= 0 && compute + copies <= 1 + 1e-9))
    refuse_input(
        fmt::format("a load of {} and copies of {} on a GPU are not possible; levels are 0 to 1, together at most 1",
                    compute, copies));
  if (!loads_processors(task) && !loads_gpu(task)) refuse_input("no load was requested: every level is 0");
  if (task.duration <= 0ns || task.duration > longest_stress) refuse_input("a load lasts between 1 ns and 30 days");
}

std::vector<ReachedLevel> reached_levels(const StressTask& task, const StressWork& begin, const StressWork& end,
                                         const std::string& gpu_name) {
  std::vector<ReachedLevel> levels;
  const Nanoseconds time = end.time - begin.time;
  const auto add = [&](const char* resource, double wanted, Nanoseconds worked, int threads) {
    if (wanted <= 0) return;
    ReachedLevel level{resource, threads > 0 ? "CPU" : gpu_name, threads, wanted, std::nullopt, time};
    if (time > 0ns)
      level.reached = static_cast<double>(worked.count()) / static_cast<double>(time.count()) / std::max(threads, 1);
    levels.push_back(std::move(level));
  };
  add("compute", task.processors.compute, end.compute - begin.compute, task.threads);
  add("memory", task.processors.memory, end.reading - begin.reading, task.threads);
  add("cache", task.processors.cache, end.reading - begin.reading, task.threads);
  add("gpu", task.gpu.levels.compute, end.gpu_compute - begin.gpu_compute, 0);
  add("gpu_copies", task.gpu.levels.copies, end.gpu_copies - begin.gpu_copies, 0);
  return levels;
}

StressEnd run_stress(const StressTask& task, const std::atomic<bool>* stop,
                     const std::function<bool(const StressWork&)>& tell) {
  check_stress(task);
  std::unique_ptr<GpuLoad> gpu;
  std::unique_ptr<LoadWork> processors;
  if (loads_gpu(task)) gpu = std::make_unique<GpuLoad>(task.gpu);
  if (loads_processors(task))
    processors = std::make_unique<LoadWork>(task.processors, task.threads, LoadPace::processor_time);
  const auto work_now = [&] {
    StressWork work{.time = steady_now()};
    if (processors) work.compute = processors->worked().compute, work.reading = processors->worked().reading;
    if (gpu) work.gpu_compute = gpu->worked().compute, work.gpu_copies = gpu->worked().copies;
    return work;
  };
  const StressWork begin = work_now();
  std::string failure;
  while (failure.empty() && !(stop && *stop) && tell(work_now())) {
    const Nanoseconds left = begin.time + task.duration - steady_now();
    if (left <= 0ns) break;
    std::this_thread::sleep_for(std::min(left, tell_every));
    if (gpu) failure = gpu->failure();
  }
  return {reached_levels(task, begin, work_now(), gpu ? gpu->device_name() : ""), failure};
}

void run_stress_child(std::string_view task_json, const std::function<bool(const std::string&)>& tell) {
  const StressTask task = parse_stress_task(task_json);
  end_with_parent(task.parent);
  const StressEnd end = run_stress(task, nullptr, [&](const StressWork& work) { return tell(line_of(work)); });
  if (!end.failure.empty()) throw Error(ErrorKind::runtime, end.failure);
}

Stressor::Stressor(const std::vector<std::string>& command, StressTask task)
    : task_([&] {
        task.parent = static_cast<int>(::getpid());
        return task;
      }()),
      child_(command, to_json(task_)) {
  std::string line;
  if (child_.next(line, start_patience) != ChildProcess::Answer::line || !note(line))
    throw Error(ErrorKind::runtime,
                fmt::format("the stressor ended with {}: {}", to_string(child_.end()), printable(child_.last_words())));
  listener_ = std::thread([this] { listen(); });
}

Stressor::~Stressor() {
  stop_ = true;
  listener_.join();
}

void Stressor::listen() {
  std::string line;
  while (!stop_) {
    const auto answer = child_.next(line, 200ms, &stop_);
    if (answer == ChildProcess::Answer::late) continue;
    if (answer != ChildProcess::Answer::line || !note(line)) break;
  }
  ended_ = true;
}

bool Stressor::note(const std::string& line) {
  const auto words = split(line, ' ');
  std::array<Nanoseconds, 5> numbers{};
  if (words.size() != numbers.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = number_in<std::int64_t>(words[i]);
    if (!number) return false;
    numbers[i] = Nanoseconds(*number);
  }
  const std::lock_guard lock(mutex_);
  told_.push_back({numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]});
  return true;
}

std::vector<ReachedLevel> Stressor::reached(Nanoseconds begin, Nanoseconds end) const {
  const auto is_before = [](const StressWork& work, Nanoseconds time) { return work.time < time; };
  const std::lock_guard lock(mutex_);
  if (told_.empty() || begin + tell_every < told_.front().time || end > told_.back().time + 10 * tell_every) return {};
  const auto first = std::lower_bound(told_.begin(), told_.end(), begin, is_before);
  const auto last = std::lower_bound(told_.begin(), told_.end(), end, is_before);
  if (first == told_.end()) return {};
  return reached_levels(task_, *first, last == told_.end() ? told_.back() : *last, "GPU");
}

}  // namespace takt
