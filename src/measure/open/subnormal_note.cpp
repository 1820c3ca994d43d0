#include "measure/open/subnormal_note.h"

#include <algorithm>

#include "base/basics/error.h"
#include "model/onnx/onnx.h"
#include "model/onnx/subnormal_weights.h"
#include "model/runtime/device_choice.h"
#include "model/runtime/runtime.h"

namespace takt {

std::vector<std::string> subnormal_note(const RunResult& result, const RunSettings& settings) {
  const RuntimeTraits traits = traits_of(result.runtime);
  const Properties& zeros = traits.subnormals_as_zero;
  if (zeros.empty() || !names_cpu(result.device) || !is_onnx_file(result.model)) return {};
  const auto is_given = [&](auto& entry) { return settings.properties.count(entry.first) > 0; };
  if (std::any_of(zeros.begin(), zeros.end(), is_given)) return {};
  // What a runtime computed of constants says more, and is known where operators were measured.
  const auto is_said = [](const std::string& note) { return note.starts_with(subnormal_words); };
  if (std::any_of(result.notes.begin(), result.notes.end(), is_said)) return {};
  std::optional<SubnormalWeights> found;
  try {
    found = subnormal_weights(*read_onnx_structure(result.model).proto, result.model);
  } catch (const Error&) {  // it was measured, and has gone since
  }
  if (!found) return {};
  return {subnormal_sentence(*found, zeros)};
}

}  // namespace takt
