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
#include "predict/answer/predictor.h"
#include "predict/sources/config.h"

namespace takt {

/// Default paths of results, all in one folder.
inline constexpr const char* default_dataset = "prediction/dataset.csv";
inline constexpr const char* default_predictor = "prediction/predictor";

/// Parses the value of an option, a duration of at least `least`. Throws UsageError, "COMMAND: OPTION: …".
Duration duration_for(std::string_view command, std::string_view option, const std::string& text, Duration least);

/// Adds MODEL… and --predictor, for commands that predict models.
void add_models_and_predictor(CommandLine& line, std::vector<std::filesystem::path>& models,
                              std::filesystem::path& predictor);

/// The values of --load and --config, for commands that predict under the current load.
struct LoadChoice {
  bool load = false;
  std::filesystem::path config;
};
void add_load(CommandLine& line, LoadChoice& choice);
/// Returns how to read the load; nullopt: predict for an idle machine. Throws Error(unsupported) for a predictor
/// without load models.
std::optional<LoadConfig> load_config_for(const LoadChoice& choice, const Predictor& predictor);

/// Reads a predictor, with a warning if it was trained on another machine. Throws as read_predictor().
Predictor predictor_for_this_machine(const std::filesystem::path& folder);

}  // namespace takt
