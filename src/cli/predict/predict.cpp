#include <fmt/format.h>

#include <set>

#include "base/basics/text.h"
#include "base/system/log.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/predict_options.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/predicted_trace.h"
#include "predict/answer/tables.h"
#include "predict/collect/collect.h"
#include "predict/sources/sources.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

struct PredictOptions {
  std::vector<std::filesystem::path> models;
  std::filesystem::path predictor = default_predictor;
  std::filesystem::path trace;
  LoadChoice load;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PredictOptions& o) {
  CommandLine line("predict",
                   "Predicts the latency of models on the predictor's machine without running them, with an interval. "
                   "Every kernel that the runtime would execute has a time and the source of that time.",
                   "takt predict model.onnx --predictor predictor", o.log);
  add_models_and_predictor(line, o.models, o.predictor);
  line.add({.names = "--trace",
            .value = "FILE",
            .meaning = "Write the predicted timeline, for ui.perfetto.dev",
            .makes = Makes::file},
           &o.trace);
  add_load(line, o.load);
  add_output(line, o.output, table_names("predict"));
  add_report(line, o.output);
  return line;
}

/// ", because …", as its source says.
std::string trouble_of(const LoadSnapshot& snapshot, const std::string& feature) {
  for (const LoadReading& reading : snapshot.readings)
    if (reading.name == feature && !reading.trouble.empty()) return ": " + reading.trouble;
  for (const SourceTrouble& trouble : snapshot.troubles)
    return fmt::format(" ({}: {})", trouble.source, trouble.sentence);
  return "";
}

std::string load_words(const LoadShare& load) {
  if (load.from.empty())
    return "the load could not be read: this is for an idle machine, and the actual time may be far higher";
  return fmt::format("includes a slowdown of {:.2f}x for the current load (source: {}), assuming it persists{}",
                     load.factor, load.from, load.is_beyond ? "; this load is outside the training range" : "");
}

/// A Prometheus server that was asked and did not answer is said, though other sources may make up for it: they tell of
/// this machine, and the server perhaps of another.
void say_what_did_not_answer(const LoadSnapshot& snapshot) {
  for (const SourceTrouble& trouble : snapshot.troubles)
    if (trouble.source == "prometheus") log_warning(fmt::format("load: prometheus: {}", trouble.sentence));
}

/// What a better law would have needed.
void say_what_is_missing(const Predictor& predictor, const LoadSnapshot& snapshot) {
  const SeenLoad seen = seen_in(snapshot);
  std::set<std::string> said;  // laws share figures
  for (const LoadLaw& law : predictor.load_laws) {
    if (law.factor(seen, 0)) return;
    for (const std::string& name : law.missing(seen))
      if (said.insert(name).second)
        log_warning(fmt::format("load: {} is unknown{}; the prediction is less certain without it", name,
                                trouble_of(snapshot, name)));
  }
}

/// Bodies are no kernels of the saved graph, and how often they run is decided while the model runs.
void say_what_is_left_out(const PredictedModel& model) {
  std::set<std::string> types;
  for (const KernelFacts& facts : model.facts.kernels)
    if (facts.op_type == "If" || facts.op_type == "Loop" || facts.op_type == "Scan") types.insert(facts.op_type);
  if (types.empty()) return;
  log_warning(
      fmt::format("{}: the operators inside {} are not predicted, so the model takes longer than predicted, and "
                  "may be outside the interval; measure it with 'takt run'",
                  printable(model.model), fmt::join(types, " and ")));
}

std::string sentence_of(const PredictedModel& model) {
  const ModelPrediction& p = model.prediction;
  std::string text =
      fmt::format("{}: {} (90 % interval: {} to {})\n", printable(model.model), format_duration(Duration(p.us)),
                  format_duration(Duration(p.low_us)), format_duration(Duration(p.high_us)));
  if (p.load) text += "  " + load_words(*p.load) + "\n";
  text += fmt::format(
      "  kernel time: {:.1f} % from measured kernels, {:.1f} % from trained regressions, {:.1f} % from the roofline "
      "alone\n",
      100 * p.share(Tier::measured), 100 * p.share(Tier::trained), 100 * p.share(Tier::roofline));
  return text;
}

std::string text_of(const PredictOptions& o, const std::vector<PredictedModel>& models,
                    const std::vector<Table>& tables) {
  std::string text;
  for (const PredictedModel& model : models) text += sentence_of(model);
  if (models.size() == 1)
    text += "\n" + to_text(without_columns(tables[1], {"kernel_record", "model", "kernel_node"}), o.output.style());
  return text;
}

int run(PredictOptions& o, Arguments arguments) {
  const Predictor predictor = predictor_for_this_machine(o.predictor);
  const Provenance provenance = provenance_of("predict", arguments);
  std::optional<SeenLoad> seen;
  if (const auto load = load_config_for(o.load, predictor)) {
    const auto snapshot = take_snapshot(make_load_sources(*load), load->window);
    say_what_did_not_answer(snapshot);
    say_what_is_missing(predictor, snapshot);
    seen = seen_in(snapshot);
  }
  std::vector<PredictedModel> models;
  for (const auto& path : models_to_collect(o.models)) {
    models.push_back(predict_model(predictor, path));
    PredictedModel& made = models.back();
    if (seen) made.prediction = beside_load(predictor, std::move(made.prediction), made.facts.kernels, *seen);
    for (const std::string& note : models.back().facts.notes) log_info(note);
    say_what_is_left_out(made);
  }
  if (!o.trace.empty()) {
    Trace trace = predicted_trace(models);
    trace.set_provenance_json(to_json(provenance));
    write_trace(trace, o.trace);
  }
  const auto tables = predict_tables(models);
  print(o.output, tables, provenance, text_of(o, models, tables));
  return 0;
}

}  // namespace

constinit const Command predict_command =
    command<PredictOptions, declare, run>("predict", "predict a model's latency without running it");

}  // namespace takt
