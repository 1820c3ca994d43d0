// The number formats that inference computes in, by the names that people write: f32, f16, bf16.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/graph/graph.h"

namespace takt {

/// "f32"; a type that is no such format by the name it has everywhere else ("int64").
std::string precision_name(ElementType type);
/// In any case of letters; nullopt: no format that runtimes are asked for is called so.
std::optional<ElementType> precision_named(std::string_view name);

}  // namespace takt
