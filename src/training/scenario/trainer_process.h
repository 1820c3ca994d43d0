// The training in a process of its own: libtorch is large, brings libraries that other parts of takt have in other
// versions, and holds a GPU until its process ends.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "training/scenario/scenario.h"

namespace takt {

/// What a training said of itself.
struct TrainingRun {
  std::vector<Nanoseconds> step_times;  ///< of the recorded steps, wait for data and the device's work included
  std::vector<Nanoseconds> data_waits;  ///< of the same steps: until the next batch is there
  std::string trace_file;
  std::string device;         ///< "cpu" or "cuda"
  std::string torch_version;  ///< of libtorch
  std::string profiler;       ///< who recorded: "kineto", or "record_function" where libtorch was built without it
  double last_loss = 0;
};

/// The program that trains, beside the running one or where TAKT_TRAIN names it. Throws Error(unsupported), saying how
/// to build it, where it is not.
std::string trainer_program();

/// Runs the training; `on_step` hears how many steps are done, of how many. nullopt: the flag was set, and the training
/// was ended. Throws Error(runtime) with the training's own words where it failed.
std::optional<TrainingRun> run_trainer(const std::string& program, const TrainerTask& task,
                                       const std::atomic<bool>* stop,
                                       const std::function<void(int done, int total)>& on_step);

// The lines of the conversation, one JSON object each.
std::string step_line(int done, int total);
std::string error_line(std::string_view words);
std::string result_line(const TrainingRun& run);

/// What such a line says.
struct TrainerAnswer {
  int done = 0, total = 0;         ///< steps; 0: it does not tell of any
  std::optional<TrainingRun> run;  ///< of the last line
};
/// Nothing at all for what is no line of the conversation, as some library's own words. Throws Error(runtime) for an
/// error that it tells of, and where it lacks what it has to have.
TrainerAnswer parse_trainer_line(std::string_view line);

}  // namespace takt
