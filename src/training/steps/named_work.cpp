#include "training/steps/named_work.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace takt {
namespace {

/// What a sampler and an iterator that begins call.
constexpr std::array<std::string_view, 8> drawing{"aten::random_",      "aten::item",       "aten::_local_scalar_dense",
                                                  "aten::randperm",     "aten::empty",      "aten::scalar_tensor",
                                                  "aten::resolve_conj", "aten::resolve_neg"};

bool is_drawing(std::string_view name) { return std::find(drawing.begin(), drawing.end(), name) != drawing.end(); }

bool lies_in(const Intervals& set, TimeInterval span) {
  const auto at =
      std::partition_point(set.begin(), set.end(), [&](const TimeInterval& one) { return one.end < span.end; });
  return at != set.end() && at->start <= span.start;
}

}  // namespace

void drop_compiled_operators(Activity& activity) {
  std::map<RowId, std::vector<TimeInterval>> spans;
  for (const HostSpan& span : activity.named)
    if (span.role == Role::compilation) spans[span.row].push_back(span.span);
  if (spans.empty()) return;
  std::map<RowId, Intervals> compiling;
  for (auto& [row, list] : spans) compiling[row] = unite(std::move(list));
  std::erase_if(activity.host, [&](const HostSpan& span) {
    const auto of_row = compiling.find(span.row);
    return is_operator(span.role) && of_row != compiling.end() && lies_in(of_row->second, span.span);
  });
}

void leave_out_profiling(Activity& activity) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : activity.named)
    if (span.role == Role::profiling) list.push_back(span.span);
  if (list.empty()) return;
  const Intervals profiling = unite(std::move(list));
  for (HostSpan& span : activity.host) {
    if (!is_call(span.role)) continue;
    const auto after = std::partition_point(profiling.begin(), profiling.end(),
                                            [&](const TimeInterval& one) { return one.end <= span.span.end; });
    if (after != profiling.begin() && std::prev(after)->start >= span.span.start)
      span.span.start = std::prev(after)->end;
  }
  sort_by_start(activity.host);
}

void add_starts_of_workers(const Trace& trace, Activity& activity) {
  struct Draws {
    bool has_random = false;
    std::optional<std::int64_t> since;  // when the first seed was read after anything else
  };
  std::map<RowId, Draws> rows;
  std::vector<HostSpan> starts;
  for (const HostSpan& span : activity.host) {
    if (!activity.trains[static_cast<std::size_t>(span.row)]) continue;
    Draws& draws = rows[span.row];
    const std::string_view name = trace.text(span.name);
    const bool is_workers = span.role == Role::data_wait && name.find("MultiProcessing") != name.npos;
    if (is_workers && draws.since && *draws.since < span.span.start) {
      starts.push_back(span);
      starts.back().span = {*draws.since, span.span.start};
    }
    if (!is_operator(span.role) || !is_drawing(name)) draws = {};
    draws.has_random = draws.has_random || name == "aten::random_";
    if (span.role == Role::scalar_read && draws.has_random && !draws.since) draws.since = span.span.end;
  }
  if (starts.empty()) return;
  activity.host.insert(activity.host.end(), starts.begin(), starts.end());
  sort_by_start(activity.host);
}

}  // namespace takt
