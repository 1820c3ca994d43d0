#include "measure/open/subnormal_note.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/onnx/onnx.h"
#include "model/onnx/subnormal_weights.h"
#include "model/runtime/device_choice.h"
#include "model/runtime/runtime.h"

namespace takt {
namespace {

/// "34 %", "less than 0.1 %".
std::string share_words(double share) {
  const double percent = 100 * share;
  return percent < 0.1 ? "less than 0.1 %" : fmt::format("{:.{}f} %", percent, percent < 10 ? 1 : 0);
}

std::string options(const Properties& properties) {
  std::string text;
  for (const auto& [key, value] : properties) text += fmt::format(" --property {}={}", key, value);
  return text;
}

}  // namespace

std::vector<std::string> subnormal_note(const RunResult& result, const RunSettings& settings) {
  const RuntimeTraits traits = traits_of(result.runtime);
  const Properties& zeros = traits.subnormals_as_zero;
  if (zeros.empty() || !names_cpu(result.device) || !is_onnx_file(result.model)) return {};
  const auto is_given = [&](auto& entry) { return settings.properties.count(entry.first) > 0; };
  if (std::any_of(zeros.begin(), zeros.end(), is_given)) return {};
  std::optional<SubnormalWeights> found;
  try {
    found = subnormal_weights(*read_onnx_structure(result.model).proto, result.model);
  } catch (const Error&) {  // it was measured, and has gone since
  }
  if (!found) return {};
  const std::string others =
      found->others == 0 ? "" : fmt::format(" and some of {} other{}", found->others, found->others == 1 ? "" : "s");
  return {
      fmt::format("weights are subnormal numbers (closer to 0 than 1.2e-38): {} of {}{}; processors can take a "
                  "hundred times longer over them;{} computes with zeros instead",
                  share_words(found->share), printable(found->worst), others, options(zeros))};
}

}  // namespace takt
