#include "trace/write/csv_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/basics/text.h"
#include "base/table/csv.h"
#include "trace/events/text_buffer.h"
#include "trace/write/trace_output.h"
#include "trace/write/written_rows.h"

namespace takt {
namespace {

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

/// "PROCESS,PID," as every line about the process begins.
std::string process_fields(const TraceProcess& process) {
  return csv_cell(process.name) + "," + std::to_string(process.pid) + ",";
}

class CsvWriter {
 public:
  CsvWriter(const Trace& trace, TraceOutput& output)
      : trace_(trace), instants_(trace), text_([&output](std::string_view piece) { output.append(piece); }) {
    for (const TraceRow& row : trace.rows()) {
      rows_.push_back(process_fields(trace.processes()[static_cast<std::size_t>(row.process)]) + csv_cell(row.name) +
                      "," + std::to_string(row.tid) + ",");
    }
  }

  void write() {
    text_.add("process,pid,row,tid,name,category,start_ns,duration_ns,args,kind,value\n");
    for (std::uint32_t i = 0; i < trace_.events().size(); ++i) write_event(i);
    for (const TraceCounter& sample : trace_.counters()) write_counter(sample);
    text_.flush();
  }

 private:
  void write_event(std::uint32_t i) {
    const TraceEvent& event = trace_.events()[i];
    text_.add(rows_[static_cast<std::size_t>(event.row)]);
    text_.add(csv_cell(trace_.text(event.name)));
    text_.add(',');
    text_.add(csv_cell(trace_.text(event.category)));
    text_.add(',');
    text_.add_signed(event.start_ns);
    text_.add(',');
    text_.add_signed(event.duration_ns);
    text_.add(',');
    text_.add(csv_cell(args_text(trace_, event)));
    text_.add(instants_.of(i) ? ",instant,\n" : ",span,\n");
  }

  /// A counter belongs to a process, so it has no row; nor has a sample a duration.
  void write_counter(const TraceCounter& sample) {
    std::array<char, 40> digits;
    const auto value = std::to_chars(digits.data(), digits.data() + digits.size(), sample.value);
    text_.add(process_fields(trace_.processes()[static_cast<std::size_t>(sample.process)]));
    text_.add(",,");
    text_.add(csv_cell(trace_.text(sample.name)));
    text_.add(",,");
    text_.add_signed(sample.time_ns);
    text_.add(",,,counter,");
    text_.add({digits.data(), value.ptr});
    text_.add('\n');
  }

  const Trace& trace_;
  EventInstants instants_;
  TextBuffer text_;
  std::vector<std::string> rows_;
};

}  // namespace

void write_trace_csv(const Trace& trace, const std::filesystem::path& path) {
  TraceOutput output(path);
  CsvWriter(trace, output).write();
  output.commit();
}

}  // namespace takt
