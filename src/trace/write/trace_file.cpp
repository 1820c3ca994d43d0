#include "trace/write/trace_file.h"

#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"
#include "trace/write/trace_output.h"

namespace takt {
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
