#include "cli/predict/predict_options.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/log.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/predictor_file.h"
#include "predict/collect/measured_machine.h"

namespace takt {

Duration duration_for(std::string_view command, std::string_view option, const std::string& text, Duration least) {
  try {
    const Duration duration = parse_duration(text);
    if (duration >= least) return duration;
  } catch (const Error&) {
  }
  throw UsageError(fmt::format("{}: {}: '{}' is not a duration of at least {}; write one with its unit, e.g. 500ms",
                               command, option, printable(text), format_duration(least)));
}

void add_models_and_predictor(CommandLine& line, std::vector<std::filesystem::path>& models,
                              std::filesystem::path& predictor) {
  line.add({.names = "MODEL", .meaning = "Models, or folders with .onnx files", .required = true, .names_a_file = true},
           &models);
  line.add({.names = "--predictor",
            .value = "DIR",
            .meaning = "The folder that 'takt fit' wrote",
            .fallback = default_predictor,
            .names_a_file = true},
           &predictor);
}

void add_load(CommandLine& line, LoadChoice& choice) {
  line.add({.names = "--load",
            .meaning = "Read the current load of the machine and predict for it, assuming it persists; needs a "
                       "predictor that was trained on datasets of 'takt collect --stress'"},
           &choice.load);
  line.add({.names = "--config",
            .value = "FILE",
            .meaning = "As --load, with the sources under the key 'load' of this YAML file, as for 'takt load'"},
           &choice.config);
}

std::optional<LoadConfig> load_config_for(const LoadChoice& choice, const Predictor& predictor) {
  if (!choice.load && choice.config.empty()) return std::nullopt;
  check_knows_loads(predictor);
  if (choice.config.empty()) return usual_load_config();
  return parse_load_config_file(read_file(choice.config), choice.config.string(), usual_load_config());
}

Predictor predictor_for_this_machine(const std::filesystem::path& folder) {
  Predictor predictor = read_predictor(folder);
  const std::string here = measured_machine(predictor.device);
  if (predictor.machine != here) {
    log_warning(
        fmt::format("the predictor was trained on another machine ({}; this is {}), and its times are for that machine",
                    printable(predictor.machine), here));
  }
  return predictor;
}

}  // namespace takt
