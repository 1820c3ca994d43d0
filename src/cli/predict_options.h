// What collect, fit, predict and evaluate share.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command_line.h"
#include "base/basics/units.h"
#include "predict/sources/config.h"
#include "predict/answer/predictor.h"

namespace takt {

/// The word after which takt is a collection's own child: it does the task on its standard input.
inline constexpr std::string_view collect_child_word = "--task";

/// Where results go when nobody says: one folder for all of them.
inline constexpr const char* default_dataset = "prediction/dataset.csv";
inline constexpr const char* default_predictor = "prediction/predictor";

/// The value of an option that is a duration of at least `least`. Throws UsageError, "COMMAND: OPTION: …".
Duration duration_for(std::string_view command, std::string_view option, const std::string& text, Duration least);

/// MODEL… and --predictor, of what predicts models.
void add_models_and_predictor(CommandLine& line, std::vector<std::filesystem::path>& models,
                              std::filesystem::path& predictor);

/// --load and --config, of what predicts beside the load of the moment.
struct LoadChoice {
  bool load = false;
  std::filesystem::path config;
};
void add_load(CommandLine& line, LoadChoice& choice);
/// nullopt: for a quiet machine. Throws Error(unsupported) for a predictor that knows no load.
std::optional<LoadConfig> load_config_for(const LoadChoice& choice, const Predictor& predictor);

/// Reads a predictor, with a warning where it was trained on another machine than this one. Throws as read_predictor().
Predictor predictor_for_this_machine(const std::filesystem::path& folder);

int run_collect_merge(std::span<const std::string> arguments);

}  // namespace takt
