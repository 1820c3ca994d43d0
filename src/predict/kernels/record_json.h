// Records of kernels as JSON, both ways.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "predict/kernels/record.h"

namespace takt {

/// All of the record; missing values are null.
nlohmann::ordered_json record_json(const KernelRecord& record);

/// What key_of() is: without costs, versions, and the range of constants that are drawn anew.
std::string key_json(const KernelRecord& record);

/// Throws Error(bad_input) that begins with `where`: a key that is unknown or missing, a value of another kind, a shape
/// of more than 2^40 elements, values that are not as many as the shape says.
KernelRecord record_in(const nlohmann::json& json, const std::string& where);

}  // namespace takt
