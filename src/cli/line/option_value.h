// Words of the command line into the variable that an option fills.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/line/option.h"

namespace takt {

/// The variable; its type says how a word is read and whether there may be several. An optional one stays unset without
/// the option; `std::optional<std::string>` is empty where the value was left out.
using OptionTarget = std::variant<bool*, std::string*, std::filesystem::path*, int*, unsigned*, std::uint64_t*, double*,
                                  std::optional<std::string>*, std::optional<int>*, std::optional<std::int64_t>*,
                                  std::optional<std::uint64_t>*, std::optional<double>*, std::vector<std::string>*,
                                  std::vector<std::filesystem::path>*>;

/// What `target` makes of `option`: a flag, one value or several; a path is a file's.
Option fitted(Option option, const OptionTarget& target);

/// The words of a value that is a list: what stands between commas, without blanks around it.
std::vector<std::string> words_in(std::string_view list);

/// Reads `words`, the values given to `option`. Throws UsageError for a value that is not one.
void store(const Option& option, std::span<const std::string> words, const OptionTarget& target);

}  // namespace takt
