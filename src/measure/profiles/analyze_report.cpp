#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/profiles/analyze.h"
#include "measure/python_text/format.h"
#include "measure/python_text/regex.h"
#include "measure/python_text/tabulate.h"
#include "measure/python_text/text.h"

namespace takt {

namespace {

constexpr std::string_view missing = "N/A";
using Row = std::vector<TabulateCell>;

std::string wiki_table(const std::vector<Row>& rows, const std::vector<std::string>& headers) {
  std::string text = tabulate(rows, headers, TabulateStyle::orgtbl);
  const auto begin = text.find('\n'), end = std::min(text.find('\n', begin + 1), text.size());
  if (begin != std::string::npos)
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
                 '+', '|');
  return text;
}

std::string share(double part, const std::optional<Total>& total, Section section) {
  if (!total) return std::string(missing);
  // Without any device time there is no share; the peer gives up there, but prints "nan%" for the host.
  if (section == Section::device && total->time == 0) return std::string(missing);
  return python_fixed(part / total->time * 100, 1) + "%";
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i ? std::string(separator) : "") + parts[i];
  return text;
}

std::string shapes_text(const OperatorRecord& record, std::string_view PeerOperator::*member, bool with_layouts,
                        std::string_view separator) {
  if (!record.op) return "None";
  const std::string_view json = record.op->*member;
  if (!json.data()) return std::string(missing);
  const auto shapes = parse_shapes(json);
  if (!shapes) return trim(json) == "null" ? "None" : std::string(missing);
  const auto layouts = with_layouts ? parse_shapes(record.op->in_layouts) : std::nullopt;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < shapes->size() && (!layouts || i < layouts->size()); ++i) {
    const auto& shape = (*shapes)[i];
    std::string part = "{" + (shape ? joined(*shape, ",") : "") + "}";
    if (layouts && (*layouts)[i] && !(*layouts)[i]->empty()) part += "\n -[" + joined(*(*layouts)[i], ",") + "]";
    parts.push_back(std::move(part));
  }
  return joined(parts, separator);
}

struct Unit {
  double base;
  std::string_view plain, prefixed;
};

constexpr Unit operations{1000, "FLO", "FLO"}, operations_per_second{1000, "FLOPS", "FLOPS"};
constexpr Unit bytes{1024, "byte", "iB"}, bytes_per_second{1024, "byte/s", "iB/s"};

std::string amount(const std::optional<double>& number, const Unit& unit) {
  if (!number) return std::string(missing) + "\n" + std::string(unit.plain);
  static constexpr std::string_view prefixes[] = {"", "K", "M", "G", "T", "P", "E", "Z", "Y"};
  double value = *number;
  std::size_t prefix = 0;
  for (; std::isfinite(value) && value >= unit.base && prefix + 1 < std::size(prefixes); ++prefix) value /= unit.base;
  return python_fixed(value, 2) + "\n" + std::string(prefixes[prefix]) +
         std::string(prefix ? unit.prefixed : unit.plain);
}

std::optional<double> value_of(const std::optional<PeerNumber>& number) {
  return number ? std::optional(number->value) : std::nullopt;
}

std::string info_text(const OperatorRecord& record) {
  const auto wrapped = [](std::string_view text) { return joined(python_wrap(text, 30), "\n-  "); };
  if (record.op) return wrapped(record.name) + "\n" + wrapped(record.type) + "\n" + wrapped(record.id);
  return wrapped(record.type) + "\n" + std::to_string(record.count) + "\n" + std::string(record.id);
}

/// The peer gives every line of a cell a row of its own and takes the rules inside a record out afterwards; so blanks
/// are stripped line by line, and an empty first line stays.
std::string box_of_lines(const std::vector<Row>& records, const std::vector<std::string>& headers) {
  std::vector<Row> rows;
  std::vector<bool> starts_record;
  for (const Row& record : records) {
    std::size_t height = 0;
    std::vector<std::vector<std::string>> cells;
    for (const auto& cell : record) height = std::max(height, cells.emplace_back(split(cell.text, '\n')).size());
    for (std::size_t line = 0; line < height; ++line) {
      Row& row = rows.emplace_back();
      for (const auto& cell : cells) row.emplace_back(line < cell.size() ? cell[line] : std::string());
      starts_record.push_back(line == 0);
    }
  }
  constexpr std::size_t lines_of_header = 2;
  const auto lines = split(tabulate(rows, headers, TabulateStyle::fancy_grid), '\n');
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool above_row = i >= lines_of_header && i % 2 == 0 && (i - lines_of_header) / 2 < rows.size();
    if (above_row && !starts_record[(i - lines_of_header) / 2]) continue;
    text += (i ? "\n" : "") + lines[i];
  }
  return text;
}

std::string box_table(const std::vector<OperatorRecord>& records, Section section, const std::optional<Total>& total) {
  const std::vector<std::string> headers = {section == Section::device ? "device self time" : "host self time",
                                            "cumulative",
                                            "operator info",
                                            "computation",
                                            "FLOPS",
                                            "memory",
                                            "bandwidth",
                                            "in_shapes",
                                            "out_shapes"};
  std::vector<Row> rows;
  double sum = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const OperatorRecord& r = records[i];
    sum += r.time;
    rows.push_back({"#" + std::to_string(i) + "\n" + python_short(r.time) + "\n" + share(r.time, total, section),
                    python_short(sum) + "\n" + share(sum, total, section), info_text(r),
                    amount(value_of(r.computation), operations), amount(r.flops, operations_per_second),
                    amount(value_of(r.memory), bytes), amount(r.bandwidth, bytes_per_second),
                    shapes_text(r, &PeerOperator::in_shapes, true, "\n"),
                    shapes_text(r, &PeerOperator::out_shapes, false, "\n")});
  }
  return box_of_lines(rows, headers);
}

std::string bar(const std::optional<double>& value, const std::optional<double>& most) {
  if (!value || !most) return "";
  const double length = *value / *most * 15;
  if (!std::isfinite(length) || length < 1) return "";
  return std::string(static_cast<std::size_t>(std::min(length, 15.0)), '#');
}

std::string scaled(const std::optional<double>& value, double unit) {
  return value ? python_fixed(*value / unit, 1) : std::string(missing);
}

/// The largest known value as Python's max() finds it; nullopt: none is known.
template <typename Field>
std::optional<double> largest(const std::vector<OperatorRecord>& records, Field field) {
  std::optional<double> most;
  for (const auto& record : records) {
    const std::optional<double> value = field(record);
    if (value && (!most || *value > *most)) most = value;
  }
  return most;
}

std::vector<std::string> wiki_headers(bool combined) {
  std::vector<std::string> headers = {"#", "time", "ratio", "time bar", "cum-time", "cum-time ratio"};
  for (const char* info : {"opr name", "opr type", "opr count", "opr id"})
    if ((combined ? "opr name" : "opr count") != std::string_view(info)) headers.emplace_back(info);
  for (const char* rest : {"computation (MFLO)", "MFLOPS", "MFLOPS-bar", "memory (MB)", "bandwidth (MiB/s)",
                           "bandwidth bar", "in_shapes", "out_shapes"})
    headers.emplace_back(rest);
  return headers;
}

void add_info(Row& row, const OperatorRecord& record) {
  if (record.op) row.emplace_back(std::string(record.name));
  row.emplace_back(std::string(record.type));
  if (!record.op) row.push_back(TabulateCell::of_integer(static_cast<long long>(record.count)));
  row.emplace_back(std::string(record.id));
}

std::string wiki_details(const std::vector<OperatorRecord>& records, Section section, const std::optional<Total>& total,
                         bool combined) {
  constexpr double mega = 1000.0 * 1000.0, mebi = 1024.0 * 1024.0;
  const auto most_time = largest(records, [](const auto& r) { return std::optional(r.time); });
  const auto most_flops = largest(records, [](const auto& r) { return r.flops; });
  const auto most_bandwidth = largest(records, [](const auto& r) { return r.bandwidth; });
  std::vector<Row> rows;
  double sum = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const OperatorRecord& r = records[i];
    sum += r.time;
    const bool no_share = !total || (section == Section::device && total->time == 0);
    Row row = {TabulateCell::of_integer(static_cast<long long>(i)),
               python_short(r.time),
               share(r.time, total, section),
               bar(r.time, most_time),
               TabulateCell::of_real(sum),
               no_share ? TabulateCell(std::string(missing)) : TabulateCell::of_real(sum / total->time)};
    add_info(row, r);
    row.insert(row.end(), {scaled(value_of(r.computation), mega), scaled(r.flops, mega), bar(r.flops, most_flops),
                           scaled(value_of(r.memory), mebi), scaled(r.bandwidth, mebi),
                           bar(r.bandwidth, most_bandwidth), shapes_text(r, &PeerOperator::in_shapes, true, ", "),
                           shapes_text(r, &PeerOperator::out_shapes, false, ", ")});
    rows.push_back(std::move(row));
  }
  return wiki_table(rows, wiki_headers(combined));
}

std::string names_text(const std::vector<OperatorRecord>& records) {
  std::vector<std::string> lines;
  for (const auto& r : records) {
    const std::string first = r.op ? std::string(r.name) : std::string(r.type);
    const std::string second = r.op ? std::string(r.type) : std::to_string(r.count);
    lines.push_back(first + " " + second + " " + std::string(r.id));
  }
  return joined(lines, "\n");
}

TabulateCell total_cell(const std::optional<Total>& total) {
  if (!total) return std::string(missing);
  TabulateCell cell = TabulateCell::of_real(total->time);
  if (total->integral) cell.text = std::to_string(std::llround(total->time));
  return cell;
}

std::string copy_text(const std::vector<const PeerOperator*>& copies, bool until_kernel) {
  AnalyzeOptions unbounded;
  const auto records = time_records(copies, Section::device, until_kernel, unbounded);
  if (records.empty()) return std::string(missing);
  const double sum = aggregate_records(records, AnalyzeOptions::Aggregate::sum, false).front().time;
  const double mean = aggregate_records(records, AnalyzeOptions::Aggregate::mean, false).front().time;
  return "tot=" + python_fixed(sum, 4) + " avg=" + python_fixed(mean, 4);
}

std::string summary(const PeerProfile& profile, const AnalyzeOptions& options, const std::optional<Total>& device,
                    const std::optional<Total>& host) {
  std::vector<Row> rows = {{"total device time", total_cell(device)}, {"total host time", total_cell(host)}};
  if (options.copy_time) {
    auto copies = filter_operators(profile, options);
    std::erase_if(copies, [](const PeerOperator* op) { return op->type != "Copy"; });
    rows.push_back({"copy time", copy_text(copies, false)});
    rows.push_back({"copy wait time", copy_text(copies, true)});
  }
  return options.wiki ? wiki_table(rows, {"name", "value"}) : tabulate(rows, {}, TabulateStyle::simple);
}

std::string details(const PeerProfile& profile, const AnalyzeOptions& options, Section section,
                    const std::optional<Total>& total) {
  const auto records = select_records(profile, section, options);
  if (options.names_only) return names_text(records);
  const bool combined = options.aggregate != AnalyzeOptions::Aggregate::none;
  return options.wiki ? wiki_details(records, section, total, combined) : box_table(records, section, total);
}

}  // namespace

std::string analyze_report(const PeerProfile& profile, const AnalyzeOptions& options) {
  if (!options.name_pattern.empty()) Regex(translate_python_pattern(options.name_pattern));  // refuse it in any case
  const auto device = total_time(profile, Section::device), host = total_time(profile, Section::host);
  if (device && device->time == 0 && profile.mentions_opencl())
    throw Error(ErrorKind::bad_input, printable(options.file) +
                                          ": the total device time is 0, because OpenCL profiling was off; call "
                                          "mgb::CompNode::enable_opencl_profile(true) before profiling");
  using Part = AnalyzeOptions::Part;
  const std::string overview = summary(profile, options, device, host);
  if (options.part == Part::summary) return overview + "\n";
  if (options.part == Part::device) return details(profile, options, Section::device, device) + "\n";
  if (options.part == Part::host) return details(profile, options, Section::host, host) + "\n";
  std::string text = overview + "\n\n" + details(profile, options, Section::device, device) + "\n";
  if (options.show_host) text += "\n" + details(profile, options, Section::host, host) + "\n";
  return text;
}

}  // namespace takt
