#include "trace/read/reader.h"

#include "trace/chrome/reader.h"
#include "trace/events/recorder_faults.h"
#include "trace/perfetto/packets.h"
#include "trace/perfetto/reader.h"
#include "trace/recorder/recording_file.h"

namespace takt {
namespace {

/// Also of a program that is still running, or was killed.
TraceRead trace_of(const Recording& recording) {
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
  if (is_recording(path)) return trace_of(read_recording(path));
  return read_trace(open_source(path), path.string(), settings);
}

TraceRead read_trace(std::unique_ptr<ByteSource> source, const std::string& name, const TraceReadSettings& settings) {
  constexpr std::size_t enough = 4096;
  const std::string front = look_ahead(source, enough);
  if (front.starts_with(recording_family())) return trace_of(parse_recording(read_rest(*source), name));
  if (perfetto::looks_like_packets(front)) return read_perfetto_trace(*source, name, settings);
  return read_chrome_trace(*source, name, settings);
}

TraceRead parse_trace(std::string_view bytes, const std::string& name, const TraceReadSettings& settings) {
  return read_trace(text_source(bytes), name, settings);
}

}  // namespace takt
