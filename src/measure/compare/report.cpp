#include "measure/compare/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/basics/text.h"
#include "base/table/common_columns.h"

namespace takt {
namespace {

struct Line {
  const Comparison* comparison;
  const Change* change;
};

Cell percent(const std::optional<double>& ratio) { return ratio ? Cell(*ratio * 100) : Cell(); }

constexpr std::string_view compared = "compared";

constexpr Column<Line> columns[] = {
    {compared, "Compared", [](const Line& l) -> Cell { return l.comparison->after; },
     "The profile that was compared with the first one."},
    {common::name, [](const Line& l) -> Cell { return l.change->name; }},
    {common::type, [](const Line& l) -> Cell { return l.change->type.empty() ? Cell() : Cell(l.change->type); }},
    {"before_us", "Before", [](const Line& l) { return optional_cell(l.change->before); },
     "Typical time of one run before: mean of the faster half of the samples without the fastest 5 %, because "
     "interference makes samples slower and never faster. With several profiles, their geometric mean."},
    {"after_us", "After", [](const Line& l) { return optional_cell(l.change->after); },
     "Typical time of one run after: mean of the faster half of the samples without the fastest 5 %. With several "
     "profiles, their geometric mean."},
    {"change_percent", "Change %", [](const Line& l) { return percent(l.change->ratio); },
     "Change of the typical time of one run, after against before: 5 is 5 % slower. With several profiles whose whole "
     "run did not change, an operator's change is relative to the change that all operators share; a note gives the "
     "latter."},
    {"low_percent", "CI low %", [](const Line& l) { return percent(l.change->low); },
     "Lower end of the confidence interval of the change of the time. All intervals of a comparison hold jointly with "
     "the requested confidence."},
    {"high_percent", "CI high %", [](const Line& l) { return percent(l.change->high); },
     "Upper end of the confidence interval of the change of the time. All intervals of a comparison hold jointly with "
     "the requested confidence."},
    {"weight_percent", "Share before %", [](const Line& l) -> Cell { return l.change->share * 100; },
     "The operator's share of the sum of all operators' typical times before."},
    {"verdict", "Verdict", [](const Line& l) -> Cell { return std::string(verdict_name(l.change->verdict)); },
     "slower, faster: beyond noise and the threshold. same: no significant change, and none that matters is hidden by "
     "noise. inconclusive: a slowdown that costs the whole run more than the limit (--fail-over; 10 % by default) "
     "cannot be ruled out. added, removed: only in one of the profiles. regrouped: fused with other operators than "
     "before. unknown: fewer than 5 samples, or the sides ran on different processors."},
};

struct NoteLine {
  const Comparison* comparison;
  const std::string* note;
};

constexpr Column<NoteLine> note_columns[] = {
    {compared, "Compared", [](const NoteLine& l) -> Cell { return l.comparison->after; },
     "The profile that was compared with the first one."},
    {"difference", "Difference", [](const NoteLine& l) -> Cell { return *l.note; },
     "A difference between the sides other than the times, or a reason for the times: another model, input, precision, "
     "number of threads or machine, a busy machine, memory."},
};

constexpr NamedRow whole_run[] = {
    {"[whole run]", "The time of a whole run of the model, without operator times if the profile has such runs."},
    {"[slowest 5 %]",
     "Mean time of the slowest 5 % of whole runs, where they changed beyond noise and otherwise than the typical run."},
};

constexpr TableDefinition<Line> whole_definition{
    "whole",
    "The change of a whole run of the model: a row per profile that was compared with the first, and one for its "
    "slowest runs where they changed otherwise than the typical run.",
    columns, whole_run};
constexpr TableDefinition<Line> operators_definition{
    "operators", "The change of each operator: a row per operator and comparison, in the order of the profiles.",
    columns};
constexpr TableDefinition<NoteLine> notes_definition{
    "notes", "Differences between the conditions of the measurements: a row per sentence.", note_columns};

/// The heading names the compared file already, and the times show the weight; rates need two decimals, not all. Where
/// the lines do not fit, the names tell more than the types.
std::string shown(const Table& table, std::size_t width) {
  Table some = without_columns(table, {compared, "weight_percent"});
  for (auto& row : some.rows)
    for (Cell& cell : row)
      if (auto* number = std::get_if<double>(&cell)) cell = std::round(*number * 100) / 100;
  const std::string text = to_text(some, width);
  const auto fits = [&](const std::string& line) { return display_width(line) <= width; };
  const auto lines = split(text, '\n');
  if (std::all_of(lines.begin(), lines.end(), fits)) return text;
  return to_text(without_columns(some, {common::type.name}), width);
}

bool is_news(const Change& change) { return change.verdict != Verdict::same && change.verdict != Verdict::unknown; }

double growth(const Change& change) {
  return (change.after ? change.after->count() : 0) - (change.before ? change.before->count() : 0);
}

std::string finding(const Comparison& c) {
  if (c.unlike) return "no verdict, " + *c.unlike;
  std::map<Verdict, int> counts;
  for (const Change& op : c.ops) ++counts[op.verdict];
  std::vector<std::string> parts;
  if (c.whole.verdict == Verdict::unknown) return "unknown, the whole run has too few samples";
  if (c.whole.verdict == Verdict::inconclusive)
    parts.push_back(*c.whole.high < 9
                        ? fmt::format("inconclusive, the whole run may be up to {:.1f} % slower", *c.whole.high * 100)
                        : "inconclusive, the whole run may be 10 times slower or more");
  else if (is_news(c.whole))
    parts.push_back(
        fmt::format("the whole run is {:.1f} % {}", std::abs(*c.whole.ratio) * 100, verdict_name(c.whole.verdict)));
  if (c.tail)
    parts.push_back(fmt::format("the slowest 5 % of its runs are {:.1f} % {}", std::abs(*c.tail->ratio) * 100,
                                verdict_name(c.tail->verdict)));
  for (Verdict verdict :
       {Verdict::slower, Verdict::faster, Verdict::added, Verdict::removed, Verdict::regrouped, Verdict::inconclusive})
    if (counts[verdict] > 0)
      parts.push_back(
          fmt::format("{} operator{} {}", counts[verdict], counts[verdict] == 1 ? "" : "s", verdict_name(verdict)));
  if (parts.empty()) return "no change beyond noise";
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What the noise would hide, in words.
std::string detectable(const Comparison& c) {
  if (!c.detectable_whole || c.unlike) return "";
  if (*c.detectable_whole >= 1)
    return "These runs vary so much that even a doubled time is within noise: measure\nagain on an idle machine, or "
           "with more runs on each side.\n";
  std::string op = c.detectable_op && *c.detectable_op < 1
                       ? fmt::format(", or {:.1f} % of the median operator", *c.detectable_op * 100)
                       : "";
  return fmt::format(
      "Changes below about {:.1f} % of the run{}\nare within noise here; more runs on each side detect smaller ones.\n",
      *c.detectable_whole * 100, op);
}

}  // namespace

std::vector<Table> compare_tables(std::span<const Comparison> comparisons) {
  std::vector<Line> wholes, ops;
  std::vector<NoteLine> notes;
  for (const Comparison& c : comparisons) {
    wholes.push_back({&c, &c.whole});
    if (c.tail) wholes.push_back({&c, &*c.tail});
    for (const Change& op : c.ops) ops.push_back({&c, &op});
    for (const std::string& note : c.notes) notes.push_back({&c, &note});
  }
  return {whole_definition.make(wholes), operators_definition.make(ops), notes_definition.make(notes)};
}

std::string to_text(const Comparison& c, bool all, std::size_t width) {
  std::string text = wrapped(fmt::format("Result: {}.", finding(c)), width) + "\n\n";
  text += fmt::format("before   {}\nafter    {}\n", printable(c.before), printable(c.after));
  for (const auto& note : c.notes) text += "note     " + wrapped(note, width, 9) + "\n";
  std::vector<Line> lines;
  for (const Change& op : c.ops)
    if (all || is_news(op)) lines.push_back({&c, &op});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return growth(*a.change) > growth(*b.change); });
  if (c.tail) lines.insert(lines.begin(), {&c, &*c.tail});
  lines.insert(lines.begin(), {&c, &c.whole});
  return text + "\n" + shown(operators_definition.make(lines), width) + detectable(c);
}

std::vector<TableSchema> compare_schemas() {
  return {whole_definition.schema(), operators_definition.schema(), notes_definition.schema()};
}

}  // namespace takt
