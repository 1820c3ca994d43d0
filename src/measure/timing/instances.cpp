#include "measure/timing/instances.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/memory/resident.h"
#include "base/system/affinity.h"
#include "measure/timing/measure.h"

namespace takt {
namespace {

/// Lets the instances go when all are ready, or all but those that failed.
class StartLine {
 public:
  /// `when_ready` is called once, before they go.
  StartLine(int runners, std::function<void()> when_ready) : missing_(runners), when_ready_(std::move(when_ready)) {}
  void arrive() {
    std::unique_lock lock(mutex_);
    count_down();
    ready_.wait(lock, [this] { return missing_ == 0; });
  }
  void give_up() {
    const std::lock_guard lock(mutex_);
    count_down();
  }

 private:
  void count_down() {
    if (--missing_ > 0) return;
    when_ready_();
    ready_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  int missing_;
  std::function<void()> when_ready_;
};

struct Runner {
  std::unique_ptr<Session> session;
  RunPass pass;
  std::exception_ptr failure;
};

/// Runtimes are not asked to open two models at once.
void open_and_warm_up(PreparedModel& model, const RunSettings& settings, Runner& runner, std::mutex& opening) {
  const std::lock_guard lock(opening);
  const Nanoseconds before = steady_now();
  runner.session = model.open(false);
  runner.pass.load_time = steady_now() - before;
  runner.session->set_inputs(model.values(runner.session->inputs()));
  for (int i = 0; i < settings.warmup_iterations; ++i) runner.pass.warmup.push_back(runner.session->run());
}

double rate(const RunPass& pass) {
  Nanoseconds sum{};
  for (const auto sample : pass.samples) sum += sample;
  return sum.count() ? static_cast<double>(pass.samples.size()) / (Duration(sum).count() / 1e6) : 0;
}

RunPass together(const std::vector<RunPass>& passes) {
  RunPass all;
  all.started = passes.front().started;
  all.runs_per_second = 0;
  for (const auto& pass : passes) {
    all.load_time = std::max(all.load_time, pass.load_time);
    all.warmup.insert(all.warmup.end(), pass.warmup.begin(), pass.warmup.end());
    all.starts.insert(all.starts.end(), pass.starts.begin(), pass.starts.end());
    all.samples.insert(all.samples.end(), pass.samples.begin(), pass.samples.end());
    all.host_samples.insert(all.host_samples.end(), pass.host_samples.begin(), pass.host_samples.end());
    *all.runs_per_second += rate(pass);
  }
  return all;
}

}  // namespace

std::vector<int> cores_of(const RunSettings& settings, int instance) {
  const auto each = settings.cores.size() / static_cast<std::size_t>(settings.instances);
  const auto begin = settings.cores.begin() + static_cast<std::ptrdiff_t>(each * static_cast<std::size_t>(instance));
  return {begin, begin + static_cast<std::ptrdiff_t>(each)};
}

RunPass measure_instances(PreparedModel& model, const RunSettings& settings, const RunProgress& progress) {
  RunResult& result = model.result();
  std::vector<Runner> runners(static_cast<std::size_t>(settings.instances));
  PassMemory memory;
  memory.before = resident_bytes();
  const ResidentPeak loading;
  std::optional<ResidentPeak> running;
  StartLine line(settings.instances, [&] { memory.loading = loading.bytes(), running.emplace(); });
  std::mutex opening;
  const auto body = [&](int number) {
    Runner& runner = runners[static_cast<std::size_t>(number)];
    RunSettings own = settings;
    own.warmup_iterations = 0;  // done before the common start
    bool arrived = false;
    try {
      if (!settings.cores.empty()) pin_this_thread(cores_of(settings, number));
      open_and_warm_up(model, settings, runner, opening);
      arrived = true;
      line.arrive();
      Measurement measurement(*runner.session, own, nullptr, std::move(runner.pass));
      measure({&measurement, 1}, number == 0 ? progress : RunProgress());
      runner.pass = measurement.finish();
    } catch (...) {
      runner.failure = std::current_exception();
      if (!arrived) line.give_up();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < settings.instances; ++i) threads.emplace_back(body, i);
  for (auto& thread : threads) thread.join();
  memory.running = running->bytes();
  for (auto& runner : runners) {
    if (runner.failure) std::rethrow_exception(runner.failure);
    result.instances.push_back(std::move(runner.pass));
  }
  const Session& first = *runners.front().session;
  result.device = first.device(), result.inputs = first.inputs(), result.outputs = first.outputs();
  if (const auto precision = first.precision()) result.precision = precision;
  add_notes(result, runners.front().session->notes());
  RunPass all = together(result.instances);
  if (!model.runtime().traits().is_simulated) all.memory = memory;
  return all;
}

}  // namespace takt
