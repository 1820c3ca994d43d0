// What collect, fit, predict and evaluate share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/units.h"
#include "machine/machine_class.h"
#include "predict/predictor.h"

namespace takt {

/// The word after which takt is a collection's own child: it does the task on its standard input.
inline constexpr std::string_view collect_child_word = "--task";

/// Where results go when nobody says: one folder for all of them.
inline constexpr const char* default_dataset = "prediction/dataset.csv";
inline constexpr const char* default_predictor = "prediction/predictor";

/// The value of an option that is a duration of at least `least`. Throws UsageError, "COMMAND: OPTION: …".
Duration duration_for(std::string_view command, std::string_view option, const std::string& text, Duration least);

/// What of a predictor does not fit this machine, a sentence; empty: it is the one that it was trained on.
std::string misfit_of(const Predictor& predictor);

int run_collect_merge(std::span<const std::string> arguments);

}  // namespace takt
