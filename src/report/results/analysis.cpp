#include "report/results/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "report/results/bars.h"
#include "report/results/headline.h"
#include "report/results/saved_tables.h"
#include "report/timelines/families.h"

namespace takt {
namespace {

std::optional<std::size_t> longest_row(const Table& operators) {
  std::optional<std::size_t> longest;
  for (std::size_t row = 0; row < operators.rows.size(); ++row)
    if (const auto time = number_in(operators, row, "time_us");
        time && !text_in(operators, row, "name").starts_with('[') &&
        (!longest || *time > *number_in(operators, *longest, "time_us")))
      longest = row;
  return longest;
}

/// "conv1 (Conv)"; of a row that combines several "49 Conv".
std::string called(const Table& operators, std::size_t row) {
  const std::string name = text_in(operators, row, "name"), type = text_in(operators, row, "type");
  if (name.empty()) return fmt::format("{:.0f} {}", number_in(operators, row, "count").value_or(1), type);
  return type.empty() ? name : fmt::format("{} ({})", name, type);
}

/// What makes an operator faster, by what limits it.
std::string advice(const Table& operators, std::size_t row) {
  const std::string bound = text_in(operators, row, "roofline"), level = text_in(operators, row, "memory_level");
  const auto share = number_in(operators, row, "peak_share_percent");
  const std::string reached = share ? fmt::format(" at {:.0f} % of the peak", *share) : "";
  if (bound == "memory bound")
    return fmt::format("It is limited by {}{}: fewer bytes help, by fusion or a narrower type.",
                       level.empty() ? "memory" : level, reached);
  if (bound == "compute bound") return fmt::format("It computes{}: fewer operations or a narrower type help.", reached);
  if (bound == "overhead bound")
    return "It takes over 5 times what computing and memory need: fuse it, give it larger batches, or another kernel.";
  if (family_of_type(text_in(operators, row, "type")) == "k6")
    return "It moves data and computes nothing: a layout that its neighbours share would save it.";
  return "What limits it: takt analyze with --columns all, after takt devices --measure.";
}

}  // namespace

bool add_analysis(ReportResult& result) {
  const bool is_host = !find_table(result.tables, "operators");
  const Table *operators = find_table(result.tables, is_host ? "host_operators" : "operators"),
              *summary = find_table(result.tables, "summary");
  const auto row = operators ? longest_row(*operators) : std::nullopt;
  if (!row) return false;
  const double time = *number_in(*operators, *row, "time_us");
  const char* total_of = is_host ? "host_total_us" : "device_total_us";
  const double total = summary ? number_in(*summary, 0, total_of).value_or(0) : 0;
  const auto share = number_in(*operators, *row, "time_share_percent");
  const std::string longest = fmt::format("{}, {}{}", called(*operators, *row), shown_time(Duration(time)),
                                          share ? fmt::format(", {:.1f} % of all operators", *share) : "");
  ReportBar bar = bar_of_operators(*operators, std::nullopt);
  const bool is_all = total > 0 && std::abs(bar.whole.count() / total - 1) < 0.001;
  const std::string type = is_all && !text_in(*operators, *row, "name").empty() ? largest_share(bar) : "";
  result.headline =
      type.empty() ? "Longest: " + longest : fmt::format("{} of {}; longest: {}", type, shown_time(bar.whole), longest);
  result.lede = advice(*operators, *row);
  if (is_all) result.bars.push_back(std::move(bar));
  if (summary) add_facts(result, *summary, {"operators", "device_total_us", "host_total_us"});
  return true;
}

}  // namespace takt
