#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "base/table/common_columns.h"
#include "measure/run/vary.h"

namespace takt {
namespace {

Cell text_or_missing(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

std::string standing_name(Standing standing) {
  if (standing == Standing::fastest) return "fastest";
  return standing == Standing::slower ? "slower" : "within noise";
}

Cell end_of(const VariantRow& row, double Interval::*end) { return row.interval ? Cell((*row.interval).*end) : Cell(); }

struct VariantLine {
  const VariantRow* is;
};

constexpr Column<VariantLine> variant_columns[] = {
    {"variation", "Variant", [](const VariantLine& r) -> Cell { return to_string(r.is->differs); },
     "What differs from the other variants of --vary: options and their values, and the model where there are "
     "several."},
    {common::runtime, [](const VariantLine& r) { return text_or_missing(r.is->runtime); }},
    {common::device, [](const VariantLine& r) { return text_or_missing(r.is->device); }},
    {"variant_runs", "Runs",
     [](const VariantLine& r) { return r.is->runs ? Cell(static_cast<std::int64_t>(r.is->runs)) : Cell(); },
     "Measured runs of the variant, over all of its blocks."},
    {"variant_load_us", "Load",
     [](const VariantLine& r) { return r.is->runs ? Cell(Duration(r.is->load_time)) : Cell(); },
     "Time to open the model for a variant of --vary: read, optimise, compile for the device."},
    {"variant_median_us", "Median", [](const VariantLine& r) { return optional_cell(r.is->median); },
     "Median time of a run of the variant; with several requests in flight, of their latencies."},
    {"variant_p99_us", "p99", [](const VariantLine& r) { return optional_cell(r.is->p99); },
     "99 % of the variant's runs took less time; with several requests in flight, of their latencies. Empty with fewer "
     "than 300."},
    {"variant_per_s", "Per second", [](const VariantLine& r) { return optional_cell(r.is->per_second); },
     "Runs per second of the variant: 1 / median over the blocks of the time per run, with several requests in flight "
     "of the time per completion. If --vary varies the batch size, items (batch size x runs) per second."},
    {"time_ratio", "Ratio", [](const VariantLine& r) { return optional_cell(r.is->ratio); },
     "Time of a run (with a varied batch size, of an item) divided by that of the first variant that ran: the median "
     "ratio of neighbouring blocks. Below 1 is faster; empty for the first."},
    {"time_ratio_low", "CI low", [](const VariantLine& r) { return end_of(*r.is, &Interval::low); },
     "Lower end of the interval of time_ratio, 95 % for all variants together."},
    {"time_ratio_high", "CI high", [](const VariantLine& r) { return end_of(*r.is, &Interval::high); },
     "Upper end of the interval of time_ratio, 95 % for all variants together."},
    {"standing", "Verdict",
     [](const VariantLine& r) { return r.is->standing ? Cell(standing_name(*r.is->standing)) : Cell(); },
     "fastest: beyond noise faster than at least one other. within noise: not distinguishable from the fastest. "
     "slower: than the fastest, beyond noise. Empty with too few blocks."},
    {"failure", "Error", [](const VariantLine& r) { return optional_cell(r.is->failure); },
     "Why the variant could not be measured; empty if it was measured."},
};

constexpr TableDefinition<VariantLine> variants_definition{
    "variants", "The variants of --vary, and the models if several are given: a row each, measured interleaved.",
    variant_columns};

std::string labels(const VaryResult& result, Standing standing) {
  std::string text;
  for (const auto& row : result.rows)
    if (row.standing == standing) text += (text.empty() ? "" : "; ") + to_string(row.differs);
  return text;
}

std::string verdict(const VaryResult& result) {
  if (!result.fastest) return "No variant ran.\n";
  const auto& fastest = result.rows[*result.fastest];
  if (!fastest.standing) return "Too few blocks to distinguish the variants; the minimum is --iter 5.\n";
  const auto close = labels(result, Standing::within_noise);
  if (*fastest.standing == Standing::within_noise) return "No difference beyond noise.\n";
  std::string text = wrapped(fmt::format("Fastest: {}.", printable(to_string(fastest.differs))), 80) + "\n";
  if (!close.empty()) text += wrapped(fmt::format("Equally fast within noise: {}.", printable(close)), 80) + "\n";
  return text;
}

/// What all say once; the others with their variant.
std::string notes(const VaryResult& result) {
  std::string text;
  std::vector<std::string> told;
  const auto has = [](const VariantRow& row, const std::string& note) {
    return row.failure || std::find(row.notes.begin(), row.notes.end(), note) != row.notes.end();
  };
  for (const auto& row : result.rows)
    for (const auto& note : row.notes) {
      if (std::find(told.begin(), told.end(), note) != told.end()) continue;
      const bool by_all = std::all_of(result.rows.begin(), result.rows.end(), [&](auto& r) { return has(r, note); });
      if (by_all) told.push_back(note);
      text += "note     " + wrapped(printable(by_all ? note : to_string(row.differs) + ": " + note), 80, 9) + "\n";
    }
  return text.empty() ? text : text + "\n";
}

/// A column for each option instead of one for all, which would be cut.
Table for_people(const VaryResult& result) {
  const Table all = variants_table(result);
  Table table{all.name, {}, {}};
  for (const auto& [name, value] : result.rows.front().differs) table.columns.push_back({name, name, ""});
  const Table figures = some_columns(
      all, {"variant_median_us", "variant_per_s", "time_ratio", "time_ratio_low", "time_ratio_high", "standing"});
  table.columns.insert(table.columns.end(), figures.columns.begin(), figures.columns.end());
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    auto& cells = table.rows.emplace_back();
    for (const auto& [name, value] : result.rows[i].differs) cells.emplace_back(value);
    cells.insert(cells.end(), figures.rows[i].begin(), figures.rows[i].end());
  }
  return table;
}

}  // namespace

std::string to_string(const Variation& variation) {
  std::string text;
  for (const auto& [name, value] : variation) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

Table variants_table(const VaryResult& result) {
  std::vector<VariantLine> lines;
  for (const auto& row : result.rows) lines.push_back({&row});
  return variants_definition.make(lines);
}

TableSchema variants_schema() { return variants_definition.schema(); }

std::string to_text(const VaryResult& result) {
  std::string text = verdict(result) + "\n" + notes(result) + to_text(for_people(result));
  if (result.per_item) text += "Per second and ratios are of items: batch size x runs.\n";
  for (const auto& row : result.rows)
    if (row.failure) text += wrapped(printable(fmt::format("{}: {}", to_string(row.differs), *row.failure)), 80) + "\n";
  return text;
}

}  // namespace takt
