// Reads measured slow-downs back, for whoever predicts with them: the JSON of `takt pipeline interference`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "replay/interference.h"

namespace takt {

/// Pure. Of each pair stage, beside, overlap, factor, low, high, p_value and significant; other members keep their
/// defaults. Throws Error(bad_input), beginning with `origin`, when the text is no such file.
std::vector<PairRow> parse_interference(std::string_view json, const std::string& origin);

/// Throws Error(io), and as parse_interference() does.
std::vector<PairRow> read_interference(const std::filesystem::path& file);

}  // namespace takt
