// What the engine costs: a hop between stages that do nothing, beside handing a number through a bare bounded queue
// (mutex and condition variables) from one thread to another. Both run in turns in this program, with threads of the
// same number and queues of the same length. Printed: medians, and the median of the ratios of each turn; exit code 1
// when that is above 10.
//
// The engine's figure is the whole time per batch and stage of a chain: admission, the decision what starts, handing on
// the output, the request's own thread, the record of it all, delivery.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/basics/units.h"
#include "pipeline/engine/fake_stages.h"

namespace takt {
namespace {

constexpr std::size_t queue_length = 2;
constexpr double limit = 10;

class BoundedQueue {
 public:
  void put(std::int64_t item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return items_.size() < queue_length; });
    items_.push_back(item);
    not_empty_.notify_one();
  }
  std::int64_t take() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return !items_.empty(); });
    const auto item = items_.front();
    items_.pop_front();
    not_full_.notify_one();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_empty_, not_full_;
  std::deque<std::int64_t> items_;
};

/// Nanoseconds per item and queue, through as many threads as there are stages.
double queue_hop(int stages, std::int64_t items) {
  std::vector<BoundedQueue> queues(static_cast<std::size_t>(stages) - 1);
  std::vector<std::thread> threads;
  const auto begin = steady_now();
  for (std::size_t t = 0; t < static_cast<std::size_t>(stages); ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < items; ++i) {
        const auto item = t == 0 ? i : queues[t - 1].take();
        if (t < queues.size()) queues[t].put(item);
      }
    });
  for (auto& thread : threads) thread.join();
  return static_cast<double>((steady_now() - begin).count()) / static_cast<double>(items * (stages - 1));
}

/// Nanoseconds per batch and hop from stage to stage.
double engine_hop(int stages, std::int64_t batches) {
  std::string yaml = fmt::format("batches: {}\nqueue: {}\nstages:\n", batches, queue_length);
  for (int s = 0; s < stages; ++s) yaml += fmt::format("  - {{name: s{}, dummy: {{matmul: 8}}, device: CPU}}\n", s);
  FakeEngine engine(yaml, [](int, int, int) { return [](std::int64_t) { return std::nullopt; }; });
  engine.run();
  return static_cast<double>(engine.result.schedule.makespan().count()) /
         static_cast<double>(batches * std::max(stages - 1, 1));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool compare(int stages, int turns) {
  std::vector<double> bare, ours, ratios;
  for (int turn = 0; turn < turns; ++turn) {
    const bool queue_first = turn % 2 == 0;
    if (queue_first) bare.push_back(queue_hop(stages, 50'000));
    ours.push_back(engine_hop(stages, 5'000));
    if (!queue_first) bare.push_back(queue_hop(stages, 50'000));
    ratios.push_back(ours.back() / bare.back());
  }
  const bool holds = median(ratios) <= limit;
  fmt::print("{:>6} {:>12.0f} {:>12.0f} {:>8.2f}  {}\n", stages, median(bare), median(ours), median(ratios),
             holds ? "PASS" : "FAIL");
  return holds;
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  const int turns = count > 1 && arguments[1][0] != '-' ? std::max(std::atoi(arguments[1]), 1) : 9;
  fmt::print("stages  queue ns/hop engine ns/hop  ratio   limit {}, {} turns\n", takt::limit, turns);
  bool holds = true;
  for (const int stages : {2, 4, 8}) holds = takt::compare(stages, turns) && holds;
  return holds ? 0 : 1;
}
