#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/predict_options.h"
#include "cli/tables.h"
#include "core/log.h"
#include "core/text.h"
#include "predict/collect.h"
#include "predict/predict_tables.h"
#include "predict/predicted_trace.h"
#include "trace/trace_file.h"

namespace takt {
namespace {

struct PredictOptions {
  std::vector<std::filesystem::path> models;
  std::filesystem::path predictor = default_predictor;
  std::filesystem::path trace;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PredictOptions& o) {
  CommandLine line(
      "predict",
      "Says how long models will take on the machine of a predictor without running them, and how sure that "
      "is: every kernel that the runtime makes of a model has a number and says where it is from.",
      "takt predict model.onnx --predictor predictor", o.log);
  add_models_and_predictor(line, o.models, o.predictor);
  line.add({.names = "--trace",
            .value = "FILE",
            .meaning = "Write the predicted timeline, for ui.perfetto.dev",
            .makes = Makes::file},
           &o.trace);
  add_output(line, o.output, table_names("predict"));
  return line;
}

std::string sentence_of(const PredictedModel& model) {
  const ModelPrediction& p = model.prediction;
  std::string text =
      fmt::format("{}: {}, with 90 % between {} and {}\n", printable(model.model), format_duration(Duration(p.us)),
                  format_duration(Duration(p.low_us)), format_duration(Duration(p.high_us)));
  text += fmt::format(
      "  {:.1f} % of the kernels' time from measured kernels, {:.1f} % from trained ones, {:.1f} % from "
      "the roofline alone\n",
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

}  // namespace

CommandDescription describe_predict() {
  PredictOptions o;
  return declare(o).description();
}

int run_predict(std::span<const std::string> arguments) {
  PredictOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const Predictor predictor = predictor_for_this_machine(o.predictor);
  const Provenance provenance = provenance_of("predict", arguments);
  std::vector<PredictedModel> models;
  for (const auto& path : models_to_collect(o.models)) {
    models.push_back(predict_model(predictor, path));
    for (const std::string& note : models.back().facts.notes) log_info(note);
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

}  // namespace takt
