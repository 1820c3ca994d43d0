// Traces of anyone in Perfetto's protobuf, also compressed, as `takt trace` reads them: what takt writes of them, in
// either format, is read back with as many events.
#include <cstdlib>

#include "refused.h"
#include "trace/perfetto/reader.h"
#include "trace/read/reader.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    takt::TraceReadSettings settings;
    settings.threads = 1;
    settings.window_bytes = 1 << 16;
    const takt::TraceRead read = takt::parse_perfetto_trace(takt::text_of(bytes, size), "fuzz", settings);
    if (size % 4 != 0) return;  // writing takes most of the time
    const std::size_t count = read.trace.events().size();
    const takt::TraceRead again = takt::parse_perfetto_trace(takt::to_perfetto(read.trace), "again", settings);
    if (again.trace.events().size() != count) std::abort();
    const takt::TraceRead as_json = takt::parse_trace(takt::to_chrome_json(read.trace), "json", settings);
    if (as_json.trace.events().size() != count) std::abort();
  });
  return 0;
}
