#include "cli/predict_options.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace takt {

Duration duration_for(std::string_view command, std::string_view option, const std::string& text, Duration least) {
  try {
    const Duration duration = parse_duration(text);
    if (duration >= least) return duration;
  } catch (const Error&) {
  }
  throw UsageError(fmt::format("{}: {}: '{}' is no duration of at least {}; write one with its unit, as in 500ms",
                               command, option, printable(text), format_duration(least)));
}

std::string misfit_of(const Predictor& predictor) {
  const std::string here = to_string(detect_machine_class());
  if (predictor.machine == here) return {};
  return fmt::format("the predictor was trained on another machine ({}; this is {}), and its times are that one's",
                     printable(predictor.machine), here);
}

}  // namespace takt
