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
namespace {

/// The command that measures this machine.
std::string calibration_for(const PredictorOptions& o) {
  return fmt::format("takt predict {}{} --calibrate", printable(o.models.front().string()),
                     o.device == "CPU" ? "" : " --device " + printable(o.device));
}

}  // namespace

Duration duration_for(std::string_view command, std::string_view option, const std::string& text, Duration least) {
  try {
    const Duration duration = parse_duration(text);
    if (duration >= least) return duration;
  } catch (const Error&) {
  }
  throw UsageError(fmt::format("{}: {}: '{}' is not a duration of at least {}; write one with its unit, e.g. 500ms",
                               command, option, printable(text), format_duration(least)));
}

void add_models_and_predictor(CommandLine& line, PredictorOptions& o) {
  line.add({.names = "MODEL", .meaning = "Models, or folders with .onnx files", .required = true, .names_a_file = true},
           &o.models);
  line.add(
      {.names = "--predictor",
       .value = "DIR",
       .meaning = "The folder or file that 'takt fit' wrote, or a built-in predictor: cpu, h100. By default the one "
                  "of 'takt predict --calibrate', or else the built-in one for the device",
       .names_a_file = true},
      &o.predictor);
  line.add({.names = "--device",
            .value = "NAME",
            .meaning = "Predict for the CPU or the GPU; without --predictor",
            .fallback = o.device},
           &o.device);
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

ChosenPredictor predictor_for(const PredictorOptions& o) {
  return o.predictor.empty() ? choose_predictor(o.device) : named_predictor(o.predictor);
}

void say_whose_times(const PredictorOptions& o, const ChosenPredictor& chosen) {
  if (!chosen.note.empty()) log_warning(chosen.note);
  const std::string machine = printable(chosen.predictor.machine);
  if (chosen.machine_factor)
    log_warning(fmt::format(
        "this machine was not measured: the times are those of another{} ({}), so the interval is {:.3g} times as wide "
        "each way; '{}' measures this one in two minutes",
        chosen.is_of_this_class ? " of its class" : "", machine, *chosen.machine_factor, calibration_for(o)));
  else if (!chosen.is_of_this_class)
    log_warning(
        fmt::format("the predictor was trained on another machine ({}; this is {}), and its times are for that machine",
                    machine, measured_machine(chosen.predictor.device)));
}

}  // namespace takt
