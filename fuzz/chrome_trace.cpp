// Traces of anyone in Chrome's JSON, also compressed, as `takt trace` reads them: the same whatever the windows in
// which they are read, and what takt writes of them is read back with as many events.
#include <cstdlib>

#include "refused.h"
#include "trace/chrome/reader.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const std::string_view text = takt::text_of(bytes, size);
    takt::TraceReadSettings at_once, piecemeal;
    at_once.threads = piecemeal.threads = 1;
    at_once.find_overlaps = true;
    at_once.window_bytes = 1 << 16;  // all that the fuzzer makes; the usual 4 MiB cost more time than the parsing
    piecemeal.window_bytes = 64;
    const takt::TraceRead whole = takt::parse_chrome_trace(text, "fuzz", at_once);
    const takt::TraceRead pieces = takt::parse_chrome_trace(text, "fuzz", piecemeal);
    // Where a file is damaged, what can be had beyond that place depends on the windows.
    if (whole.faults.empty() && whole.trace.events().size() != pieces.trace.events().size()) std::abort();
    takt::to_perfetto(whole.trace);
    const takt::TraceRead again = takt::parse_chrome_trace(takt::to_chrome_json(whole.trace), "again", at_once);
    if (again.trace.events().size() != whole.trace.events().size()) std::abort();
  });
  return 0;
}
