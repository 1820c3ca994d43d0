#include "predict/answer/evaluate.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/basics/error.h"
#include "base/basics/shard.h"
#include "base/basics/text.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/predict_options.h"
#include "predict/answer/tables.h"
#include "predict/collect/collect.h"

namespace takt {
namespace {

struct EvaluateOptions {
  PredictorOptions what;
  int rounds = 3;
  std::string time = "2s", shard;
  std::uint64_t seed = 1;
  LoadChoice load;
  bool online = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(EvaluateOptions& o) {
  CommandLine line("evaluate",
                   "Predicts models, runs them, and reports the errors of the predictions. Predictions and runs are "
                   "interleaved, each run in a separate process.",
                   "takt evaluate models", o.log);
  add_models_and_predictor(line, o.what);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "Number of processes that run each model, interleaved with those of the other models",
            .fallback = std::to_string(o.rounds),
            .range = NumberRange{1, 1000}},
           &o.rounds);
  line.add({.names = "--time",
            .value = "DURATION",
            .meaning = "Total time that each model runs, over all rounds; kernels are timed in one more",
            .fallback = o.time},
           &o.time);
  line.add(
      {.names = "--shard",
       .value = "I/N",
       .meaning = "Evaluate only shard I of N of the models; 'takt evaluate merge' joins what --format json wrote"},
      &o.shard);
  line.add({.names = "--seed", .value = "N", .meaning = "Seed of the order and of the inputs", .fallback = "1"},
           &o.seed);
  add_load(line, o.load);
  line.add({.names = "--online",
            .meaning = "Adapt the intervals to the errors of earlier predictions, those under a similar load first, as "
                       "a server can that knows its own latencies; for loads that change"},
           &o.online);
  add_output(line, o.output, table_names("evaluate"));
  add_report(line, o.output);
  return line;
}

/// The models of the shard. Throws Error(bad_input) if it has none.
std::vector<std::filesystem::path> models_of(const EvaluateOptions& o) {
  const auto all = models_to_collect(o.what.models);
  const Shard shard = shard_in(o.shard, "evaluate");
  std::vector<std::filesystem::path> models;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (shard.has(i)) models.push_back(all[i]);
  if (models.empty()) refuse_input(fmt::format("evaluate: --shard {}: there are only {} models", o.shard, all.size()));
  return models;
}

int run(EvaluateOptions& o, Arguments arguments) {
  EvaluateSettings settings;
  settings.time = duration_for("evaluate", "--time", o.time, std::chrono::milliseconds(1)) / o.rounds;
  settings.models = models_of(o);
  const ChosenPredictor chosen = predictor_for(o.what);
  const Predictor& predictor = chosen.predictor;
  Provenance provenance = provenance_of("evaluate", arguments);
  provenance.settings = {{"predictor", chosen.name},
                         {"rounds", std::to_string(o.rounds)},
                         {"time", o.time},
                         {"seed", std::to_string(o.seed)},
                         {"online", o.online ? "yes" : "no"}};
  settings.rounds = o.rounds, settings.seed = o.seed;
  settings.child = words_of(worker_collect_command);
  settings.load = load_config_for(o.load, predictor);
  if (o.online && !settings.load) throw UsageError("evaluate: --online is for predictions under load; add --load");
  settings.online = o.online;
  const Interrupt interrupt;
  settings.stop = &interrupt.requested();
  std::vector<EvaluatedModel> models;
  BusyWatch watch;
  {
    Progress bar("running models");
    settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
    models = evaluate(predictor, settings);
  }
  interrupt.work_is_over();
  std::string problem;
  for (const EvaluatedModel& model : models) {
    if (model.problem.empty()) continue;
    const std::string name = printable(model.model) + ": ", why = printable(model.problem);
    problem = why.starts_with(name) ? why : name + why;
    if (models.size() > 1) log_warning(problem);
  }
  const Evaluation evaluation(std::move(models));
  const auto tables = evaluate_tables(evaluation);
  const bool none = tables.front().rows.empty();
  if (!none) watch.tell();
  if (!none || !o.shard.empty()) {  // merging wants every shard
    say_whose_times(o.what, chosen);
    print(o.output, tables, provenance, evaluation_text(evaluation, o.output.style()));
  }
  if (none && evaluation.models.size() == 1 && !problem.empty()) refuse_input(problem);
  if (none) throw Error(ErrorKind::runtime, "no model could be predicted and run");
  return 0;
}

}  // namespace

constinit const Command evaluate_command =
    command<EvaluateOptions, declare, run>("evaluate", "compare predicted with measured latency");

}  // namespace takt
