#include "training/scenario/trainer_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/child_process.h"

namespace takt {
namespace {

constexpr Nanoseconds silence_limit = std::chrono::minutes(15);  // the longest step that is still a step

std::vector<std::int64_t> counts(const std::vector<Nanoseconds>& times) {
  std::vector<std::int64_t> list;
  for (const Nanoseconds time : times) list.push_back(time.count());
  return list;
}

std::vector<Nanoseconds> times(const nlohmann::json& list) {
  std::vector<Nanoseconds> all;
  for (const auto& each : list) all.emplace_back(each.get<std::int64_t>());
  return all;
}

TrainingRun run_in(const nlohmann::json& told) {
  TrainingRun run;
  run.step_times = times(told.at("step_times_ns"));
  run.data_waits = times(told.at("data_waits_ns"));
  told.at("trace_file").get_to(run.trace_file);
  told.at("device").get_to(run.device);
  told.at("torch_version").get_to(run.torch_version);
  told.at("profiler").get_to(run.profiler);
  // JSON has no NaN: a loss that is none is null.
  run.last_loss = told.at("last_loss").is_null() ? std::nan("") : told.at("last_loss").get<double>();
  if (run.step_times.empty() || run.step_times.size() != run.data_waits.size())
    throw Error(ErrorKind::runtime, "the training did not report the times of its steps");
  return run;
}

[[noreturn]] void fail(const std::string& words) { throw Error(ErrorKind::runtime, "the training failed: " + words); }

}  // namespace

std::string step_line(int done, int total) { return nlohmann::json{{"step", done}, {"of", total}}.dump(); }

std::string error_line(std::string_view words) {
  return nlohmann::json{{"error", words}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string result_line(const TrainingRun& run) {
  return nlohmann::json{{"step_times_ns", counts(run.step_times)},
                        {"data_waits_ns", counts(run.data_waits)},
                        {"trace_file", run.trace_file},
                        {"device", run.device},
                        {"torch_version", run.torch_version},
                        {"profiler", run.profiler},
                        {"last_loss", run.last_loss}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

TrainerAnswer parse_trainer_line(std::string_view line) {
  TrainerAnswer answer;
  const auto told = nlohmann::json::parse(line, nullptr, false);
  if (told.is_discarded() || !told.is_object()) return answer;
  try {
    if (told.contains("error")) fail(told.at("error").get<std::string>());
    if (told.contains("step_times_ns"))
      answer.run = run_in(told);
    else if (told.contains("step"))
      answer.done = told.at("step").get<int>(), answer.total = told.at("of").get<int>();
  } catch (const nlohmann::json::exception& error) {
    fail(fmt::format("its answer cannot be read: {}", error.what()));
  }
  return answer;
}

std::string trainer_program() {
  if (const char* named = std::getenv("TAKT_TRAIN"); named != nullptr && *named != '\0') return named;
  const auto beside = std::filesystem::path(path_of_this_program()).parent_path() / "takt-train";
  std::error_code ignored;
  if (std::filesystem::exists(beside, ignored)) return beside.string();
  throw Error(ErrorKind::unsupported,
              "this takt was built without libtorch, so it cannot train: build it with -DTAKT_WITH_TORCH=ON ('make "
              "demo-training' does, and installs libtorch)");
}

std::optional<TrainingRun> run_trainer(const std::string& program, const TrainerTask& task,
                                       const std::atomic<bool>* stop,
                                       const std::function<void(int done, int total)>& on_step) {
  TrainerTask asked = task;
  asked.parent = static_cast<int>(::getpid());
  ChildProcess child({program}, to_json(asked));
  std::string line;
  for (;;) {
    switch (child.next(line, silence_limit, stop)) {
      case ChildProcess::Answer::line:
        break;
      case ChildProcess::Answer::stopped:
        return std::nullopt;
      case ChildProcess::Answer::late:
        fail(fmt::format("it did not respond within {} and was terminated", format_duration(silence_limit)));
      case ChildProcess::Answer::ended: {
        const ChildProcess::End end = child.end();
        const std::string words = child.last_words();
        fail(fmt::format("it ended with {}{}{}", to_string(end), words.empty() ? "" : ": ", printable(words)));
      }
    }
    TrainerAnswer answer = parse_trainer_line(line);
    if (answer.run) return std::move(answer.run);
    if (answer.total > 0) on_step(answer.done, answer.total);
  }
}

}  // namespace takt
