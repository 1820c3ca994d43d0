#include "profile/type_table.h"

#include <algorithm>
#include <map>

#include "core/check.h"
#include "core/common_columns.h"
#include "core/statistics.h"
#include "profile/operator_columns.h"
#include "profile/typical.h"

namespace takt {
namespace {

struct TypeLine {
  std::string type;
  std::optional<std::int64_t> count;
  Nanoseconds total{};
  std::vector<Nanoseconds> samples;  ///< of all its operators together, one per run
  Nanoseconds measured{};            ///< by the whole profile
  std::optional<double> flops = 0;   ///< of one run; nullopt if one operator's are not known

  double share() const {
    return measured.count() == 0 ? 0 : static_cast<double>(total.count()) / static_cast<double>(measured.count());
  }
  Cell gflops_per_s() const {
    const double runs = static_cast<double>(samples.size()), ns = static_cast<double>(total.count());
    return flops && ns > 0 && count ? Cell(*flops * runs / ns) : Cell();
  }
};

constexpr Column<TypeLine> type_columns[] = {
    {common::type, [](const TypeLine& r) -> Cell { return r.type; }},
    {common::count, [](const TypeLine& r) { return optional_cell(r.count); }},
    {common::total_us, [](const TypeLine& r) -> Cell { return Duration(r.total); }},
    {common::median_us, [](const TypeLine& r) { return optional_cell(median(r.samples)); }},
    {operator_columns::share_percent, [](const TypeLine& r) -> Cell { return r.share() * 100; }},
    {operator_columns::flops, [](const TypeLine& r) { return r.count ? optional_cell(r.flops) : Cell(); }},
    {operator_columns::gflops_per_s, [](const TypeLine& r) { return r.gflops_per_s(); }},
};

constexpr NamedRow type_rows[] = {
    operator_columns::unattributed,
    {"[N other types]", "The types that --top leaves out, together."},
};

constexpr TableDefinition<TypeLine> types_definition{
    "types",
    "Where the time of the profiled runs went by type: a row per type of operator, largest median first. Adds up to "
    "the measured time exactly.",
    type_columns, type_rows};

void add(TypeLine& line, const std::vector<Nanoseconds>& samples, Nanoseconds total) {
  line.total += total;
  line.samples.resize(std::max(line.samples.size(), samples.size()));
  for (std::size_t run = 0; run < samples.size(); ++run) line.samples[run] += samples[run];
}

void join(TypeLine& line, const TypeLine& other) {
  add(line, other.samples, other.total);
  line.count = line.count.value_or(0) + other.count.value_or(0);
  line.flops = line.flops && other.flops ? std::optional(*line.flops + *other.flops) : std::nullopt;
}

std::vector<TypeLine> gather(const OpProfile& profile) {
  std::map<std::string, TypeLine> by_type;
  for (const OpRow& row : profile.ops) {
    TypeLine& line = by_type[row.type];
    line.type = row.type;
    join(line, {row.type, 1, row.total, row.samples, profile.measured, row.flops});
  }
  std::vector<TypeLine> lines;
  for (auto& [type, line] : by_type) lines.push_back(std::move(line));
  std::stable_sort(lines.begin(), lines.end(), [](const TypeLine& a, const TypeLine& b) {
    return typical_time(a.samples) > typical_time(b.samples);
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
  TypeLine gap;
  gap.type = type_rows[0].name;
  add(gap, profile.unattributed_samples, profile.unattributed);
  lines.push_back(std::move(gap));
  Nanoseconds told{};
  for (TypeLine& line : lines) line.measured = profile.measured, told += line.total;
  TAKT_CHECK(told == profile.measured);
  return types_definition.make(lines);
}

TableSchema types_schema() { return types_definition.schema(); }

}  // namespace takt
