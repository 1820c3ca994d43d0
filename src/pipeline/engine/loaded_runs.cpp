#include "pipeline/engine/loaded_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/statistics/statistics.h"
#include "base/system/affinity.h"
#include "pipeline/contention/stage_durations.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds load_window = 300ms;  // in which a load tells its speed

StageDurations durations_in(const PipelineRun& run, int stage, std::optional<int> beside = {}) {
  StageDurations durations;
  add_durations(run, stage, beside, durations);
  return durations;
}

/// Which resource is pressed on alone, and with all that the load can do.
std::optional<std::size_t> full_load(std::span<const double> levels) {
  const auto used = std::count_if(levels.begin(), levels.end(), [](double level) { return level > 0; });
  const auto full = std::find(levels.begin(), levels.end(), 1.0);
  if (used != 1 || full == levels.end()) return std::nullopt;
  return static_cast<std::size_t>(full - levels.begin());
}

std::vector<double> one_of(std::size_t count, int which) {
  std::vector<double> levels(count);
  levels[index(which)] = 1;
  return levels;
}

/// A real stage is disturbed now and then by what has nothing to do with the load: the usual execution is meant.
double usual_ns(const std::vector<double>& durations) { return median(durations).value_or(0); }

/// The time from the first counted execution to the last, on the steady clock, and the share of it in which any ran.
struct Window {
  Nanoseconds begin{}, end{};
  double busy = 0;
};

Window window_of(const PipelineRun& run) {
  Window window{Nanoseconds::max(), Nanoseconds::min(), 0};
  double sum = 0;
  for (const auto& record : run.schedule.executions) {
    if (record.what.phase != FlowPhase::run || record.what.batch < run.warmup) continue;
    window.begin = std::min(window.begin, record.start), window.end = std::max(window.end, record.end);
    sum += static_cast<double>((record.end - record.start).count());
  }
  if (window.end <= window.begin) return {};
  window.busy = std::min(1.0, sum / static_cast<double>((window.end - window.begin).count()));
  const Nanoseconds offset = run.base_time.value_or(Nanoseconds(0)) - (wall_now() - steady_now());
  window.begin += offset, window.end += offset;
  return window;
}

}  // namespace

SimulatedLoadedRuns::SimulatedLoadedRuns(const PipelineSpec& spec, CutRunner& runner)
    : runner_(runner), count_(spec.resources.size()), alone_(spec.stages.size()) {
  for (const auto& [name, resource] : spec.resources) names_.push_back(name);
}

std::vector<std::string> SimulatedLoadedRuns::resources() const { return names_; }

double SimulatedLoadedRuns::alone(int stage) {
  const std::vector stages{stage};
  return alone_[index(stage)] = mean(durations_in(runner_.run(stages), 0).all).value_or(0);
}

SimulatedLoad SimulatedLoadedRuns::load_of(std::span<const double> levels, double time_ns) const {
  SimulatedLoad load{Nanoseconds(std::max<std::int64_t>(std::llround(time_ns), 1)), {}, {}};
  load.pressure.assign(levels.begin(), levels.end());
  for (const double level : levels) load.sensitivity.push_back(level > 0 ? 1 : 0);
  return load;
}

// A turn of the load takes twice as long as the stage, so that the stage, not the load, waits for the other between
// its executions, and always has it beside it.
LoadedRuns::Beside SimulatedLoadedRuns::beside(int stage, std::span<const double> levels) {
  const SimulatedLoad load = load_of(levels, 2 * alone_[index(stage)]);
  const std::vector stages{stage};
  const PipelineRun run = runner_.run(stages, std::vector{load});
  const StageDurations own = durations_in(run, 0, 1), other = durations_in(run, 1, 0);
  Beside result{mean(own.all).value_or(0), own.overlap().value_or(0), std::nullopt};
  if (full_load(levels))
    result.load_lost = slow_down_while_both_run(static_cast<double>(load.time.count()), mean(other.all).value_or(0),
                                                other.overlap().value_or(0));
  return result;
}

double SimulatedLoadedRuns::load_beside(int resource, std::span<const double> levels) {
  constexpr double turn_ns = 1e6;
  const std::vector loads{load_of(one_of(count_, resource), turn_ns), load_of(levels, 2 * turn_ns)};
  const StageDurations own = durations_in(runner_.run({}, loads), 0, 1);
  return slow_down_while_both_run(turn_ns, mean(own.all).value_or(0), own.overlap().value_or(0));
}

RealLoadedRuns::RealLoadedRuns(CutRunner& runner, std::vector<std::string> command, int load_threads,
                               const std::atomic<bool>* stop)
    : runner_(runner), command_(std::move(command)), threads_(load_threads), stop_(stop) {}

LoadTask RealLoadedRuns::task_of(std::span<const double> levels) const {
  return {{levels[0], levels[1], levels[2]}, threads_, 0};
}

double RealLoadedRuns::alone(int stage) {
  const std::vector stages{stage};
  alone_ns_ = usual_ns(durations_in(runner_.run(stages), 0).all);
  return alone_ns_;
}

double RealLoadedRuns::rate_alone(const ResourceLoad& load) const {
  const Nanoseconds begin = steady_now();
  const auto stopped = [&] { return stop_ && *stop_; };
  while (steady_now() < begin + load_window && !stopped()) std::this_thread::sleep_for(10ms);
  const auto rate = load.rate(begin, steady_now());
  if ((!rate || *rate <= 0) && !stopped())
    throw Error(ErrorKind::runtime, "the load under which stages are measured makes no progress; stop other programs");
  return rate.value_or(0);
}

// Of the stage as of the load, the speed alone before and after the run, so that a drift of the machine is not taken
// for what one does to the other. Memory that others use, too, drifts by a fifth within a minute.
LoadedRuns::Beside RealLoadedRuns::beside(int stage, std::span<const double> levels) {
  const double before = alone_ns_;
  Beside result = beside_load(stage, levels);
  result.alone_ns = std::sqrt(before * alone(stage));
  return result;
}

LoadedRuns::Beside RealLoadedRuns::beside_load(int stage, std::span<const double> levels) {
  const ResourceLoad load(command_, task_of(levels));
  const std::vector stages{stage};
  const bool tells = full_load(levels).has_value();
  const double before = tells ? rate_alone(load) : 0;
  const PipelineRun run = runner_.run(stages);
  Beside result{usual_ns(durations_in(run, 0).all), 1, std::nullopt};
  if (!tells) return result;
  const Window window = window_of(run);
  const auto during = load.rate(window.begin, window.end);
  const double usual = (before + rate_alone(load)) / 2;
  if (during && *during > 0 && usual > 0)  // of the times that the same work takes
    result.load_lost = slow_down_while_both_run(1 / usual, 1 / *during, window.busy);
  return result;
}

double RealLoadedRuns::load_beside(int resource, std::span<const double> levels) {
  const ResourceLoad load(command_, task_of(one_of(levels.size(), resource)));
  const double before = rate_alone(load);
  double during = 0;
  {
    const ResourceLoad other(command_, task_of(levels));
    during = rate_alone(load);
  }
  const double usual = (before + rate_alone(load)) / 2;
  return during > 0 ? usual / during : 1;  // 0: it was stopped, and the round does not count
}

LoadSetup load_setup(const PipelineSpec& spec, bool virtual_clock, CutRunner& runner, std::vector<std::string> command,
                     const std::atomic<bool>* stop) {
  const auto simulated_stage = [](const StageSpec& stage) { return is_simulated(devices_of(stage).front()); };
  const auto simulated_stages = std::count_if(spec.stages.begin(), spec.stages.end(), simulated_stage);
  LoadSetup setup;
  if (!virtual_clock && simulated_stages == 0) {
    setup.runs = std::make_unique<RealLoadedRuns>(runner, std::move(command), load_threads_for(spec), stop);
    setup.resources = RealLoadedRuns::resources();
    setup.mixture = RealLoadedRuns::mixture();
    return setup;
  }
  if (!virtual_clock && simulated_stages < std::ssize(spec.stages))
    refuse_input(
        fmt::format("{}: some stages are simulated and others real, and no load stresses both; add --simulate, or "
                    "measure pairs with --pairs measured",
                    spec.origin));
  if (spec.resources.empty())
    refuse_input(
        fmt::format("{}: contention.resources is missing: simulated stages have no resource that a load can stress; "
                    "add it, or measure pairs with --pairs measured",
                    spec.origin));
  auto runs = std::make_unique<SimulatedLoadedRuns>(spec, runner);
  setup.resources = runs->resources();
  if (setup.resources.size() > 1) setup.mixture = runs->mixture();
  setup.runs = std::move(runs);
  return setup;
}

int load_threads_for(const PipelineSpec& spec) {
  const int cores = usable_core_count();
  int most = 1;
  for (const StageSpec& stage : spec.stages)
    if (!hands_on(stage)) most = std::max(most, std::min(stage.threads.value_or(cores), cores));
  return most;
}

}  // namespace takt
