#include "report/results/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/table/number_form.h"
#include "report/results/headline.h"
#include "report/results/saved_tables.h"

namespace takt {
namespace {

std::optional<std::size_t> row_of(const Table& table, std::string_view column, std::string_view text) {
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (text_in(table, row, column) == text) return row;
  return std::nullopt;
}

/// What the changes bring, not what was recorded.
bool add_what_if(ReportResult& result) {
  const Table* summary = find_table(result.tables, "summary");
  const auto before = summary ? row_of(*summary, "variant", "before") : std::nullopt,
             after = summary ? row_of(*summary, "variant", "after") : std::nullopt;
  const auto was = before ? number_in(*summary, *before, "cycle_us") : std::nullopt,
             is = after ? number_in(*summary, *after, "cycle_us") : std::nullopt;
  if (!was || !is || *was <= 0) return false;
  const double change = 100 * (*is / *was - 1);
  result.headline =
      fmt::format("With these changes a batch every {} instead of {}: {} % {}", shown_time(Duration(*is)),
                  shown_time(Duration(*was)), percentage_text(std::abs(change)), change > 0 ? "more" : "less");
  const std::string bottleneck = text_in(*summary, *after, "bottleneck");
  if (!bottleneck.empty()) result.lede = fmt::format("{} then sets the beat.", bottleneck);
  const auto low = number_in(*summary, *after, "cycle_low_us"), high = number_in(*summary, *after, "cycle_high_us");
  if (low && high)
    result.lede += fmt::format("{}The beat lies between {} and {}.", result.lede.empty() ? "" : " ",
                               shown_time(Duration(*low)), shown_time(Duration(*high)));
  return true;
}

bool add_check(ReportResult& result) {
  const Table* faults = find_table(result.tables, "faults");
  if (!faults) return false;
  const std::size_t rules = faults->rows.size();
  result.headline = rules == 0 ? "No fault is in this trace"
                               : fmt::format("The trace breaks {} rule{}", rules, rules == 1 ? "" : "s");
  return true;
}

/// Simulated ones are always there.
bool add_devices(ReportResult& result) {
  const Table* devices = find_table(result.tables, "devices");
  if (!devices) return false;
  std::vector<std::string> usable;
  for (std::size_t row = 0; row < devices->rows.size(); ++row)
    if (text_in(*devices, row, "usable") == "yes" && text_in(*devices, row, "runtime") != "sim")
      usable.push_back(text_in(*devices, row, "runtime") + " " + text_in(*devices, row, "device"));
  result.headline = usable.empty() ? "Only simulated devices can be used"
                                   : fmt::format("Models can run on {}", fmt::join(usable, ", "));
  return true;
}

bool add_load(ReportResult& result) {
  const Table* load = find_table(result.tables, "load");
  const auto row = load ? row_of(*load, "feature", "cpu_busy_share") : std::nullopt;
  const auto busy = row ? number_in(*load, *row, "load_value") : std::nullopt;
  if (!busy) return false;
  result.headline = fmt::format("The processors are {:.0f} % busy", 100 * *busy);
  return true;
}

}  // namespace

bool add_answer(ReportResult& result, std::string_view command) {
  if (command == "pipeline whatif") return add_what_if(result);
  if (command == "trace check") return add_check(result);
  if (command == "devices") return add_devices(result);
  return command == "load" && add_load(result);
}

}  // namespace takt
