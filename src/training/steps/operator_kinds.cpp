#include "training/steps/operator_kinds.h"

#include <algorithm>
#include <utility>

namespace takt {
namespace {

constexpr std::int64_t tiny_length_ns = 20'000;
constexpr std::size_t least_calls = 100;  // of a name; with fewer their share says nothing
constexpr std::int64_t same_work = 4;     // times the middle length of a name's calls; more may be larger tensors
constexpr double nearly_all = 0.98;

std::int64_t tiny_length(std::vector<std::int64_t>& lengths) {
  const std::int64_t usual = at_fraction(lengths, 0.5);
  if (lengths.size() < least_calls || usual > tiny_length_ns) return tiny_length_ns;
  const std::int64_t limit = std::max(tiny_length_ns, same_work * usual);
  const auto fits = std::count_if(lengths.begin(), lengths.end(), [&](std::int64_t length) { return length <= limit; });
  return static_cast<double>(fits) >= nearly_all * static_cast<double>(lengths.size()) ? INT64_MAX : limit;
}

template <typename Belongs>
Intervals cover_of(const Activity& activity, const Belongs& belongs) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : activity.host)
    if (belongs(span)) list.push_back(span.span);
  return unite(std::move(list));
}

}  // namespace

std::int64_t at_fraction(std::vector<std::int64_t>& values, double fraction) {
  const auto place = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

std::int64_t length_of(const HostSpan& span) { return span.span.end - span.span.start; }

bool is_call_of_program(const Activity& activity, const HostSpan& span) {
  return is_operator(span.role) && span.is_top && activity.trains[static_cast<std::size_t>(span.row)];
}

std::map<StringId, std::int64_t> tiny_lengths(const Activity& activity) {
  std::map<StringId, std::vector<std::int64_t>> calls;
  for (const HostSpan& span : activity.host)
    if (is_call_of_program(activity, span)) calls[span.name].push_back(length_of(span));
  std::map<StringId, std::int64_t> limits;
  for (auto& [name, lengths] : calls) limits[name] = tiny_length(lengths);
  return limits;
}

std::optional<std::int64_t> most_per_record(const Activity& activity) {
  std::vector<int> inside(activity.host.size());
  for (const HostSpan& span : activity.host)
    if (is_operator(span.role) && span.parent >= 0) ++inside[static_cast<std::size_t>(span.parent)];
  std::vector<std::int64_t> beside;
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (inside[i] == 1 && is_operator(activity.host[i].role)) beside.push_back(activity.host[i].self_ns);
  if (beside.size() < least_calls) return std::nullopt;
  return at_fraction(beside, 0.1);
}

Intervals tiny_operators(const Activity& activity) {
  const auto limits = tiny_lengths(activity);
  return cover_of(activity, [&](const HostSpan& span) {
    return is_call_of_program(activity, span) && length_of(span) <= limits.at(span.name);
  });
}

Intervals memory_operators(const Activity& activity) {
  return cover_of(activity, [&](const HostSpan& span) {
    return span.takes_memory && activity.trains[static_cast<std::size_t>(span.row)];
  });
}

Intervals giving_back(const Activity& activity) {
  constexpr std::int64_t large_block = 1 << 20, least_bytes_per_ns = 4;
  std::map<RowId, std::vector<std::int64_t>> moments;  // at which something is known to go on
  std::vector<TimeInterval> operators;
  for (const HostSpan& span : activity.host) {
    if (!is_call_of_program(activity, span) && span.role != Role::data_wait) continue;
    operators.push_back(span.span);
    moments[span.row].push_back(span.span.start);
  }
  for (const MemoryMoment& moment : activity.memory) moments[moment.row].push_back(moment.time);
  for (auto& [row, list] : moments) std::sort(list.begin(), list.end());
  std::vector<TimeInterval> list;
  for (const MemoryMoment& moment : activity.memory) {
    if (moment.device.value_or(0) != 0 || moment.bytes > -large_block) continue;
    const auto& of_row = moments[moment.row];
    const auto next = std::upper_bound(of_row.begin(), of_row.end(), moment.time);
    if (next == of_row.end()) continue;
    list.push_back({moment.time, std::min(*next, moment.time - moment.bytes / least_bytes_per_ns)});
  }
  return subtract(unite(std::move(list)), unite(std::move(operators)));
}

}  // namespace takt
