#include "profile/run_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/statistics.h"
#include "core/text.h"

namespace takt {
namespace {

Table select(const Table& table, std::initializer_list<std::string_view> names) {
  Table selected{table.name, {}, std::vector<std::vector<Cell>>(table.rows.size())};
  for (std::string_view name : names)
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].name != name) continue;
      selected.columns.push_back(table.columns[c]);
      for (std::size_t r = 0; r < table.rows.size(); ++r) selected.rows[r].push_back(table.rows[r][c]);
    }
  return selected;
}

/// One line per figure, one column per pass: the summary has more figures than passes.
Table by_figure(const Table& summary) {
  Table turned{summary.name, {{"", "", ""}}, {}};
  for (std::size_t c = 0; c < summary.columns.size(); ++c) {
    const ColumnInfo& column = summary.columns[c];
    if (column.name == "runtime" || column.name == "device") continue;  // in the heading
    std::vector<Cell> line{column.title};
    for (const auto& row : summary.rows) {
      if (column.name == "pass") turned.columns.push_back({"", std::get<std::string>(row[c]), ""});
      line.push_back(row[c]);
    }
    if (column.name != "pass") turned.rows.push_back(std::move(line));
  }
  return turned;
}

/// `text` behind `label`, in lines of at most 80 columns that hang under its first word.
std::string wrapped(std::string_view label, std::string_view text) {
  std::string lines(label);
  std::size_t column = display_width(label);
  for (const auto& word : split(text, ' ')) {
    bool first = column == display_width(label);
    if (!first && column + 1 + display_width(word) > 80) {
      lines += "\n" + std::string(display_width(label), ' ');
      column = display_width(label);
      first = true;
    }
    lines += (first ? "" : " ") + word;
    column += (first ? 0 : 1) + display_width(word);
  }
  return lines + "\n";
}

std::string heading(const RunResult& result) {
  std::string text = fmt::format("model    {}\nruntime  {} {} on {} ({})\n", printable(result.model.string()),
                                 result.runtime, result.runtime_version, result.device, result.runtime_choice);
  for (std::size_t i = 0; i < result.input_values.size(); ++i) {
    const HostTensor& input = result.input_values[i];
    text += fmt::format("{}  {} {} {}, generated values\n", i == 0 ? "input  " : "       ", printable(input.name),
                        to_string(input.shape), type_name(input.type));
  }
  for (const auto& note : result.notes) text += wrapped("note     ", printable(note));
  return text + "\n";
}

std::string model_info(const RunResult& result) {
  Table table{"ports", {{"kind", "Kind", ""}, {"name", "Name", ""}, {"shape", "Shape", ""}, {"type", "Type", ""}}, {}};
  for (const auto& [kind, ports] : {std::pair("input", &result.inputs), std::pair("output", &result.outputs)})
    for (const Port& port : *ports)
      table.rows.push_back({std::string(kind), port.name, to_string(port.shape), std::string(type_name(port.type))});
  return to_text(table) + "\n";
}

/// What looking costs: the medians of the two passes, so that nobody takes the profiled times for the model's own.
std::string cost_of_profiling(const RunResult& result) {
  if (!result.plain || !result.profiled) return "";
  double plain = summarize(result.plain->samples)->median.count();
  double profiled = summarize(result.profiled->samples)->median.count();
  if (plain <= 0) return "";
  return fmt::format("Recording operator times changed the median run by {:+.1f} %.\n", (profiled / plain - 1) * 100);
}

std::string operators(const RunResult& result, const OpProfile& ops, const RunTextSettings& settings) {
  Table table = operators_table(ops, settings.top);
  std::string text =
      fmt::format("Operators, over {} profiled runs ({} measured)\n", ops.runs, format_duration(ops.measured));
  if (settings.all_columns)
    text += to_text(table, 240);
  else
    text += to_text(
        select(table, {"name", "type", "mean_us", "share_percent", "gflops_per_s", "gbytes_per_s", "out_shapes"}));
  text += fmt::format(
      "The rows add up to the measured time exactly. FLOPs, bytes and shapes are known\n"
      "for {:.1f} % of the operators' time.\n",
      ops.known_share * 100);
  return text + cost_of_profiling(result);
}

}  // namespace

std::string to_text(const RunResult& result, const OpProfile* ops, const RunTextSettings& settings) {
  std::string text = heading(result);
  if (settings.model_info) text += model_info(result);
  text += to_text(by_figure(summary_table(result))) + "\n";
  if (ops) text += operators(result, *ops, settings);
  return text;
}

}  // namespace takt
