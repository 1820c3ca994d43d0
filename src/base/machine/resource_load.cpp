#include "base/machine/resource_load.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/machine/load_work.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
constexpr Nanoseconds telling_every = 10ms, patience = 30s;

}  // namespace

std::string to_json(const LoadTask& task) {
  return nlohmann::json{{"compute", task.levels.compute},
                        {"memory", task.levels.memory},
                        {"cache", task.levels.cache},
                        {"threads", task.threads},
                        {"parent", task.parent}}
      .dump();
}

void check_load(const LoadLevels& levels, int threads) {
  const auto& [compute, memory, cache] = levels;
  const bool shares = compute >= 0 && memory >= 0 && compute + memory <= 1 + 1e-9 && cache >= 0 && cache <= 1;
  if (!shares || (cache > 0 && compute + memory > 0))
    refuse_input(fmt::format(
        "a load of compute {}, memory {} and cache {} is invalid; levels are 0 to 1, compute and memory add up to at "
        "most 1, cache is used alone",
        compute, memory, cache));
  if (threads < 1 || threads > 1024) refuse_input(fmt::format("a load has {} threads; use 1 to 1024", threads));
}

LoadTask parse_load_task(std::string_view json) {
  LoadTask task;
  try {
    const auto read = nlohmann::json::parse(json);
    task.levels = {read.at("compute"), read.at("memory"), read.at("cache")};
    task.threads = read.at("threads");
    task.parent = read.at("parent");
  } catch (const nlohmann::json::exception& error) {
    refuse_input(fmt::format("a load received something other than a task: {}", error.what()));
  }
  check_load(task.levels, task.threads);
  return task;
}

void run_load(std::string_view task_json, const std::function<bool(const std::string&)>& tell) {
  const LoadTask task = parse_load_task(task_json);
  end_with_parent(task.parent);
  LoadWork work(task.levels, task.threads);
  while (tell(fmt::format("{} {}", steady_now().count(), work.done()))) std::this_thread::sleep_for(telling_every);
}

ResourceLoad::ResourceLoad(const std::vector<std::string>& command, LoadTask task)
    : child_(command, to_json([&] {
               task.parent = static_cast<int>(::getpid());
               return task;
             }())) {
  std::string line;
  if (child_.next(line, patience) != ChildProcess::Answer::line || !note(line)) {
    const auto end = child_.end();  // before its words: it may still speak
    throw Error(ErrorKind::runtime, fmt::format("the background load of a measurement ended with {}: {}",
                                                to_string(end), printable(child_.last_words())));
  }
  listener_ = std::thread([this] { listen(); });
}

ResourceLoad::~ResourceLoad() {
  stop_ = true;
  listener_.join();
}

void ResourceLoad::listen() {
  std::string line;
  while (!stop_) {
    const auto answer = child_.next(line, 200ms, &stop_);
    if (answer == ChildProcess::Answer::late) continue;
    if (answer != ChildProcess::Answer::line || !note(line)) return;
  }
}

bool ResourceLoad::note(const std::string& line) {
  const auto words = split(line, ' ');
  if (words.size() != 2) return false;
  const auto time = number_in<std::int64_t>(words.front());
  const auto work = number_in<double>(words.back());
  if (!time || !work) return false;
  const std::lock_guard lock(mutex_);
  told_.push_back({Nanoseconds(*time), *work});
  return true;
}

/// Between two tellings in proportion to the time.
double ResourceLoad::work_at(Nanoseconds time) const {
  const auto after = std::lower_bound(told_.begin(), told_.end(), time,
                                      [](const Told& told, Nanoseconds wanted) { return told.time < wanted; });
  const Told &right = *after, &left = *(after - 1);
  const double share = static_cast<double>((time - left.time).count()) /
                       static_cast<double>(std::max<std::int64_t>((right.time - left.time).count(), 1));
  return left.work + share * (right.work - left.work);
}

std::optional<double> ResourceLoad::rate(Nanoseconds begin, Nanoseconds end) const {
  if (end <= begin) return std::nullopt;
  for (int turn = 0; turn < 200; ++turn) {
    {
      const std::lock_guard lock(mutex_);
      if (!told_.empty() && told_.front().time < begin && told_.back().time >= end)
        return (work_at(end) - work_at(begin)) / (static_cast<double>((end - begin).count()) / 1e9);
    }
    std::this_thread::sleep_for(5ms);
  }
  return std::nullopt;
}

}  // namespace takt
