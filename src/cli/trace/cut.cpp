#include <fmt/format.h>

#include <cmath>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/trace/trace.h"
#include "trace/cut/file_piece.h"
#include "trace/write/perfetto_writer.h"
#include "trace/write/trace_file.h"

namespace takt {
namespace {

struct TraceCutOptions {
  std::filesystem::path file, output;
  std::optional<std::string> steps, from, to, around, most;
  std::optional<std::int64_t> rank;
  TraceReadSettings settings;
  LogOptions log;
};

CommandLine declare(TraceCutOptions& o) {
  CommandLine line("trace cut",
                   "Writes an excerpt of a trace that is too large to open, with names, flow events and counters. "
                   "Spans that cross an edge are clipped to it; their arguments keep the original times. The trace is "
                   "read from start to end, and only the excerpt is kept in memory.",
                   "takt trace cut huge.json --steps 3-5 -o piece.json.gz", o.log);
  line.add({.names = "FILE",
            .meaning = "A trace in Chrome's JSON or Perfetto's protobuf, also compressed",
            .required = true},
           &o.file);
  line.add({.names = "-o,--output",
            .value = "FILE",
            .meaning = "The file to write; its name selects the format, as for 'takt trace convert'",
            .required = true,
            .makes = Makes::file},
           &o.output);
  line.add(
      {.names = "--steps", .value = "A-B", .meaning = "Training steps, by the numbers of their ProfilerStep markers"},
      &o.steps);
  line.add({.names = "--around",
            .value = "WHAT",
            .meaning = "slowest: the slowest training step, the one before it and the one after it",
            .one_of = {"slowest"}},
           &o.around);
  line.add({.names = "--from",
            .value = "TIME",
            .meaning = "Start this long after the trace's first event, e.g. 2.5s",
            .fallback = "its first event"},
           &o.from);
  line.add({.names = "--to",
            .value = "TIME",
            .meaning = "End this long after the trace's first event",
            .fallback = "its last event"},
           &o.to);
  line.add({.names = "--rank", .value = "N", .meaning = "Only processes of this rank, of a merged trace"}, &o.rank);
  line.add({.names = "--max",
            .value = "SIZE",
            .meaning = "End earlier, after a whole step if one fits, so that the excerpt has at most this size before "
                       "compression; viewers in a browser can open about 400MB"},
           &o.most);
  add_reading_threads(line, o.settings);
  return line;
}

template <typename Parse>
auto parsed(const char* option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const Error& error) {
    throw UsageError(fmt::format("{} {}", option, error.what()));
  }
}

std::optional<Nanoseconds> time_of(const char* option, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const double nanoseconds = std::round(parsed(option, *text, parse_duration).count() * 1000);
  if (nanoseconds < 0 || nanoseconds > 4e18) {
    throw UsageError(fmt::format("{} '{}': give a time after the trace's first event", option, printable(*text)));
  }
  return Nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

PartWish wish_of(const TraceCutOptions& o) {
  PartWish wish;
  wish.from = time_of("--from", o.from);
  wish.to = time_of("--to", o.to);
  wish.around_slowest = o.around.has_value();
  wish.rank = o.rank;
  if (o.steps) wish.steps = parse_step_range(*o.steps);
  const int ways = (wish.from || wish.to ? 1 : 0) + (wish.steps ? 1 : 0) + (wish.around_slowest ? 1 : 0);
  if (ways > 1) throw UsageError("give one of --steps, --around and --from with --to");
  if (ways == 0 && !o.rank && !o.most) {
    throw UsageError(
        "no excerpt chosen; give --steps A-B, --around slowest, --from TIME --to TIME, --rank N or --max SIZE");
  }
  if (wish.to && wish.to->count() <= wish.from.value_or(Nanoseconds(0)).count()) {
    throw UsageError("--to must be later than --from");
  }
  return wish;
}

/// Metadata of the excerpt, in addition to its events.
std::string description_of(const TraceCutOptions& o, const PartChoice& choice) {
  return fmt::format("{{\"file\":{},\"steps\":{},\"from_ns\":{},\"to_ns\":{}}}", json_quote(o.file.filename().string()),
                     choice.name.empty() ? "null" : json_quote(choice.name), choice.part.span.start,
                     choice.part.span.end);
}

int run(TraceCutOptions& o, Arguments) {
  const PartWish wish = wish_of(o);
  std::optional<double> most;
  if (o.most) most = parsed("--max", *o.most, parse_bytes);
  FilePiece found = cut_file(o.file, wish, most, is_perfetto_name(o.output), o.settings);
  Trace& trace = found.piece.trace;
  trace.set_property("cut", description_of(o, found.choice));
  write_trace(trace, o.output);
  const TimeInterval span = found.choice.part.span;
  fmt::print("{}: {}{}, {} events, {} of them clipped{}\n", printable(o.output.string()),
             found.choice.name.empty() ? "" : found.choice.name + ", ",
             format_duration(Duration(Nanoseconds(span.end - span.start))), trace.events().size(), found.piece.clipped,
             found.was_shortened ? "; ends earlier, to fit --max" : "");
  return 0;
}

}  // namespace

constinit const Command trace_cut_command =
    command<TraceCutOptions, declare, run>("trace cut", "cut an excerpt from a trace that is too large to open");

}  // namespace takt
