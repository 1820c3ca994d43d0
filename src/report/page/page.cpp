#include "report/page/page.h"

#include <nlohmann/json.hpp>
#include <variant>

#include "base/basics/check.h"
#include "base/system/version.h"
#include "report/page/packed.h"
#include "report/page/template.h"

namespace takt {
namespace {

using nlohmann::json;

json json_of(const Cell& cell) {
  struct Writer {
    json operator()(std::monostate) const { return nullptr; }
    json operator()(Duration time) const { return time.count(); }
    json operator()(const std::string& text) const { return text; }
    json operator()(std::int64_t number) const { return number; }
    json operator()(double number) const { return number; }
  };
  return std::visit(Writer{}, cell);
}

json json_of(const ReportBar& bar) {
  json parts = json::array();
  for (const auto& part : bar.parts)
    parts.push_back({{"label", part.label}, {"kind", part.kind}, {"value", part.time.count()}});
  return {{"view", bar.view},
          {"title", bar.title},
          {"whole", bar.whole.count()},
          {"whole_label", bar.whole_label},
          {"parts", parts}};
}

json json_of(const std::optional<Duration>& time) { return time ? json(time->count()) : json(); }

json json_of(const ReportBoard& board) {
  json stations = json::array();
  for (const auto& one : board.stations) {
    json parts = json::array();
    for (const auto& part : one.parts)
      parts.push_back({{"label", part.label}, {"kind", part.kind}, {"value", part.time.count()}});
    stations.push_back({{"name", one.name},
                        {"devices", one.devices},
                        {"kind", one.kind},
                        {"load", one.load.count()},
                        {"spare", json_of(one.spare)},
                        {"queue_wait", json_of(one.queue_wait)},
                        {"held", json_of(one.held)},
                        {"parts", parts}});
  }
  return {{"cycle", json_of(board.cycle)}, {"stations", stations}, {"binds", board.binds}};
}

json json_of(const ReportTable& one) {
  json columns = json::array(), named = json::object();
  for (std::size_t at = 0; at < one.table.columns.size(); ++at) {
    json values = json::array();
    for (const auto& row : one.table.rows) values.push_back(json_of(row[at]));
    const ColumnSchema& column = one.table.columns[at];
    columns.push_back({{"key", column.name}, {"title", column.title}, {"meaning", column.meaning}, {"values", values}});
  }
  for (const NamedRow& row : one.schema.named_rows) named[std::string(row.name)] = row.meaning;
  return {{"name", one.table.name}, {"sentence", one.schema.sentence}, {"columns", columns}, {"named_rows", named}};
}

json json_of(const ReportWhatIf& one) {
  json knobs = json::array();
  for (const auto& knob : one.knobs)
    knobs.push_back({{"key", knob.key}, {"label", knob.label}, {"values", knob.values}, {"recorded", knob.recorded}});
  return {{"name", one.name}, {"knobs", knobs}, {"answers", json_of(one.answers)}};
}

json json_of(const ReportPoint& point) {
  return {{"stage", point.stage},
          {"unit", point.unit},
          {"nodes", point.nodes},
          {"edges", point.edges},
          {"size", point.nodes + point.edges},
          {"measured", point.measured.count()},
          {"law", json_of(point.law)},
          {"law_low", json_of(point.law_low)},
          {"law_high", json_of(point.law_high)}};
}

/// As columns: there may be thousands.
json json_of(const std::vector<ReportStep>& steps) {
  json made{{"name", json::array()},  {"type", json::array()},     {"kind", json::array()},
            {"time", json::array()},  {"alive", json::array()},    {"reads", json::array()},
            {"level", json::array()}, {"on_chain", json::array()}, {"block", json::array()}};
  for (const ReportStep& step : steps) {
    made["name"].push_back(step.name);
    made["type"].push_back(step.type);
    made["kind"].push_back(step.kind);
    made["time"].push_back(step.time.count());
    made["alive"].push_back(step.alive ? json(*step.alive) : json());
    made["reads"].push_back(step.reads);
    made["level"].push_back(step.level);
    made["on_chain"].push_back(step.on_chain);
    made["block"].push_back(step.block ? json(*step.block) : json());
  }
  return made;
}

json json_of(const ReportBlock& block) {
  return {{"name", block.name},
          {"parent", block.parent ? json(*block.parent) : json()},
          {"steps", block.steps},
          {"time", block.time.count()}};
}

json json_of(const ReportResult& result, std::string& columns) {
  json made{{"name", result.name},       {"headline", result.headline},
            {"lede", result.lede},       {"origin", json::array()},
            {"facts", json::array()},    {"bars", json::array()},
            {"runs_us", json::array()},  {"run_marks", json::array()},
            {"missing", result.missing}, {"tables", json::array()},
            {"what_ifs", json::array()}, {"what_if_command", result.what_if.command},
            {"titles", json::object()},  {"roofs", json::array()},
            {"points", json::array()},   {"steps", json_of(result.steps)},
            {"blocks", json::array()}};
  for (const auto& entry : result.origin) made["origin"].push_back({{"label", entry.label}, {"value", entry.value}});
  for (const auto& [column, value] : result.facts)
    made["facts"].push_back(
        {{"label", column.title}, {"key", column.name}, {"meaning", column.meaning}, {"value", json_of(value)}});
  for (const auto& bar : result.bars) made["bars"].push_back(json_of(bar));
  for (const Duration run : result.runs) made["runs_us"].push_back(run.count());
  for (const auto& [label, time] : result.run_marks)
    made["run_marks"].push_back({{"label", label}, {"value", time.count()}});
  for (const auto& table : result.tables) made["tables"].push_back(json_of(table));
  for (const auto& roof : result.roofs)
    made["roofs"].push_back({{"label", roof.label}, {"is_memory", roof.is_memory}, {"giga_per_s", roof.giga_per_s}});
  for (const auto& block : result.blocks) made["blocks"].push_back(json_of(block));
  for (const auto& point : result.points) made["points"].push_back(json_of(point));
  for (const auto& one : result.what_if.groups) made["what_ifs"].push_back(json_of(one));
  for (const auto& [view, sentence] : result.titles) made["titles"][view] = sentence;
  if (result.board) made["board"] = json_of(*result.board);
  if (result.timeline) made["timeline"] = timeline_json(*result.timeline, columns);
  return made;
}

/// For the title, which is markup: the only text of a result that is not packed.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '<')
      safe += "&lt;";
    else if (letter == '&')
      safe += "&amp;";
    else if (letter != '\0')
      safe += letter;
  }
  return safe;
}

void put(std::string& page, std::string_view place, const std::string& text) {
  const auto at = page.find(place);
  TAKT_CHECK(at != page.npos);
  page.replace(at, place.size(), text);
}

}  // namespace

std::string page_data(const std::vector<ReportResult>& results, const std::string& command) {
  json page{{"command", command}, {"takt_version", version}, {"results", json::array()}};
  std::string columns;
  for (const auto& result : results) page["results"].push_back(json_of(result, columns));
  std::string data = page.dump(-1, ' ', false, json::error_handler_t::replace);
  if (!columns.empty()) data += '\0' + columns;  // JSON has no such letter
  return data;
}

std::string page_html(const std::vector<ReportResult>& results, const std::string& command) {
  std::string page(page_template());
  put(page, "@DATA@", packed(page_data(results, command)));  // first: a title may be "@DATA@"
  put(page, "@TITLE@", escaped(results.front().headline));
  return page;
}

}  // namespace takt
