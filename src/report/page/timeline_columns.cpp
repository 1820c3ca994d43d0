#include "report/page/timeline_columns.h"

#include <nlohmann/json.hpp>
#include <numeric>

namespace takt {
namespace {

using nlohmann::json;

void put_number(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

/// Calls `visit` with every span and the end of the one before it in its level.
template <typename Visit>
void for_each_span(const ReportTimeline& timeline, const Visit& visit) {
  for (const ReportRow& row : timeline.rows)
    for (const ReportLevel& level : row.levels) {
      std::uint64_t end = 0;
      for (const ReportSpan& span : level) {
        visit(span, end);
        end = span.start_ns + span.duration_ns;
      }
    }
}

std::uint64_t unit_of(const ReportTimeline& timeline) {
  std::uint64_t unit = timeline.length_ns;
  for_each_span(timeline, [&](const ReportSpan& span, std::uint64_t) {
    if (unit != 1) unit = std::gcd(std::gcd(unit, span.start_ns), span.duration_ns);
  });
  return unit == 0 ? 1 : unit;
}

json row_json(const ReportRow& row) {
  json levels = json::array();
  for (const ReportLevel& level : row.levels) levels.push_back(level.size());
  return {{"process", row.process}, {"name", row.name}, {"is_device", row.is_device}, {"levels", levels}};
}

}  // namespace

std::uint64_t ReportTimeline::spans() const {
  std::uint64_t count = 0;
  for (const ReportRow& row : rows)
    for (const ReportLevel& level : row.levels) count += level.size();
  return count;
}

json timeline_json(const ReportTimeline& timeline, std::string& bytes) {
  const std::uint64_t unit = unit_of(timeline);
  json made{{"begin_ns", timeline.begin.count()},
            {"length_ns", timeline.length_ns},
            {"unit_ns", unit},
            {"left_out", timeline.left_out},
            {"note", timeline.note},
            {"kinds", json::array()},
            {"names", json::array()},
            {"kind_of_name", json::array()},
            {"rows", json::array()}};
  for (const ReportKind& kind : timeline.kinds)
    made["kinds"].push_back({{"colour", kind.colour}, {"label", kind.label}});
  for (const ReportName& name : timeline.names) {
    made["names"].push_back(name.text);
    made["kind_of_name"].push_back(name.kind);
  }
  for (const ReportRow& row : timeline.rows) made["rows"].push_back(row_json(row));
  const auto column = [&](const char* key, const auto& number_of) {
    made["columns"][key] = bytes.size();
    for_each_span(timeline,
                  [&](const ReportSpan& span, std::uint64_t end) { put_number(bytes, number_of(span, end)); });
  };
  column("steps", [&](const ReportSpan& span, std::uint64_t end) { return (span.start_ns - end) / unit; });
  column("durations", [&](const ReportSpan& span, std::uint64_t) { return span.duration_ns / unit; });
  column("names", [](const ReportSpan& span, std::uint64_t) -> std::uint64_t { return span.name; });
  return made;
}

}  // namespace takt
