#include "predict/answer/evaluate.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/basics/error.h"
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
  std::string time = "2s";
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
            .meaning = "Total time that each model runs, over all rounds",
            .fallback = o.time},
           &o.time);
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

/// "9 models: predictions are off by 2.1 % on average; the interval covers 9 in 10 measured times." Empty: none has
/// both.
std::string answer(const std::vector<EvaluatedModel>& models) {
  const auto errors = errors_of(models);
  if (!errors) return "";
  const ErrorFigures& figures = errors->figures;
  const std::string covered =
      figures.coverage ? fmt::format("; intervals cover {:.0f} % of measured times", 100 * *figures.coverage) : "";
  return fmt::format("{} prediction{}: off by {:.1f} % on average{}.\n\n", figures.count, figures.count == 1 ? "" : "s",
                     100 * figures.mape, covered);
}

/// Models by the names of their files, which say more in a narrow column than their folders; no two have one name
/// (models_to_collect).
std::string text_of(const EvaluateOptions& o, std::vector<EvaluatedModel> models) {
  for (EvaluatedModel& model : models) model.model = std::filesystem::path(model.model).stem().string();
  const auto tables = evaluate_tables(models);
  const Table runs = without_empty_columns(without_columns(tables[1], {"evaluate_problem"}));
  return answer(models) + to_text(without_empty_columns(tables[0]), o.output.style()) + "\n" +
         to_text(runs, o.output.style());
}

int run(EvaluateOptions& o, Arguments arguments) {
  EvaluateSettings settings;
  settings.time = duration_for("evaluate", "--time", o.time, std::chrono::milliseconds(1)) / o.rounds;
  settings.models = models_to_collect(o.what.models);
  const ChosenPredictor chosen = predictor_for(o.what);
  const Predictor& predictor = chosen.predictor;
  const Provenance provenance = provenance_of("evaluate", arguments);
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
  const auto tables = evaluate_tables(models);
  if (tables.front().rows.empty())
    throw Error(ErrorKind::runtime,
                models.size() == 1 && !problem.empty() ? problem : "no model could be predicted and run");
  watch.tell();
  say_whose_times(o.what, chosen);
  print(o.output, tables, provenance, text_of(o, models));
  return 0;
}

}  // namespace

constinit const Command evaluate_command =
    command<EvaluateOptions, declare, run>("evaluate", "compare predicted with measured latency");

}  // namespace takt
