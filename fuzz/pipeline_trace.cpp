// Traces of pipelines, as `takt pipeline analyze` reads and accounts them.
#include "pipeline/account/account.h"
#include "pipeline/record/stage_events.h"
#include "refused.h"
#include "trace/chrome/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    takt::TraceReadSettings settings;
    settings.threads = 1;
    settings.window_bytes = 1 << 16;
    const takt::TraceRead read = takt::parse_chrome_trace(takt::text_of(bytes, size), "fuzz", settings);
    const takt::Accounts accounts = takt::account(takt::read_any_pipeline(read.trace, "fuzz").run);
    takt::to_text(accounts);
  });
  return 0;
}
