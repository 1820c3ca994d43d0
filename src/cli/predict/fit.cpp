#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "base/table/number_form.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/predict_options.h"
#include "predict/answer/calibration.h"
#include "predict/answer/load_training.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/predictor_file.h"
#include "predict/answer/tables.h"
#include "predict/answer/validation.h"

namespace takt {
namespace {

struct FitOptions {
  std::filesystem::path dataset;
  std::filesystem::path out = default_predictor;
  int folds = 10;
  std::uint64_t seed = 1;
  bool no_baselines = false, features = false;
  std::filesystem::path calibrate;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(FitOptions& o) {
  CommandLine line("fit",
                   "Trains a predictor of kernel and model latency on a dataset and reports its errors on held-out "
                   "kernels, architectures and families, next to those of standard baselines.",
                   "takt fit dataset.csv --out predictor", o.log);
  line.add({.names = "DATASET", .meaning = "What 'takt collect' wrote", .required = true, .names_a_file = true},
           &o.dataset);
  line.add({.names = "--out",
            .older = "-o,--predictor",
            .value = "DIR",
            .meaning = "The folder of the predictor",
            .fallback = default_predictor},
           &o.out);
  line.add({.names = "--folds",
            .value = "N",
            .meaning = "Number of folds for cross-validation over kernels and architectures; more is slower and closer "
                       "to the predictor that is written",
            .fallback = std::to_string(o.folds),
            .range = NumberRange{2, 1000}},
           &o.folds);
  line.add({.names = "--seed", .value = "N", .meaning = "Seed of the trees and of the folds", .fallback = "1"},
           &o.seed);
  line.add({.names = "--adapt",
            .older = "--calibrate",
            .value = "DIR",
            .meaning = "Do not train: adapt this predictor, of another machine or number of threads, to those of the "
                       "dataset; 20 to 60 models are enough",
            .names_a_file = true},
           &o.calibrate);
  line.add({.names = "--no-baselines", .meaning = "Leave out the baselines, which take half of the time"},
           &o.no_baselines);
  line.add({.names = "--features",
            .meaning = "Also list the input features of the regressions, per group, with the ranges of values in the "
                       "dataset (hundreds of rows)"},
           &o.features);
  add_output_format(line, o.output, table_names("fit"));
  return line;
}

Predictor trained(const FitOptions& o, const ByLoad& data, const Interrupt& interrupt) {
  const Dataset& dataset = data.quiet;
  ValidationSettings settings;
  settings.trees.seed = o.seed, settings.folds = o.folds, settings.baselines = !o.no_baselines;
  settings.stop = &interrupt.requested();
  Progress bar("training");
  settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total + 1); };
  Validation validation = validate(dataset, settings);
  std::vector<std::size_t> all(dataset.models.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Predictor predictor = train(dataset, all, settings.trees);
  predictor.errors = std::move(validation.errors);
  predictor.measured_width = validation.measured_width, predictor.model_width = validation.model_width;
  predictor.kernel_width = std::move(validation.kernel_width);
  predictor.is_width_certain = validation.is_width_certain;
  LoadTraining load = train_load(data, validation.unseen_us);
  predictor.load_laws = std::move(load.laws);
  predictor.errors.insert(predictor.errors.end(), load.errors.begin(), load.errors.end());
  return predictor;
}

Predictor predictor_for(const FitOptions& o, const ByLoad& data) {
  if (!o.calibrate.empty()) return calibrated(read_predictor(o.calibrate), data.quiet);
  const Interrupt interrupt;
  return trained(o, data, interrupt);
}

/// Without features that no kernel of the group has. A column holds bytes, counts and ratios, which no one unit fits,
/// so each number stands for itself.
Table known_features(const Table& features) {
  Table known = without_columns(features, {"feature_unit"});
  const auto low = std::find_if(known.columns.begin(), known.columns.end(),
                                [](const ColumnSchema& column) { return column.name == "feature_low"; });
  const auto place = static_cast<std::size_t>(low - known.columns.begin());
  std::erase_if(known.rows, [&](const auto& row) { return std::holds_alternative<std::monostate>(row[place]); });
  for (auto& row : known.rows)
    for (Cell& cell : row)
      if (const double* const number = std::get_if<double>(&cell)) cell = formatted(*number);
  return known;
}

std::string computing_with(const Predictor& predictor) {
  if (predictor.device != "CPU") return "on " + printable(predictor.device);
  return fmt::format("with {} thread{}", predictor.threads, predictor.threads == 1 ? "" : "s");
}

std::string sentence_of(const Launching& launching) {
  const auto [least, most] = std::minmax_element(launching.launch_us.begin(), launching.launch_us.end());
  const auto words = [](double us) { return format_duration(Duration(us)); };
  return fmt::format(
      "host time: {} per run and {} per MiB of inputs and outputs; launching a kernel takes {} to {}, depending on its "
      "kind, and {:.0f} % of its time\n",
      words(launching.fixed_us), words(launching.us_per_byte * (1 << 20)), words(*least), words(*most),
      100 * launching.share_of_work);
}

std::string text_of(const FitOptions& o, const Predictor& predictor, const std::vector<Table>& tables) {
  std::string text = fmt::format("{} on {} kernels of {} models ({} architectures), {} {}; wrote {}\n\n",
                                 o.calibrate.empty() ? "trained" : "calibrated", predictor.kernels, predictor.models,
                                 predictor.architectures, printable(predictor.runtime), computing_with(predictor),
                                 printable(o.out.string()));
  if (o.features) text += to_text(known_features(tables[1]), o.output.style()) + "\n";
  text += to_text(tables[0], o.output.style()) + "\n";
  if (predictor.overhead.launching) text += sentence_of(*predictor.overhead.launching);
  for (const LoadLaw& law : predictor.load_laws) text += fmt::format("load: {}\n", sentence_of(law));
  if (!predictor.is_width_certain)
    text += "With so few models the coverage of the intervals is not guaranteed; collect ten or more.\n";
  return text;
}

/// Why the predictor knows no loads though some were measured; "": it knows some, or none was.
std::string untaught(const Predictor& predictor, const ByLoad& data) {
  if (data.loaded.models.empty() || !predictor.load_laws.empty()) return "";
  std::set<std::string> quiet;
  for (const CollectedModel& model : data.quiet.models) quiet.insert(model.model);
  const auto usable = std::count_if(data.loaded.models.begin(), data.loaded.models.end(),
                                    [&](const CollectedModel& model) { return quiet.contains(model.model); });
  return fmt::format(
      "no load model was trained: only {} of {} measurements under load belong to models that were also measured idle, "
      "and {} are needed, over several models and loads; collect more rounds, or on a less busy machine",
      usable, data.loaded.models.size(), least_load_samples);
}

int run(FitOptions& o, Arguments arguments) {
  Dataset dataset = read_dataset(o.dataset);
  check_is_one_way(dataset, printable(o.dataset.string()));
  const ByLoad data = divided_by_load(std::move(dataset));
  if (data.quiet.models.empty())
    refuse_input(fmt::format("{}: contains no measurement without load; collect the models without a load, too",
                             printable(o.dataset.string())));
  const Provenance provenance = provenance_of("fit", arguments);
  const Predictor predictor = predictor_for(o, data);
  write_predictor(predictor, o.out, provenance);
  const auto tables = fit_tables(predictor, data.quiet);
  if (const auto why = untaught(predictor, data); !why.empty() && o.calibrate.empty()) log_warning(why);
  print(o.output, tables, provenance, text_of(o, predictor, tables));
  return 0;
}

}  // namespace

constinit const Command fit_command = command<FitOptions, declare, run>("fit", "train the latency predictor");

}  // namespace takt
