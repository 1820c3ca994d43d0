#include "pipeline/record/recorded_run.h"

#include <fmt/format.h>

#include <utility>

#include "base/basics/text.h"
#include "pipeline/record/run_journal.h"
#include "pipeline/record/stage_events.h"
#include "trace/read/reader.h"

namespace takt {
namespace {

std::string batches_of(std::int64_t count) { return fmt::format("{} batch{}", count, count == 1 ? "" : "es"); }

RecordedRun from_journal(JournalledRun read, const std::filesystem::path& file) {
  RecordedRun recorded;
  recorded.run = std::move(read.run);
  const std::string name = printable(file.string());
  if (read.damaged)
    recorded.notes.push_back(
        fmt::format("{}: the file is damaged and batches are lost; results are for its longest intact sequence, {} "
                    "from number {} on, and {} excluded",
                    name, batches_of(static_cast<std::int64_t>(recorded.run.schedule.batches.size())), read.first,
                    batches_of(read.left_out) + (read.left_out == 1 ? " is" : " are")));
  if (!read.ended)
    recorded.notes.push_back(fmt::format("{}: the run was killed or is still running; the file has {}", name,
                                         batches_of(static_cast<std::int64_t>(recorded.run.schedule.batches.size()))));
  if (read.left_out > 0 && !read.damaged)
    recorded.notes.push_back(fmt::format("{}: {} excluded: an earlier batch was not delivered", name,
                                         batches_of(read.left_out) + (read.left_out == 1 ? " is" : " are")));
  return recorded;
}

/// The run of a journal; nullopt: it is none, and `read` gets the trace. What comes through a pipe is there only once.
std::optional<RecordedRun> journal_or_trace(const std::filesystem::path& file, const TraceReadSettings& settings,
                                            TraceRead& read) {
  if (is_run_journal(file)) return from_journal(read_run_journal(file), file);
  auto source = open_source(file);
  const std::string_view family = run_journal_family();
  if (look_ahead(source, family.size()) == family)
    return from_journal(parse_run_journal(read_rest(*source), file.string()), file);
  const bool is_file = source->rewind();
  read = is_file ? read_trace(file, settings) : read_trace(std::move(source), file.string(), settings);
  return std::nullopt;
}

}  // namespace

RecordedRun recorded_run_of(const TraceRead& read, const std::filesystem::path& file) {
  RecordedRun recorded;
  const std::string name = printable(file.string());
  for (const TraceFault& fault : read.faults)  // others change how a trace looks, these what it says of the time
    if (fault.rule == TraceRule::dropped_events || fault.rule == TraceRule::recording_cut)
      recorded.notes.push_back(
          fmt::format("{}: {} ({}): {}", name, name_of(fault.rule), fault.count, meaning_of(fault.rule)));
  StageEventsRun found = read_any_pipeline(read.trace, file.string());
  recorded.run = std::move(found.run);
  if (found.unfinished > 0)
    recorded.notes.push_back(fmt::format("{}: {} still inside when the trace ended, and excluded", name,
                                         batches_of(found.unfinished) + (found.unfinished == 1 ? " was" : " were")));
  return recorded;
}

RecordedRun read_recorded_run(const std::filesystem::path& file) {
  TraceRead read;
  if (auto recorded = journal_or_trace(file, {.only_slices = true}, read)) return std::move(*recorded);
  return recorded_run_of(read, file);
}

TraceRead read_trace_or_journal(const std::filesystem::path& file, const TraceReadSettings& settings,
                                std::vector<std::string>& notes) {
  TraceRead read;
  const auto recorded = journal_or_trace(file, settings, read);
  if (!recorded) return read;
  notes.insert(notes.end(), recorded->notes.begin(), recorded->notes.end());
  read.trace = to_trace(recorded->run);
  read.file_events = read.trace.events().size();
  return read;
}

}  // namespace takt
