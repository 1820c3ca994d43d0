#include "report/page/timeline_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
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
  for (const ReportCounter& counter : timeline.counters)
    for (const ReportSample& sample : counter.samples)
      if (unit != 1) unit = std::gcd(unit, sample.time_ns);
  return unit == 0 ? 1 : unit;
}

json row_json(const ReportRow& row) {
  json levels = json::array();
  for (const ReportLevel& level : row.levels) levels.push_back(level.size());
  return {{"process", row.process}, {"name", row.name}, {"is_device", row.is_device}, {"levels", levels}};
}

/// Differences may be negative: their sign is the lowest bit.
void put_difference(std::string& bytes, std::int64_t number) {
  put_number(bytes, (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63));
}

void put_flows(const ReportTimeline& timeline, json& made, std::string& bytes) {
  constexpr std::uint32_t nowhere = UINT32_MAX;
  std::vector<std::uint32_t> place;  // of an event among the page's spans
  std::uint32_t spans = 0;
  for_each_span(timeline, [&](const ReportSpan& span, std::uint64_t) {
    if (place.size() <= span.event) place.resize(std::size_t{span.event} + 1, nowhere);
    place[span.event] = spans++;
  });
  std::vector<ReportFlow> flows;
  for (const auto& [from, to] : timeline.flows)
    if (from < place.size() && to < place.size() && place[from] != nowhere && place[to] != nowhere)
      flows.push_back({place[from], place[to]});
  std::sort(flows.begin(), flows.end());
  made["flows"] = flows.size();
  made["columns"]["flows"] = bytes.size();
  ReportFlow last;
  for (const ReportFlow& flow : flows) {
    put_number(bytes, flow.from - last.from);
    put_difference(bytes, std::int64_t{flow.to} - std::int64_t{last.to});
    last = flow;
  }
}

/// Whole values as differences, others as they lie in memory: eight bytes, the lowest first.
json counter_json(const ReportCounter& counter, std::uint64_t unit, std::string& bytes) {
  constexpr double most = 1LL << 52;
  const auto is_whole = [](const ReportSample& sample) {
    return std::abs(sample.value) <= most && sample.value == std::floor(sample.value);
  };
  const bool all_whole = std::all_of(counter.samples.begin(), counter.samples.end(), is_whole);
  json made{{"process", counter.process},
            {"name", counter.name},
            {"samples", counter.samples.size()},
            {"is_whole", all_whole},
            {"column", bytes.size()}};
  std::uint64_t time = 0;
  std::int64_t value = 0;
  for (const ReportSample& sample : counter.samples) {
    put_number(bytes, (sample.time_ns - time) / unit);
    time = sample.time_ns;
    if (all_whole) {
      put_difference(bytes, static_cast<std::int64_t>(sample.value) - value);
      value = static_cast<std::int64_t>(sample.value);
    } else {
      const auto bits = std::bit_cast<std::uint64_t>(sample.value);
      for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 255);
    }
  }
  return made;
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
            {"rows", json::array()},
            {"ranks", json::array()}};
  for (const ReportKind& kind : timeline.kinds)
    made["kinds"].push_back({{"colour", kind.colour}, {"label", kind.label}});
  for (const ReportName& name : timeline.names) {
    made["names"].push_back(name.text);
    made["kind_of_name"].push_back(name.kind);
  }
  for (const auto& [file, begin_ns] : timeline.ranks) made["ranks"].push_back({{"file", file}, {"begin_ns", begin_ns}});
  for (const ReportRow& row : timeline.rows) made["rows"].push_back(row_json(row));
  const auto column = [&](const char* key, const auto& number_of) {
    made["columns"][key] = bytes.size();
    for_each_span(timeline,
                  [&](const ReportSpan& span, std::uint64_t end) { put_number(bytes, number_of(span, end)); });
  };
  column("steps", [&](const ReportSpan& span, std::uint64_t end) { return (span.start_ns - end) / unit; });
  column("durations", [&](const ReportSpan& span, std::uint64_t) { return span.duration_ns / unit; });
  column("names", [](const ReportSpan& span, std::uint64_t) -> std::uint64_t { return span.name; });
  put_flows(timeline, made, bytes);
  made["counters"] = json::array();
  for (const ReportCounter& counter : timeline.counters) made["counters"].push_back(counter_json(counter, unit, bytes));
  return made;
}

}  // namespace takt
