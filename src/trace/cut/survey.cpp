#include "trace/cut/survey.h"

#include <algorithm>
#include <mutex>
#include <tuple>

#include "base/system/progress.h"
#include "trace/chrome/windows.h"
#include "trace/events/step_marks.h"
#include "trace/events/strings.h"

namespace takt {
namespace {

using chrome::EventParser;
using chrome::Id;
using chrome::Mark;
using chrome::Naming;
using chrome::RowKey;
using chrome::Window;

void include(std::optional<TimeInterval>& span, std::int64_t start, std::int64_t end) {
  if (!span) span = TimeInterval{start, end};
  span->start = std::min(span->start, start);
  span->end = std::max(span->end, end);
}

std::int64_t end_of(const TraceEvent& event) { return event.start_ns + std::max<std::int64_t>(event.duration_ns, 0); }

bool is_begin_or_end(char phase) { return phase == 'B' || phase == 'E' || phase == 'b' || phase == 'e'; }

/// The times that the begins and ends of one row have in a window.
struct MarkSpan {
  std::uint64_t offset = 0;
  TimeInterval span;
};

/// What one window has, found without the lock.
struct WindowFinding {
  SurveyedWindow window;
  std::vector<SurveyedStep> steps;
  std::map<std::int64_t, std::string> process_names;
  std::vector<std::pair<std::uint32_t, TimeInterval>> mark_rows;
  std::vector<double> bytes;  // by parts of the window's span
};

std::int64_t number_of(const Id& id) { return id.is_text ? 0 : id.value; }

void find_steps(const EventParser& parser, const Window& window, std::vector<SurveyedStep>& steps) {
  // An event that a begin opened has no end here; marks of steps are complete events.
  const auto text = [&](StringId id) { return parser.texts().text(static_cast<std::uint32_t>(id)); };
  for (const TraceEvent& event : window.slices) {
    const std::string_view category = text(event.category);
    const auto number = step_number(text(event.name), category, TraceArgs(window.args, event.args), text);
    if (!number || event.duration_ns <= 0) continue;
    const RowKey& row = parser.rows()[static_cast<std::size_t>(event.row)].key;
    steps.push_back({*number, {event.start_ns, end_of(event)}, is_device_mark(category), number_of(row.process)});
  }
}

void find_marks(const Window& window, WindowFinding& found) {
  std::map<std::uint32_t, TimeInterval> rows;
  for (const Mark& mark : window.marks) {
    include(found.window.span, mark.time, mark.time);
    if (!is_begin_or_end(mark.phase)) continue;
    found.window.is_needed = true;
    const auto [row, is_new] = rows.try_emplace(mark.row, TimeInterval{mark.time, mark.time});
    row->second.start = std::min(row->second.start, mark.time);
    row->second.end = std::max(row->second.end, mark.time);
  }
  found.mark_rows.assign(rows.begin(), rows.end());
}

/// Each event counts for as many bytes as the others of its window.
void spread_bytes(const Window& window, WindowFinding& found) {
  constexpr std::size_t parts = 64;
  if (!found.window.span) return;
  const TimeInterval span = *found.window.span;
  const auto length = static_cast<double>(span.end - span.start) + 1;
  const std::size_t count = window.slices.size() + window.counters.size();
  const double each = static_cast<double>(window.consumed) / static_cast<double>(std::max<std::size_t>(count, 1));
  found.bytes.resize(parts);
  const auto add = [&](std::int64_t time) {
    const double place = static_cast<double>(time - span.start) / length * parts;
    found.bytes[std::min(parts - 1, static_cast<std::size_t>(place))] += each;
  };
  for (const TraceEvent& event : window.slices) add(event.start_ns);
  for (const auto& sample : window.counters) add(sample.time);
}

WindowFinding look_at(const EventParser& parser, const Window& window) {
  WindowFinding found;
  found.window.begin = window.offset;
  found.window.end = window.offset + window.consumed;
  for (const TraceEvent& event : window.slices) include(found.window.span, event.start_ns, end_of(event));
  for (const auto& sample : window.counters) include(found.window.span, sample.time, sample.time);
  find_marks(window, found);
  find_steps(parser, window, found.steps);
  found.window.is_needed = found.window.is_needed || !window.namings.empty();
  for (const Naming& naming : window.namings) {
    if (naming.what != Naming::What::process_name || naming.process.is_text) continue;
    found.process_names[naming.process.value] = parser.texts().text(naming.text);
  }
  spread_bytes(window, found);
  return found;
}

class Surveyor : public chrome::WindowVisitor {
 public:
  explicit Surveyor(const ByteSource& source) : source_(source) {}

  bool visit(const EventParser& parser, Window& window) override {
    WindowFinding found = look_at(parser, window);
    const std::lock_guard lock(mutex_);
    for (const auto& [row, span] : found.mark_rows) {
      mark_rows_[key_of(parser, parser.rows()[row].key)].push_back({window.offset, span});
    }
    take(std::move(found));
    progress_.update(window.offset + window.consumed, window.file_bytes.value_or(0));
    return false;
  }

  void restart() override {
    survey_ = {};
    mark_rows_.clear();
    texts_ = {};
  }

  TraceSurvey finish() {
    std::sort(survey_.windows.begin(), survey_.windows.end(),
              [](const SurveyedWindow& a, const SurveyedWindow& b) { return a.begin < b.begin; });
    std::sort(survey_.steps.begin(), survey_.steps.end(), [](const SurveyedStep& a, const SurveyedStep& b) {
      return std::tie(a.span.start, a.number, a.on_device, a.pid) <
             std::tie(b.span.start, b.number, b.on_device, b.pid);
    });
    for (auto& [row, spans] : mark_rows_) {
      std::sort(spans.begin(), spans.end(), [](const MarkSpan& a, const MarkSpan& b) { return a.offset < b.offset; });
      for (std::size_t i = 1; i < spans.size(); ++i) {
        if (spans[i].span.start < spans[i - 1].span.end) survey_.marks_in_order = false;
      }
    }
    return std::move(survey_);
  }

 private:
  /// Threads number texts as they like, so those of a row are numbered anew.
  Id shared(const EventParser& parser, const Id& id) {
    if (!id.is_text) return id;
    return {static_cast<std::int64_t>(texts_.intern(parser.texts().text(static_cast<std::uint32_t>(id.value)))), true};
  }
  RowKey key_of(const EventParser& parser, const RowKey& key) {
    return {shared(parser, key.process), shared(parser, key.thread), key.kind};
  }

  void take(WindowFinding found) {
    if (const auto& span = found.window.span) {
      include(survey_.span, span->start, span->end);
      survey_.last_moment = std::max(survey_.last_moment, span->end);
      const auto length = static_cast<double>(span->end - span->start) + 1;
      for (std::size_t i = 0; i < found.bytes.size(); ++i) {
        if (found.bytes[i] == 0) continue;
        const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(found.bytes.size()) * length;
        survey_.bytes.add(span->start + static_cast<std::int64_t>(middle), found.bytes[i]);
      }
    }
    survey_.windows.push_back(found.window);
    survey_.steps.insert(survey_.steps.end(), found.steps.begin(), found.steps.end());
    for (auto& [pid, name] : found.process_names) survey_.process_names[pid] = std::move(name);
  }

  const ByteSource& source_;
  std::mutex mutex_;
  TraceSurvey survey_;
  std::map<RowKey, std::vector<MarkSpan>> mark_rows_;
  StringTable texts_;
  Progress progress_{"scanning the trace"};
};

}  // namespace

TraceSurvey survey_chrome_trace(ByteSource& source, const std::string& name, const TraceReadSettings& settings) {
  Surveyor surveyor(source);
  const TraceRead read = chrome::read_windows(source, name, settings, surveyor);
  TraceSurvey survey = surveyor.finish();
  survey.rank = read.rank;
  return survey;
}

TraceSurvey survey_of(const Trace& trace) {
  TraceSurvey survey;
  const auto text = [&](StringId id) -> std::string_view { return trace.text(id); };
  for (const TraceProcess& process : trace.processes()) survey.process_names[process.pid] = process.name;
  for (const TraceEvent& event : trace.events()) {
    include(survey.span, event.start_ns, end_of(event));
    const auto number = step_number(text(event.name), text(event.category), trace.args(event), text);
    if (!number || event.duration_ns <= 0) continue;
    const TraceRow& row = trace.rows()[static_cast<std::size_t>(event.row)];
    const std::int64_t pid = trace.processes()[static_cast<std::size_t>(row.process)].pid;
    survey.steps.push_back({*number, {event.start_ns, end_of(event)}, is_device_mark(trace.text(event.category)), pid});
  }
  for (const TraceCounter& sample : trace.counters()) include(survey.span, sample.time_ns, sample.time_ns);
  if (survey.span) survey.last_moment = std::max<std::int64_t>(survey.span->end, 0);
  std::sort(survey.steps.begin(), survey.steps.end(),
            [](const SurveyedStep& a, const SurveyedStep& b) { return a.span.start < b.span.start; });
  return survey;
}

}  // namespace takt
