#include "measure/profiles/analyze.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/python_text/regex.h"

namespace takt {

namespace {

using Aggregate = AnalyzeOptions::Aggregate;

double pairwise_sum(std::span<const double> a) {
  const std::size_t n = a.size();
  if (n < 8) {
    double sum = 0;
    for (const double value : a) sum += value;
    return sum;
  }
  if (n > 128) {
    std::size_t half = n / 2;
    half -= half % 8;
    return pairwise_sum(a.first(half)) + pairwise_sum(a.subspan(half));
  }
  double r[8];
  std::copy_n(a.begin(), 8, r);
  std::size_t i = 8;
  for (; i + 8 <= n; i += 8)
    for (std::size_t j = 0; j < 8; ++j) r[j] += a[i + j];
  double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < n; ++i) sum += a[i];
  return sum;
}

const PeerTimes& times_of(const PeerOperator& op, Section section) {
  return section == Section::device ? op.device : op.host;
}

std::optional<double> time_of(const PeerOperator& op, Section section, bool until_kernel) {
  const PeerTimes& times = times_of(op, section);
  if (times.entries == 0) return std::nullopt;
  const std::string_view bad = until_kernel ? times.bad_kern : times.bad_end;
  if (!bad.empty())
    throw Error(ErrorKind::bad_input, "operator '" + printable(op.name) + "' (" + printable(op.id) + "): its " +
                                          (section == Section::device ? "device" : "host") + " times have no number '" +
                                          std::string(bad) + "'; was the profile written to its end?");
  return until_kernel ? times.kern : times.end;
}

/// A footprint of nothing is unknown to the peer, not zero.
std::optional<PeerNumber> known_computation(std::optional<PeerNumber> number) {
  return number && number->value == 0 ? std::nullopt : number;
}

void derive_rates(OperatorRecord& record) {
  record.computation = known_computation(record.computation);
  if (record.computation) record.flops = record.computation->value / record.time;
  if (record.memory) record.bandwidth = record.memory->value / record.time;
}

/// NumPy's max and min hand a NaN on.
double extreme(std::span<const double> values, bool largest) {
  double best = values.front();
  for (const double value : values)
    if (std::isnan(value) || (largest ? value > best : value < best)) best = std::isnan(best) ? best : value;
  return best;
}

double combine(std::span<const double> values, Aggregate how) {
  switch (how) {
    case Aggregate::max:
      return extreme(values, true);
    case Aggregate::min:
      return extreme(values, false);
    case Aggregate::mean:
      return numpy_sum(values) / static_cast<double>(values.size());
    default:
      return numpy_sum(values);
  }
}

/// Numbers with holes: sums pass over them one by one (NumPy adds Python objects then), a mean still divides by all.
std::optional<PeerNumber> combine(std::span<const std::optional<PeerNumber>> values, Aggregate how) {
  std::vector<double> known;
  bool integral = true;
  long double exact = 0;  // 64 bits of mantissa: integer sums stay exact
  double in_order = 0;
  for (const auto& value : values) {
    if (!value) continue;
    known.push_back(value->value);
    integral = integral && value->integral;
    exact += value->value;
    in_order += value->value;
  }
  if (known.empty()) return std::nullopt;
  if (how == Aggregate::max || how == Aggregate::min) return PeerNumber{combine(known, how), integral};
  const bool holes = known.size() < values.size();
  double sum = integral ? static_cast<double>(exact) : holes ? in_order : numpy_sum(known);
  if (how == Aggregate::mean) {
    if (!holes) sum = numpy_sum(known);
    return PeerNumber{sum / static_cast<double>(values.size()), false};
  }
  return PeerNumber{sum, integral};
}

struct Group {
  std::string_view type;
  std::vector<double> times;
  std::vector<std::optional<PeerNumber>> computation, memory;
};

}  // namespace

double numpy_sum(std::span<const double> values) {
  constexpr std::size_t block = 8192;
  double sum = 0;
  for (std::size_t at = 0; at < values.size(); at += block)
    sum += pairwise_sum(values.subspan(at, std::min(block, values.size() - at)));
  return sum;
}

std::vector<const PeerOperator*> filter_operators(const PeerProfile& profile, const AnalyzeOptions& options) {
  std::optional<Regex> pattern;
  if (!options.name_pattern.empty()) pattern.emplace(translate_python_pattern(options.name_pattern));
  std::vector<const PeerOperator*> kept;
  for (const PeerOperator& op : profile.operators()) {
    const auto& types = options.types;
    if (!types.empty() && std::find(types.begin(), types.end(), op.type) == types.end()) continue;
    if (pattern && !pattern->find(op.name, 0, true)) continue;
    if (!options.input_type.empty() && !profile.has_input_type(op, options.input_type)) continue;
    kept.push_back(&op);
  }
  return kept;
}

std::optional<Total> total_time(const PeerProfile& profile, Section section) {
  std::vector<double> times;
  bool integral = true;
  for (const PeerOperator& op : profile.operators()) {
    const auto time = time_of(op, section, false);
    if (!time) continue;
    times.push_back(*time);
    integral = integral && times_of(op, section).integral_end;
  }
  if (times.empty()) return std::nullopt;
  return Total{numpy_sum(times), integral};
}

std::vector<OperatorRecord> time_records(std::span<const PeerOperator* const> operators, Section section,
                                         bool until_kernel, const AnalyzeOptions& options) {
  std::vector<OperatorRecord> records;
  for (const PeerOperator* op : operators) {
    const auto time = time_of(*op, section, until_kernel);
    if (!time || (options.min_time && *time < *options.min_time) || (options.max_time && *time > *options.max_time))
      continue;
    OperatorRecord& record = records.emplace_back();
    record.op = op;
    record.name = op->name, record.type = op->type, record.id = op->id;
    record.time = *time;
    record.computation = op->computation, record.memory = op->memory;
    derive_rates(record);
  }
  return records;
}

std::vector<OperatorRecord> aggregate_records(std::span<const OperatorRecord> records, Aggregate how, bool by_type) {
  std::vector<Group> groups;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const auto& record : records) {
    const std::string_view type = by_type ? record.type : "all";
    const auto [place, added] = places.try_emplace(type, groups.size());
    if (added) groups.push_back({type, {}, {}, {}});
    Group& group = groups[place->second];
    group.times.push_back(record.time);
    group.computation.push_back(record.computation);
    group.memory.push_back(record.memory);
  }
  std::vector<OperatorRecord> combined;
  for (const Group& group : groups) {
    OperatorRecord& record = combined.emplace_back();
    record.type = group.type;
    record.id = "N/A";
    record.count = group.times.size();
    record.time = combine(std::span<const double>(group.times), how);
    record.computation = combine(group.computation, how);
    record.memory = combine(group.memory, how);
    derive_rates(record);
  }
  return combined;
}

void cut_records(std::vector<OperatorRecord>& records, long long top) {
  const auto size = static_cast<long long>(records.size());
  if (top == 0) return;
  records.resize(std::max(0LL, top > 0 ? std::min(top, size) : std::max(top, -size) + size));
}

std::vector<OperatorRecord> select_records(const PeerProfile& profile, Section section, const AnalyzeOptions& options) {
  auto records = time_records(filter_operators(profile, options), section, options.until_kernel, options);
  if (options.aggregate != Aggregate::none)
    records = aggregate_records(records, options.aggregate, options.aggregate_by_type);
  else if (options.aggregate_by_type)
    throw Error(ErrorKind::bad_input, "--aggregate-by needs --aggregate, which says how: max, min, sum or mean");
  order_records(records, options.order_by);
  cut_records(records, options.top);
  return records;
}

}  // namespace takt
