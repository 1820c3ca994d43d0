// What OpenVINO's importers say of a model that they cannot read, in one sentence.
#pragma once

#include <string>
#include <string_view>

namespace takt::openvino {

/// In a message that lists operators that it does not know; their types follow.
inline constexpr std::string_view unknown_operators = "No conversion rule found for operations: ";

/// The operators that it does not know, or the one that it cannot convert, the tensor that this makes, and why; of
/// other messages the message.
std::string conversion_reason(const std::string& message);

}  // namespace takt::openvino
