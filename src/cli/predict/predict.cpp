#include <fmt/format.h>

#include <cmath>
#include <set>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/busy.h"
#include "base/system/log.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/calibration.h"
#include "cli/predict/predict_options.h"
#include "model/inputs/spec.h"
#include "predict/answer/bodies.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/predicted_trace.h"
#include "predict/answer/tables.h"
#include "predict/collect/collect.h"
#include "predict/sources/sources.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

struct PredictOptions {
  PredictorOptions what;
  bool calibrate = false;
  std::vector<std::string> inputs;
  std::optional<std::int64_t> batch_size;
  std::filesystem::path trace;
  LoadChoice load;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PredictOptions& o) {
  CommandLine line(
      "predict",
      "Predicts the latency of models without running them, with an interval. Every kernel that the runtime "
      "would execute has a time and the source of that time.",
      "takt predict model.onnx", o.log);
  add_models_and_predictor(line, o.what);
  line.add({.names = "--calibrate",
            .meaning = "First measure this machine, for two minutes at most, and adapt the built-in predictor to it; "
                       "later predictions use the result"},
           &o.calibrate);
  line.add({.names = "--input",
            .value = "SPEC",
            .meaning = "An input as for 'takt run', e.g. 'x:{1,3,224,224}' to set a dynamic shape",
            .names_a_file = true},
           &o.inputs);
  line.add({.names = "--batch-size",
            .value = "N",
            .meaning = "First dimension of every input",
            .range = NumberRange{1, 10'000'000}},
           &o.batch_size);
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
  if (const auto brief = brief_probe(snapshot); !brief.empty() && feature.find("wait_") != feature.npos)
    return ": " + brief;
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

/// Of control flow: what was counted, and what could not be.
void say_what_bodies_take(const Predictor& predictor, const PredictedModel& model) {
  const std::string name = printable(model.model);
  for (const BodyNote& note : notes_on_bodies(predictor, model.facts))
    (note.is_open ? log_warning : log_info)(fmt::format("{}: {}", name, note.text));
  std::set<std::size_t> known;
  for (const BodyFacts& body : model.facts.bodies) known.insert(body.owner);
  for (std::size_t i = 0; i < model.facts.kernels.size(); ++i) {
    const std::string& type = model.facts.kernels[i].op_type;
    if ((type == "If" || type == "Loop" || type == "Scan") && !known.contains(i))
      log_warning(
          fmt::format("{}: the operators inside {} '{}' are not predicted, so the model takes longer than "
                      "predicted; measure it with 'takt run'",
                      name, type, printable(model.facts.names[i])));
  }
}

std::string sentence_of(const PredictedModel& model, const TextStyle& style) {
  const ModelPrediction& p = model.prediction;
  const std::size_t width = style.width - 1;
  std::string text =
      fmt::format("{}: {} (90 % interval: {} to {})\n", printable(model.model), format_duration(Duration(p.us)),
                  format_duration(Duration(p.low_us)),
                  std::isfinite(p.high_us) ? format_duration(Duration(p.high_us)) : std::string("no upper end"));
  const auto indented = [&](const std::string& words) { return "  " + wrapped(words, width, 2) + "\n"; };
  if (p.load) text += indented(load_words(*p.load));
  return text + indented(fmt::format(
                    "kernel time: {:.1f} % from measured kernels, {:.1f} % from trained regressions, {:.1f} % from the "
                    "roofline alone",
                    100 * p.share(Tier::measured), 100 * p.share(Tier::trained), 100 * p.share(Tier::roofline)));
}

std::string text_of(const PredictOptions& o, const std::vector<PredictedModel>& models,
                    const std::vector<Table>& tables) {
  std::string text;
  for (const PredictedModel& model : models) text += sentence_of(model, o.output.style());
  if (models.size() == 1)
    text += "\n" + to_text(without_columns(tables[1], {"kernel_record", "model", "kernel_node"}), o.output.style());
  return text;
}

/// What the models are fed, as far as that is told.
RunSettings inputs_of(const PredictOptions& o) {
  RunSettings settings;
  settings.batch_size = o.batch_size;
  for (const std::string& text : o.inputs)
    for (InputSpec& spec : parse_input_specs(text)) settings.inputs.push_back(std::move(spec));
  return settings;
}

void calibrate(const PredictOptions& o, const Provenance& provenance) {
  if (!o.what.predictor.empty())
    throw UsageError(
        "predict: --calibrate adapts the built-in predictor; leave out --predictor, or see 'takt fit "
        "--adapt'");
  calibrate_this_machine(o.what.device, provenance);
}

/// The prediction is for an idle machine, and a run beside others takes longer: only the upper end tells.
void allow_for_others(std::vector<PredictedModel>& models, bool knows_loads, BusyWatch& watch) {
  std::this_thread::sleep_for(shortest_watch - watch.watched());
  const auto busy = watch.found();
  if (!busy) return;
  const double factor = slowest_beside(busy->share());
  for (PredictedModel& model : models) {
    model.busy_factor = factor;
    model.prediction.high_us *= factor;
  }
  log_warning(fmt::format("{}, so the upper end of the interval is {:.1f} times as far{}",
                          to_string(*busy, "prediction"), factor,
                          knows_loads ? "; --load predicts for what runs beside it now" : ""));
}

int run(PredictOptions& o, Arguments arguments) {
  BusyWatch watch;
  const Provenance provenance = provenance_of("predict", arguments);
  const RunSettings inputs = inputs_of(o);
  const auto paths = models_to_collect(o.what.models);
  if (o.calibrate) calibrate(o, provenance);
  const ChosenPredictor chosen = predictor_for(o.what);
  const Predictor& predictor = chosen.predictor;
  std::optional<SeenLoad> seen;
  std::optional<LoadSnapshot> snapshot;
  if (const auto load = load_config_for(o.load, predictor)) {
    snapshot = take_snapshot(make_load_sources(*load), load->window);
    say_what_did_not_answer(*snapshot);
    say_what_is_missing(predictor, *snapshot);
    seen = seen_in(*snapshot);
  }
  std::vector<PredictedModel> models;
  for (const auto& path : paths) {
    models.push_back(predict_model(predictor, path, inputs));
    PredictedModel& made = models.back();
    made.predictor = chosen.name, made.machine_factor = chosen.machine_factor;
    if (seen) made.prediction = beside_load(predictor, std::move(made.prediction), made.facts.kernels, *seen);
    for (const std::string& note : models.back().facts.notes) log_info(note);
    say_what_bodies_take(predictor, made);
  }
  say_whose_times(o.what, chosen);
  const bool is_of_this_cpu = o.what.predictor.empty() && predictor.device == "CPU";
  if (is_of_this_cpu && !seen) allow_for_others(models, !predictor.load_laws.empty(), watch);
  if (!o.trace.empty()) {
    Trace trace = predicted_trace(models);
    trace.set_provenance_json(to_json(provenance));
    write_trace(trace, o.trace);
  }
  const auto tables = predict_tables(models, snapshot ? &*snapshot : nullptr);
  print(o.output, tables, provenance, text_of(o, models, tables));
  return 0;
}

}  // namespace

constinit const Command predict_command =
    command<PredictOptions, declare, run>("predict", "predict a model's latency without running it");

}  // namespace takt
