#include "measure/operators/fallback_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace takt {
namespace {

/// ONNX Runtime names who ran an operator by provider, devices by what they are.
std::string device_of(std::string_view provider) {
  constexpr std::string_view ending = "ExecutionProvider";
  if (provider.ends_with(ending)) provider.remove_suffix(ending.size());
  if (provider == "CUDA" || provider == "Tensorrt" || provider == "NvTensorRTRTX") return "GPU";
  return std::string(provider);
}

/// Nodes that ONNX Runtime puts between providers.
bool is_copy(const OpRow& row) { return row.type == "MemcpyToHost" || row.type == "MemcpyFromHost"; }

struct LeftRow {
  FallbackOps left;
  const OpProfile* profile;
};

Duration mean_per_run(Nanoseconds time, const OpProfile& profile) {
  return Duration(time) / static_cast<double>(std::max<std::int64_t>(1, profile.runs));
}

constexpr Column<LeftRow> left_columns[] = {
    {"left_operators", "Fallback ops", [](const LeftRow& r) -> Cell { return r.left.operators; },
     "Fallback operators: rows of the table operators that ran on another device than the one that the model was "
     "opened on."},
    {"left_to", "To", [](const LeftRow& r) { return r.left.to.empty() ? Cell() : Cell(r.left.to); },
     "Devices on which the fallback operators ran, joined by +. Empty if there are none."},
    {"left_us", "Time", [](const LeftRow& r) -> Cell { return mean_per_run(r.left.time, *r.profile); },
     "Mean time of the fallback operators in a profiled run."},
    {"device_copies", "Copies", [](const LeftRow& r) -> Cell { return r.left.copies; },
     "Nodes that the runtime inserted to copy tensors between devices."},
    {"device_copies_us", "Copy time",
     [](const LeftRow& r) -> Cell { return mean_per_run(r.left.copy_time, *r.profile); },
     "Mean time of the copies between devices in a profiled run."},
};

constexpr TableDefinition<LeftRow> left_definition{
    "left",
    "Operators that fell back to another device than the requested one, with the copies to it and back: one row.",
    left_columns};
}  // namespace

std::optional<FallbackOps> fallback_ops(const OpProfile& profile) {
  const auto told = [](const OpRow& row) { return !row.provider.empty(); };
  if (std::none_of(profile.ops.begin(), profile.ops.end(), told)) return std::nullopt;
  FallbackOps left;
  std::set<std::string> others;
  for (const OpRow& row : profile.ops) {
    if (is_copy(row)) {
      ++left.copies, left.copy_time += row.total;
      continue;
    }
    if (!told(row) || device_of(row.provider) == row.device) continue;
    ++left.operators, left.time += row.total;
    others.insert(device_of(row.provider));
  }
  left.to = fmt::format("{}", fmt::join(others, "+"));
  return left;
}

std::string fallback_ops_line(const OpProfile& profile) {
  const auto left = fallback_ops(profile);
  if (!left || left->operators + left->copies == 0) return "";
  const auto copies = [&] {
    return fmt::format("{} cop{} ({} per run)", left->copies, left->copies == 1 ? "y" : "ies",
                       format_duration(mean_per_run(left->copy_time, profile)));
  };
  const std::string& home = profile.ops.front().device;
  if (left->operators == 0) return fmt::format("Between the host and {}: {}.\n", home, copies());
  const double share = profile.measured.count() > 0
                           ? static_cast<double>(left->time.count()) / static_cast<double>(profile.measured.count())
                           : 0;
  return fmt::format("{} of {} operators fell back from {} to {}: {} per run ({:.1f} %){}.\n", left->operators,
                     static_cast<std::int64_t>(profile.ops.size()) - left->copies, home, left->to,
                     format_duration(mean_per_run(left->time, profile)), share * 100,
                     left->copies > 0 ? ", plus " + copies() : "");
}

std::optional<Table> fallback_table(const OpProfile& profile) {
  const auto left = fallback_ops(profile);
  if (!left) return std::nullopt;
  const LeftRow row{*left, &profile};
  return left_definition.make({&row, 1});
}

TableSchema fallback_schema() { return left_definition.schema(); }

}  // namespace takt
