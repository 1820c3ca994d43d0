#include "model/runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {

std::string_view hint_name(Hint hint) { return hint == Hint::latency ? "latency" : "throughput"; }

bool moves_data(std::string_view type) {
  static constexpr std::array kinds{"input", "parameter", "output", "result", "reorder", "convert", "cast"};
  const std::string lower = lower_case(type);
  return std::find(kinds.begin(), kinds.end(), lower) != kinds.end();
}

std::int64_t held_bytes(const HostTensor& tensor) {
  auto bytes = static_cast<std::int64_t>(tensor.bytes.size());
  for (const auto& text : tensor.strings) bytes += static_cast<std::int64_t>(text.size());
  return bytes;
}

void Runtime::add_custom_ops(const std::filesystem::path& library) {
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: {} has no libraries of operators", printable(library.string()), name()));
}

TakenOutputs Request::take_outputs() {
  TakenOutputs taken;
  for (auto& output : outputs()) {
    taken.copied_bytes += held_bytes(output);
    taken.values.push_back(std::make_shared<HostTensor>(std::move(output)));
  }
  return taken;
}

std::optional<OpTotals> Request::last_totals() {
  const auto ops = last_ops();
  if (!ops) return std::nullopt;
  OpTotals totals;
  for (const auto& op : *ops) {
    totals.all += op.self();
    if (moves_data(op.node->type)) totals.moving += op.self();
  }
  return totals;
}

bool could_share_weights(const SessionSettings& settings) {
  return upper_case(settings.device) == "CPU" && settings.cache.empty() && settings.optimised_model.empty() &&
         settings.executed_graph.empty() && !settings.all_tensors;
}

Nanoseconds Session::copy_outputs() {
  const auto start = steady_now();
  outputs_of_last_run();
  return steady_now() - start;
}

}  // namespace takt
