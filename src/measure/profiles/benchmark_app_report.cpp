// Reports of OpenVINO's benchmark_app with performance counters. Both its C++ and its Python program are read: they
// differ in separators, in a column or a prefix more, and in whether numbers of the JSON are text.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/profiles/foreign_profile.h"

namespace takt {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view detailed_word = "OpenVINO benchmark_app detailed report";
constexpr std::string_view average_word = "OpenVINO benchmark_app average report";
constexpr std::string_view sorted_word = "OpenVINO benchmark_app sorted report";
constexpr const char* no_counters =
    "is benchmark_app's summary, which has no operators; give its benchmark_detailed_counters_report or run it with "
    "-report_type detailed_counters";

struct Layer {
  std::string name, status, type, kernel;
  Duration real{}, cpu{};
};

/// Joins layers of several requests by name (and by how often the name came before within the request).
class Report {
 public:
  explicit Report(std::string origin) : origin_(std::move(origin)) {}

  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorKind::bad_input, origin_ + ": " + what); }

  void start_request() {
    ++requests_;
    seen_.clear();
  }

  void add(Layer layer) {
    const std::string key = fmt::format("{}\n{}", layer.name, seen_[layer.name]++);
    const auto [place, added] = places_.try_emplace(key, layers_.size());
    if (added) layers_.push_back({layer, {}, {}, false});
    Samples& samples = layers_[place->second];
    samples.executed = samples.executed || layer.status.ends_with("EXECUTED");
    // A request that lacks a layer others have did not execute it.
    samples.real.resize(requests_ - 1);
    samples.cpu.resize(requests_ - 1);
    samples.real.push_back(layer.real);
    samples.cpu.push_back(layer.cpu);
  }

  ForeignProfile finish(std::string_view kind, bool averaged) {
    if (layers_.empty()) refuse("is a benchmark_app report without any operator");
    ForeignProfile profile;
    profile.kind = kind, profile.run_word = "infer request", profile.runs = requests_, profile.averaged = averaged;
    std::size_t idle = 0;
    for (Samples& samples : layers_) {
      ForeignOperator& op = profile.operators.emplace_back();
      op.name = std::move(samples.layer.name), op.type = std::move(samples.layer.type);
      op.kernel = std::move(samples.layer.kernel);
      if (!samples.executed) {
        ++idle;
        continue;  // fused into another, or optimised away: no time, rather than none at all
      }
      samples.real.resize(requests_);
      samples.cpu.resize(requests_);
      op.device = std::move(samples.real), op.host = std::move(samples.cpu);
    }
    if (idle > 0)
      profile.notes.push_back(fmt::format("Operators that did not execute, being fused or optimised away: {} of {}.",
                                          idle, profile.operators.size()));
    if (!averaged) profile.notes.push_back("The counters of an infer request are those of its last inference.");
    return profile;
  }

 private:
  struct Samples {
    Layer layer;
    std::vector<Duration> real, cpu;
    bool executed;
  };

  std::string origin_;
  std::size_t requests_ = 0;
  std::vector<Samples> layers_;
  std::unordered_map<std::string, std::size_t> places_, seen_;
};

Duration milliseconds(const Report& report, std::string_view text, std::string_view layer) {
  const std::string_view word = trim(text);
  const auto value = number_in<double>(word);
  if (!value || !(*value >= 0 && *value <= 1e12))
    report.refuse(fmt::format("the time of operator '{}' is '{}', which is not a number of milliseconds",
                              printable(layer), printable(word)));
  return Duration(*value * 1000);
}

/// One record of CSV text (RFC 4180, any separator), which may span lines inside quotes; advances `text`.
std::vector<std::string> next_record(std::string_view& text, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"')
        fields.back() += c;
      else if (at + 1 < text.size() && text[at + 1] == '"')
        fields.back() += text[++at];
      else
        quoted = false;
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == separator) {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return fields;
}

/// Places of the columns in a record.
struct CsvColumns {
  static constexpr std::size_t missing = static_cast<std::size_t>(-1);
  std::size_t name = missing, status = missing, type = missing, kernel = missing, real = missing, cpu = missing;
  bool is_sorted = false;
};

CsvColumns columns_of(const std::vector<std::string>& header) {
  CsvColumns columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string_view title = trim(header[i]);
    if (title == "layerName") columns.name = i;
    if (title == "execStatus") columns.status = i;
    if (title == "layerType") columns.type = i;
    if (title == "execType") columns.kernel = i;
    if (title.starts_with("realTime")) columns.real = i;
    if (title.starts_with("cpuTime")) columns.cpu = i;
    if (title.starts_with("proportion")) columns.is_sorted = true;
  }
  return columns;
}

std::string field(const std::vector<std::string>& record, std::size_t at) {
  return at < record.size() ? record[at] : std::string();
}

std::string member(dom::object object, std::string_view key) {
  dom::element value;
  if (object[key].get(value) != simdjson::SUCCESS) return "";
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  double number = 0;
  return value.get(number) == simdjson::SUCCESS ? fmt::format("{}", number) : "";
}

void add_request(Report& report, dom::element request) {
  dom::object object;
  dom::array nodes;
  if (request.get(object) != simdjson::SUCCESS || object["nodes"].get(nodes) != simdjson::SUCCESS)
    report.refuse("is a benchmark_app report, but an infer request has no list of nodes");
  report.start_request();
  for (const dom::element entry : nodes) {
    dom::object node;
    if (entry.get(node) != simdjson::SUCCESS) report.refuse("has a node that is not a JSON object");
    const std::string name = member(node, "name");
    const std::string cpu = member(node, "cpu_time");
    Layer layer{name, member(node, "status"), member(node, "node_type"), member(node, "exec_type"), {}, {}};
    layer.real = milliseconds(report, member(node, "real_time"), name);
    layer.cpu = cpu.empty() ? layer.real : milliseconds(report, cpu, name);
    report.add(std::move(layer));
  }
}

}  // namespace

ForeignProfile parse_benchmark_app_csv(std::string_view text, const std::string& origin) {
  Report report(origin);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.find("layerName") == std::string_view::npos) report.refuse(no_counters);
  const char separator = first.find(';') != std::string_view::npos ? ';' : ',';
  CsvColumns columns;
  std::size_t requests = 0;
  while (!text.empty()) {
    const auto record = next_record(text, separator);
    if (record.size() < 2) continue;  // blank lines, and the totals of the sorted report
    if (trim(record[0]) == "layerName") {
      columns = columns_of(record);
      if (columns.real == CsvColumns::missing || columns.status == CsvColumns::missing)
        report.refuse("is a benchmark_app report without its realTime column");
      report.start_request();
      ++requests;
      continue;
    }
    if (columns.real == CsvColumns::missing) report.refuse("is a benchmark_app report without its heading");
    const std::string name = field(record, columns.name);
    if (name == "Total" && field(record, columns.status).empty()) continue;
    const std::string cpu = field(record, columns.cpu);
    if (record.size() <= columns.real)
      report.refuse(fmt::format("ends in the middle of operator '{}': the file is truncated", printable(name)));
    Layer layer{name, field(record, columns.status), field(record, columns.type), field(record, columns.kernel), {},
                {}};
    layer.real = milliseconds(report, field(record, columns.real), name);
    layer.cpu = trim(cpu).empty() ? layer.real : milliseconds(report, cpu, name);
    report.add(std::move(layer));
  }
  // Only the file's name tells an average from one request's counters; several requests are never averages.
  const bool averaged = requests == 1 && origin.find("average") != std::string::npos;
  return report.finish(columns.is_sorted ? sorted_word : averaged ? average_word : detailed_word, averaged);
}

ForeignProfile parse_benchmark_app_json(const PaddedText& padded, const std::string& origin) {
  Report report(origin);
  dom::parser parser;
  dom::element document;
  dom::object object;
  const std::string_view text = padded.text();
  if (const auto error = parser.parse(text.data(), text.size(), false).get(document); error != simdjson::SUCCESS)
    report.refuse(fmt::format("is not well-formed JSON; is the file complete? ({})", simdjson::error_message(error)));
  if (document.get(object) != simdjson::SUCCESS) report.refuse("is JSON, but not a benchmark_app report");
  dom::element average;
  dom::array requests;
  if (object["detailed_performance"].get(requests) == simdjson::SUCCESS) {
    for (const dom::element request : requests) add_request(report, request);
    return report.finish(detailed_word, false);
  }
  if (object["avg_performance"].get(average) != simdjson::SUCCESS) report.refuse(no_counters);
  add_request(report, average);
  const bool is_sorted = member(object, "report_type") == "sorted";
  ForeignProfile profile = report.finish(is_sorted ? sorted_word : average_word, !is_sorted);
  if (!is_sorted && profile.operators.size() == 1)
    profile.notes.push_back(
        "It has one operator only; benchmark_app's Python program writes no more into an average JSON report, so use "
        "CSV or -report_type detailed_counters.");
  return profile;
}

}  // namespace takt
