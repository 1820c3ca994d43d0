#include "model/openvino/conversion_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/runtime/sdk_errors.h"

namespace takt::openvino {
namespace {

/// What lies between two words; empty where the first is not there. Without the second: to the end.
std::string_view part_between(std::string_view text, std::string_view begin, std::string_view end) {
  const auto at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find(end));
}

/// "A-17, util::SequenceMark": what begins with util:: is OpenVINO's own helper, which says something only alone.
std::string without_helpers(const std::string_view all) {
  constexpr std::string_view comma = ", ";
  std::vector<std::string_view> own;
  std::string_view types = all;
  while (!types.empty()) {
    const std::string_view type = types.substr(0, types.find(comma));
    if (!type.starts_with("util::")) own.push_back(type);
    types.remove_prefix(std::min(types.size(), type.size() + comma.size()));
  }
  return own.empty() ? std::string(all) : fmt::format("{}", fmt::join(own, comma));
}

/// The last line says why; those before it where, and which shapes there are.
std::string last_line(std::string_view lines) {
  std::string_view shapes, last;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    if (line.starts_with("Shape inference input shapes ")) shapes = line;
    if (!line.empty()) last = line;
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
  if (shapes.empty() || shapes == last) return one_sentence(last);
  return fmt::format("{}, of shapes {}", one_sentence(last), shapes.substr(shapes.find('{')));
}

}  // namespace

std::string conversion_reason(const std::string& message) {
  const auto unknown = without_helpers(part_between(message, unknown_operators, "\n"));
  if (!unknown.empty())
    return fmt::format("OpenVINO does not support the operator {}; use --runtime onnxruntime", one_sentence(unknown));
  const auto report = part_between(message, "Failed operations detailed log:\n-- ", "\nSummary:");
  constexpr std::string_view says = " with a message:\n";
  const auto end = report.find(says);
  if (end == std::string_view::npos) return one_sentence(message);
  const auto lines = report.substr(end + says.size());  // of the first that failed; others may follow
  const auto tensor = part_between(part_between(report, "<Node(", ">'"), "): ", "\n");
  return fmt::format("OpenVINO cannot convert the operator {}{}: {}; try --runtime onnxruntime",
                     one_sentence(report.substr(0, end)),
                     tensor.empty() ? "" : fmt::format(" that makes '{}'", one_sentence(tensor)),
                     last_line(lines.substr(0, lines.find("\n\n"))));
}

}  // namespace takt::openvino
