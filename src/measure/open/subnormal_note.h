// What a user has to know of weights that are subnormal numbers: processors compute with them many times slower.
#pragma once

#include <string>
#include <vector>

#include "measure/open/run_result.h"
#include "measure/open/run_settings.h"

namespace takt {

/// One sentence that names the weights and what makes the runtime compute with zeros instead, or none: the model is no
/// ONNX file or has no such weights, it ran on no CPU or a simulated one, they cost the runtime nothing, `settings` ask
/// for zeros already, or the runtime said it (`result.notes`). Reads the model's file.
std::vector<std::string> subnormal_note(const RunResult& result, const RunSettings& settings);

}  // namespace takt
