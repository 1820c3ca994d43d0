// Who measured what, where and when: the provenance of a result as lines of its page.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns what the provenance tells, the command first; what is not told is left out. Throws Error(bad_input) that begins
/// with `where` for one that no takt writes.
std::vector<OriginEntry> origin_of(const nlohmann::json& provenance, const std::string& where);

/// Returns the command of a provenance as its tables are registered: "pipeline run".
std::string command_of(const nlohmann::json& provenance, const std::string& where,
                       const std::function<bool(std::string_view)>& is_known);

}  // namespace takt
