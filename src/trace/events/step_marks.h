// The marks that profilers set around the steps of a training: PyTorch's by name, "ProfilerStep#12", XLA's by an
// argument, step_num.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/basics/text.h"
#include "trace/events/args.h"
#include "trace/events/strings.h"

namespace takt {

/// The number in the name of a step's mark; nullopt: a name of something else.
inline std::optional<std::int64_t> step_number(std::string_view name) {
  constexpr std::string_view mark = "ProfilerStep#";
  if (!name.starts_with(mark)) return std::nullopt;
  return number_in<std::int64_t>(name.substr(mark.size()));
}

/// The number in the name of a mark, or in its argument if it has no category. `text`: gives the text of a StringId.
template <typename Text>
std::optional<std::int64_t> step_number(std::string_view name, std::string_view category, const TraceArgs& args,
                                        Text text) {
  if (!category.empty()) return step_number(name);
  for (const TraceArg arg : args) {
    if (text(arg.key) != "step_num") continue;
    if (const auto* number = std::get_if<std::int64_t>(&arg.value)) return *number;
    if (const auto* digits = std::get_if<StringId>(&arg.value)) return number_in<std::int64_t>(text(*digits));
  }
  return step_number(name);
}

/// Whether a mark stands on a device's row, where it encloses what the step launched, and not what the program did.
inline bool is_device_mark(std::string_view category) { return category.starts_with("gpu_"); }

}  // namespace takt
