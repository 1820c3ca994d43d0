#include "measure/operators/type_table.h"

#include <algorithm>
#include <map>

#include "base/basics/check.h"
#include "base/statistics/statistics.h"
#include "base/table/common_columns.h"
#include "measure/operators/columns.h"
#include "measure/operators/typical.h"

namespace takt {
namespace {

struct TypeLine {
  std::string type;
  std::optional<std::int64_t> count;
  Nanoseconds total{};
  std::vector<Nanoseconds> samples;  ///< of all its operators together, one per run
  Nanoseconds measured{};            ///< by the whole profile
  std::optional<double> flops = 0;   ///< of one run; nullopt if one operator's are not known
  std::optional<Duration> plain;     ///< of one run that nobody records
  std::optional<Duration> run;       ///< such a run, whole

  Cell share() const {
    if (plain && run && run->count() > 0) return *plain / *run * 100;
    if (run || measured.count() == 0) return {};
    return static_cast<double>(total.count()) / static_cast<double>(measured.count()) * 100;
  }
  Cell gflops_per_s() const {
    const double runs = static_cast<double>(samples.size()), ns = static_cast<double>(total.count());
    if (!flops || !count) return {};
    if (plain) return plain->count() > 0 ? Cell(*flops / plain->count() / 1e3) : Cell();
    return ns > 0 ? Cell(*flops * runs / ns) : Cell();
  }
};

constexpr Column<TypeLine> type_columns[] = {
    {common::type, [](const TypeLine& r) -> Cell { return r.type; }},
    {common::count, [](const TypeLine& r) { return optional_cell(r.count); }},
    {operator_columns::plain_mean_us, [](const TypeLine& r) { return optional_cell(r.plain); }},
    {common::total_us, [](const TypeLine& r) -> Cell { return Duration(r.total); }},
    {common::median_us, [](const TypeLine& r) { return optional_cell(median(r.samples)); }},
    {operator_columns::share_percent, [](const TypeLine& r) { return r.share(); }},
    {operator_columns::flops, [](const TypeLine& r) { return r.count ? optional_cell(r.flops) : Cell(); }},
    {operator_columns::gflops_per_s, [](const TypeLine& r) { return r.gflops_per_s(); }},
};

constexpr NamedRow type_rows[] = {
    operator_columns::unattributed,
    operator_columns::profiling,
    {"[N other types]", "The sum of the types that --top leaves out."},
};

constexpr TableDefinition<TypeLine> types_definition{
    "types",
    "Where the time of the profiled runs went by type: a row per type of operator, the most expensive of a plain run "
    "first. total_us adds up to the measured time exactly, plain_mean_us to the plain run.",
    type_columns, type_rows};

void add(TypeLine& line, const std::vector<Nanoseconds>& samples, Nanoseconds total) {
  line.total += total;
  line.samples.resize(std::max(line.samples.size(), samples.size()));
  for (std::size_t run = 0; run < samples.size(); ++run) line.samples[run] += samples[run];
}

void join(TypeLine& line, const TypeLine& other) {
  add(line, other.samples, other.total);
  line.count = line.count.value_or(0) + other.count.value_or(0);
  if (other.plain) line.plain = line.plain.value_or(Duration(0)) + *other.plain;
  line.flops = line.flops && other.flops ? std::optional(*line.flops + *other.flops) : std::nullopt;
}

std::vector<TypeLine> gather(const OpProfile& profile) {
  std::map<std::string, TypeLine> by_type;
  for (const OpRow& row : profile.ops) {
    TypeLine& line = by_type[row.type];
    line.type = row.type;
    join(line,
         {row.type, 1, row.total - row.record_cost, row.samples, profile.measured, row.flops, row.plain_mean, {}});
  }
  std::vector<TypeLine> lines;
  for (auto& [type, line] : by_type) lines.push_back(std::move(line));
  std::stable_sort(lines.begin(), lines.end(), [](const TypeLine& a, const TypeLine& b) {
    return a.plain.value_or(typical_time(a.samples)) > b.plain.value_or(typical_time(b.samples));
  });
  return lines;
}

}  // namespace

Table types_table(const OpProfile& profile, std::optional<int> top) {
  std::vector<TypeLine> lines = gather(profile);
  if (const auto shown = static_cast<std::size_t>(top.value_or(0)); top && shown < lines.size()) {
    TypeLine rest;
    rest.type = "[" + std::to_string(lines.size() - shown) + " other types]";
    for (std::size_t i = shown; i < lines.size(); ++i) join(rest, lines[i]);
    lines.resize(shown);
    lines.push_back(std::move(rest));
  }
  if (profile.recording.count() > 0) {
    lines.emplace_back().type = operator_columns::profiling.name;
    lines.back().total = profile.recording;
  }
  lines.emplace_back().type = operator_columns::unattributed.name;
  add(lines.back(), profile.unattributed_samples, profile.unattributed);
  lines.back().plain = profile.plain_unattributed;
  Nanoseconds told{};
  for (TypeLine& line : lines) line.measured = profile.measured, line.run = profile.plain_mean, told += line.total;
  TAKT_CHECK(told == profile.measured);
  return types_definition.make(lines);
}

TableSchema types_schema() { return types_definition.schema(); }

}  // namespace takt
