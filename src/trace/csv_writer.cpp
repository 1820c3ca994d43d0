#include "trace/csv_writer.h"

#include <charconv>
#include <cmath>

#include "core/text.h"
#include "trace/text_buffer.h"
#include "trace/trace_output.h"

namespace takt {
namespace {

/// RFC 4180: quoted where it holds a separator, a quote or a line end.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string value_text(const Trace& trace, const TraceArg& arg) {
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) return std::to_string(*integer);
  if (const auto* json = std::get_if<TraceJson>(&arg.value)) return trace.text(json->text);
  if (const auto* text = std::get_if<StringId>(&arg.value)) return json_quote(trace.text(*text));
  const double number = std::get<double>(arg.value);
  char digits[40];
  if (!std::isfinite(number)) return "null";
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

std::string args_text(const Trace& trace, const TraceEvent& event) {
  std::string object;
  for (const TraceArg arg : trace.args(event)) {
    object += (object.empty() ? "{" : ",") + json_quote(trace.text(arg.key)) + ":" + value_text(trace, arg);
  }
  return object.empty() ? "" : object + "}";
}

}  // namespace

void write_trace_csv(const Trace& trace, const std::filesystem::path& path) {
  TraceOutput output(path);
  TextBuffer text([&](std::string_view piece) { output.append(piece); });
  text.add("process,pid,row,tid,name,category,start_ns,duration_ns,args\n");
  std::vector<std::string> rows;
  for (const TraceRow& row : trace.rows()) {
    const TraceProcess& process = trace.processes()[static_cast<std::size_t>(row.process)];
    rows.push_back(csv_field(process.name) + "," + std::to_string(process.pid) + "," + csv_field(row.name) + "," +
                   std::to_string(row.tid) + ",");
  }
  for (const TraceEvent& event : trace.events()) {
    text.add(rows[static_cast<std::size_t>(event.row)]);
    text.add(csv_field(trace.text(event.name)));
    text.add(',');
    text.add(csv_field(trace.text(event.category)));
    text.add(',');
    text.add_signed(event.start_ns);
    text.add(',');
    text.add_signed(event.duration_ns);
    text.add(',');
    text.add(csv_field(args_text(trace, event)));
    text.add('\n');
  }
  text.flush();
  output.commit();
}

}  // namespace takt
