#include "profile/op_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"
#include "core/text.h"

namespace takt {
namespace {

bool means(const ColumnInfo& column, std::string_view word) {
  for (const std::string_view unit : {"", "_us", "_flop_per_byte", "_percent"})
    if (column.name == std::string(word) + std::string(unit)) return true;
  return false;
}

std::size_t find_column(const Table& table, const std::string& word) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == word) return i;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (means(table.columns[i], word)) return i;
  std::vector<std::string> names;
  for (const auto& column : table.columns) names.push_back(column.name);
  const auto near = nearest_word(word, names);
  throw UsageError(fmt::format("--columns: there is no column '{}'; {}", printable(word),
                               near ? "did you mean '" + *near + "'?" : fmt::format("use {}", fmt::join(names, ", "))));
}

std::optional<Duration> deviation(std::span<const double> values, double mean) {
  if (values.size() < 2) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return Duration(std::sqrt(sum / static_cast<double>(values.size() - 1)));
}

}  // namespace

OpFigures figures_of(std::span<const Duration> samples, const OpRate& rate, const Peaks* peaks) {
  OpFigures figures;
  figures.intensity = intensity(rate);
  if (peaks) figures.roofline = roofline(rate, *peaks);
  if (samples.empty()) return figures;
  std::vector<double> sorted;
  double sum = 0;
  for (const Duration sample : samples) sorted.push_back(sample.count()), sum += sample.count();
  std::sort(sorted.begin(), sorted.end());
  figures.samples = static_cast<std::int64_t>(sorted.size());
  const double mean = sum / static_cast<double>(sorted.size());
  figures.mean = Duration(mean);
  figures.stddev = deviation(sorted, mean);
  figures.min = Duration(sorted.front()), figures.max = Duration(sorted.back());
  figures.p50 = Duration(percentile(sorted, 0.5));
  figures.p90 = Duration(percentile(sorted, 0.9));
  figures.p99 = Duration(percentile(sorted, 0.99));
  return figures;
}

bool is_bf16_kernel(std::string_view kernel) { return lower_case(kernel).find("bf16") != std::string::npos; }

Table choose_columns(const Table& table, std::span<const std::string> names) {
  Table chosen{table.name, {}, std::vector<std::vector<Cell>>(table.rows.size())};
  const auto add = [&](std::size_t column) {
    chosen.columns.push_back(table.columns[column]);
    for (std::size_t row = 0; row < table.rows.size(); ++row) chosen.rows[row].push_back(table.rows[row][column]);
  };
  for (const auto& name : names) {
    if (name != "all") {
      add(find_column(table, name));
      continue;
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) add(i);
  }
  return chosen;
}

std::vector<std::string> parse_column_names(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& word : split(text, ','))
    if (!trim(word).empty()) names.emplace_back(trim(word));
  if (names.empty()) throw UsageError("--columns needs names of columns, such as name,type,mean_us,p99_us");
  return names;
}

bool needs_peaks(std::span<const std::string> names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "all" || name == "roofline" || name.starts_with("peak_share");
  });
}

}  // namespace takt
