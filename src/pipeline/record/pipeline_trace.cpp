#include <limits>

#include "pipeline/record/pipeline_run.h"
#include "pipeline/record/pipeline_trace_file.h"
#include "pipeline/record/run_check.h"
#include "pipeline/record/run_counters.h"
#include "pipeline/record/trace_maker.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/trace_output.h"
#include "trace/write/written_rows.h"

namespace takt {
namespace {

void check_run(const PipelineRun& run) { check(run, run.name.empty() ? "pipeline run" : run.name); }

TimeBounds bounds_of(const PipelineRun& run, const std::vector<RunCounter>& counters) {
  TimeBounds bounds;
  for (const ExecutionRecord& record : run.schedule.executions)
    bounds.include_event(record.start.count(), (record.end - record.start).count());
  for (const CopySpan& copy : run.copies) bounds.include_event(copy.start.count(), (copy.end - copy.start).count());
  each_step(counters, [&](std::size_t, std::int64_t time, std::int64_t) { bounds.include(time); });
  return bounds;
}

void write_counter_pieces(const std::vector<RunCounter>& counters, std::size_t at_once, TraceMaker& maker,
                          ChromePieces& pieces) {
  Trace& trace = maker.trace();
  each_step(counters, [&](std::size_t counter, std::int64_t time, std::int64_t count) {
    trace.add_counter(maker.process(), counters[counter].name, Nanoseconds(time), static_cast<double>(count));
    if (trace.counters().size() < at_once) return;
    pieces.write_counters();
    trace.clear_events();
  });
  pieces.write_counters();
}

}  // namespace

Trace to_trace(const PipelineRun& run) {
  check_run(run);
  TraceMaker maker(run);
  maker.add_events(std::numeric_limits<std::size_t>::max());
  for (const RunCounter& counter : counters_of(run))
    for (CounterSteps steps(counter); !steps.done(); steps.step())
      maker.trace().add_counter(maker.process(), counter.name, Nanoseconds(steps.time()),
                                static_cast<double>(steps.count()));
  return std::move(maker.trace());
}

void stream_pipeline_trace(const PipelineRun& run, const std::function<void(std::string_view)>& sink,
                           std::size_t events_at_once) {
  check_run(run);
  const auto counters = counters_of(run);
  const std::int64_t shift = bounds_of(run, counters).shift();
  TraceMaker maker(run);
  ChromePieces pieces(maker.trace(), shift, maker.one_arrow_each(), sink);
  while (maker.add_events(events_at_once)) {
    pieces.write_events();
    maker.trace().clear_events();
  }
  write_counter_pieces(counters, events_at_once, maker, pieces);
  pieces.end();
}

void write_pipeline_trace(const PipelineRun& run, const std::filesystem::path& path) {
  TraceOutput output(path);
  stream_pipeline_trace(run, [&](std::string_view piece) { output.append(piece); });
  output.commit();
}

}  // namespace takt
