#include "trace/trace_reader.h"

#include "trace/chrome_reader.h"
#include "trace/perfetto_packets.h"
#include "trace/perfetto_reader.h"

namespace takt {
namespace {

TraceRead read_any(std::unique_ptr<ByteSource> source, const std::string& name, const TraceReadSettings& settings) {
  constexpr std::size_t enough = 4096;
  const std::string front = look_ahead(source, enough);
  if (perfetto::looks_like_packets(front)) return read_perfetto_trace(*source, name, settings);
  return read_chrome_trace(*source, name, settings);
}

}  // namespace

TraceRead read_trace(const std::filesystem::path& path, const TraceReadSettings& settings) {
  return read_any(open_source(path), path.string(), settings);
}

TraceRead parse_trace(std::string_view bytes, const std::string& name, const TraceReadSettings& settings) {
  return read_any(text_source(bytes), name, settings);
}

}  // namespace takt
