#include "trace/trace_file.h"

#include "trace/chrome_writer.h"
#include "trace/perfetto_writer.h"
#include "trace/recorder_faults.h"
#include "trace/recording_file.h"
#include "trace/trace_output.h"

namespace takt {
namespace {

/// Also of a program that is still running, or was killed.
TraceRead read_recorded_trace(const std::filesystem::path& path) {
  const Recording recording = read_recording(path);
  TraceRead read;
  read.trace = to_trace(recording);
  read.file_events = recording.events;
  FaultList faults;
  add_recorder_faults(read.trace.provenance_json(), faults);
  if (recording.events == 0) faults.add(TraceRule::empty, 0, [] { return std::string("the file"); });
  read.faults = faults.list();
  return read;
}

}  // namespace

TraceRead read_trace(const std::filesystem::path& path, const TraceReadSettings& settings) {
  return is_recording(path) ? read_recorded_trace(path) : read_chrome_trace(path, settings);
}

void write_chrome_trace(const Trace& trace, const std::filesystem::path& path) {
  TraceOutput output(path);
  stream_chrome(trace, [&](std::string_view piece) { output.append(piece); });
  output.commit();
}

void write_perfetto(const Trace& trace, const std::filesystem::path& path) {
  TraceOutput output(path);
  stream_perfetto(trace, [&](std::string_view piece) { output.append(piece); });
  output.commit();
}

void write_trace(const Trace& trace, const std::filesystem::path& path) {
  if (is_perfetto_name(path))
    write_perfetto(trace, path);
  else
    write_chrome_trace(trace, path);
}

}  // namespace takt
