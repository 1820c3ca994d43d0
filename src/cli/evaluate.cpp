#include "predict/answer/evaluate.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/line/output.h"
#include "cli/predict_options.h"
#include "cli/line/tables.h"
#include "base/system/child_process.h"
#include "base/basics/error.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "base/basics/text.h"
#include "predict/collect/collect.h"
#include "predict/answer/tables.h"

namespace takt {
namespace {

struct EvaluateOptions {
  std::vector<std::filesystem::path> models;
  std::filesystem::path predictor = default_predictor;
  int rounds = 3;
  std::string time = "2s";
  std::uint64_t seed = 1;
  LoadChoice load;
  bool online = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(EvaluateOptions& o) {
  CommandLine line(
      "evaluate",
      "Predicts models, runs them, and says how far the predictions are off: predictions and runs take turns, "
      "each run in a fresh process.",
      "takt evaluate models --predictor predictor", o.log);
  add_models_and_predictor(line, o.models, o.predictor);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "In how many processes each model is run, one after another with the others between",
            .fallback = std::to_string(o.rounds),
            .range = NumberRange{1, 1000}},
           &o.rounds);
  line.add({.names = "--time",
            .value = "DURATION",
            .meaning = "How long each model runs in all rounds together",
            .fallback = o.time},
           &o.time);
  line.add({.names = "--seed", .value = "N", .meaning = "Seed of the order and of the inputs", .fallback = "1"},
           &o.seed);
  add_load(line, o.load);
  line.add(
      {.names = "--online",
       .meaning = "Make intervals of how far off the predictions before were, those beside a like load first, as a "
                  "server can that knows its own latencies; for loads that come and go"},
      &o.online);
  add_output(line, o.output, table_names("evaluate"));
  return line;
}

/// Models by the names of their files, which say more in a narrow column than their folders; no two have one name
/// (models_to_collect).
std::string text_of(const EvaluateOptions& o, std::vector<EvaluatedModel> models) {
  for (EvaluatedModel& model : models) model.model = std::filesystem::path(model.model).stem().string();
  const auto tables = evaluate_tables(models);
  const Table runs = without_empty_columns(without_columns(tables[1], {"evaluate_problem"}));
  return to_text(runs, o.output.style()) + "\n" + to_text(without_empty_columns(tables[0]), o.output.style());
}

}  // namespace

CommandDescription describe_evaluate() {
  EvaluateOptions o;
  return declare(o).description();
}

int run_evaluate(std::span<const std::string> arguments) {
  EvaluateOptions o;
  if (!declare(o).parse(arguments)) return 0;
  EvaluateSettings settings;
  settings.time = duration_for("evaluate", "--time", o.time, std::chrono::milliseconds(1)) / o.rounds;
  const Predictor predictor = predictor_for_this_machine(o.predictor);
  const Provenance provenance = provenance_of("evaluate", arguments);
  settings.models = models_to_collect(o.models);
  settings.rounds = o.rounds, settings.seed = o.seed;
  settings.child = {path_of_this_program(), "collect", std::string(collect_child_word)};
  settings.load = load_config_for(o.load, predictor);
  if (o.online && !settings.load) throw UsageError("evaluate: --online is for predictions beside a load; add --load");
  settings.online = o.online;
  const Interrupt interrupt;
  settings.stop = &interrupt.requested();
  std::vector<EvaluatedModel> models;
  {
    Progress bar("running models");
    settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
    models = evaluate(predictor, settings);
  }
  interrupt.work_is_over();
  for (const EvaluatedModel& model : models)
    if (!model.problem.empty()) log_warning(fmt::format("{}: {}", printable(model.model), printable(model.problem)));
  const auto tables = evaluate_tables(models);
  print(o.output, tables, provenance, text_of(o, models));
  if (tables.front().rows.empty()) throw Error(ErrorKind::runtime, "no model could be predicted and run");
  return 0;
}

}  // namespace takt
