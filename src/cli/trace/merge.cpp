#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/trace/trace.h"
#include "trace/read/merge.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

/// "rank1.json=-2.5ms"
std::pair<std::string, Nanoseconds> parse_offset(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0) {
    throw UsageError(fmt::format("--offset '{}': give FILE=DURATION, such as rank1.json=2.5ms", printable(text)));
  }
  std::string_view time = std::string_view(text).substr(equals + 1);
  const bool negative = time.starts_with('-');
  if (negative || time.starts_with('+')) time.remove_prefix(1);
  try {
    const double nanoseconds = std::round(parse_duration(time).count() * 1000);
    if (std::abs(nanoseconds) > 4e18) throw UsageError("--offset: more than a century");
    const auto whole = static_cast<std::int64_t>(nanoseconds);
    return {text.substr(0, equals), Nanoseconds(negative ? -whole : whole)};
  } catch (const Error& error) {
    throw UsageError(fmt::format("--offset '{}': {}", printable(text), error.what()));
  }
}

std::string label_of(const NamedTrace& named) {
  std::string label = named.read.host;
  if (named.read.rank) label += (label.empty() ? "" : " ") + fmt::format("rank {}", *named.read.rank);
  return label.empty() ? std::filesystem::path(named.file).filename().string() : label;
}

struct TraceMergeOptions {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> offsets;
  std::filesystem::path output;
  LogOptions log;
};

CommandLine declare(TraceMergeOptions& o) {
  CommandLine line("trace merge",
                   "Merges traces of several hosts or ranks on one time base, by their baseTimeNanoseconds; a trace "
                   "without it needs an --offset. Rows are named by host and rank, or by file if a trace has neither.",
                   "takt trace merge rank0.json.gz rank1.json.gz -o all.json.gz", o.log);
  line.add(
      {.names = "FILE", .meaning = "Traces in Chrome's JSON or Perfetto's protobuf, also compressed", .required = true},
      &o.files);
  line.add({.names = "-o,--output",
            .value = "FILE",
            .meaning = "The file to write; its name selects the format, as for 'takt trace convert'",
            .required = true,
            .makes = Makes::file},
           &o.output);
  line.add({.names = "--offset",
            .value = "FILE=DURATION",
            .meaning = "Add TIME to all times of FILE, e.g. rank1.json=2.5ms; repeat it for several",
            .names_a_file = true},
           &o.offsets);
  return line;
}

/// By file. Throws UsageError.
std::map<std::string, Nanoseconds> shifts_of(const TraceMergeOptions& o) {
  std::map<std::string, Nanoseconds> shifts;
  for (const auto& text : o.offsets) {
    auto [file, time] = parse_offset(text);
    if (std::find(o.files.begin(), o.files.end(), file) == o.files.end()) {
      throw UsageError(fmt::format("--offset '{}': '{}' is not one of the files", printable(text), printable(file)));
    }
    shifts[file] = time;
  }
  return shifts;
}

int run(TraceMergeOptions& o, Arguments) {
  const auto shifts = shifts_of(o);
  auto traces = read_traces(o.files, {});
  warn_of_faults(traces);
  std::vector<MergeInput> inputs;
  std::map<std::string, int> labels;
  for (const NamedTrace& named : traces) ++labels[label_of(named)];
  for (NamedTrace& named : traces) {
    std::string label = label_of(named);
    if (labels[label] > 1) label += " " + std::filesystem::path(named.file).filename().string();
    MergeInput& input = inputs.emplace_back();
    input.trace = std::move(named.read.trace);
    input.label = std::move(label);
    input.file = named.file;
    if (const auto shift = shifts.find(named.file); shift != shifts.end()) input.offset = shift->second;
  }
  write_trace(merge_traces(inputs), o.output);
  return 0;
}

}  // namespace

constinit const Command trace_merge_command =
    command<TraceMergeOptions, declare, run>("trace merge", "merge traces of several hosts or ranks on one time base");

}  // namespace takt
