// What collect, fit, predict and evaluate share.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "cli/line/command_line.h"
#include "predict/answer/predictor_choice.h"
#include "predict/sources/config.h"

namespace takt {

/// Default paths of results, all in one folder.
inline constexpr const char* default_dataset = "prediction/dataset.csv";
inline constexpr const char* default_predictor = "prediction/predictor";

/// Parses the value of an option, a duration of at least `least`. Throws UsageError, "COMMAND: OPTION: …".
Duration duration_for(std::string_view command, std::string_view option, const std::string& text, Duration least);

/// The values of MODEL…, --predictor and --device, for commands that predict models.
struct PredictorOptions {
  std::vector<std::filesystem::path> models;
  std::filesystem::path predictor;  ///< empty: by the device
  std::string device = "CPU";
};
void add_models_and_predictor(CommandLine& line, PredictorOptions& o);

/// The values of --load and --config, for commands that predict under the current load.
struct LoadChoice {
  bool load = false;
  std::filesystem::path config;
};
void add_load(CommandLine& line, LoadChoice& choice);
/// Returns how to read the load; nullopt: predict for an idle machine. Throws Error(unsupported) for a predictor
/// without load models.
std::optional<LoadConfig> load_config_for(const LoadChoice& choice, const Predictor& predictor);

/// The predictor that was named, or the one for the device. Throws as named_predictor() and choose_predictor().
ChosenPredictor predictor_for(const PredictorOptions& o);
/// Warns if the predictor is of another machine. To be called beside a result, not before what may fail.
void say_whose_times(const PredictorOptions& o, const ChosenPredictor& chosen);

}  // namespace takt
