// Trainings that anyone's bytes tell of: whatever they say, the parts of each step add up to it.
#include <cstdlib>
#include <numeric>

#include "refused.h"
#include "trace/chrome/reader.h"
#include "training/diagnosis/tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    takt::TraceReadSettings settings;
    settings.threads = 1;
    settings.window_bytes = 1 << 16;
    const takt::TraceRead read = takt::parse_chrome_trace(takt::text_of(bytes, size), "fuzz", settings);
    const takt::Diagnosis one = takt::diagnose("fuzz", read.trace);
    for (std::size_t i = 0; i < one.steps.list.size(); ++i) {
      const auto& parts = one.breakdown.by_step[i];
      const takt::TimeInterval span = one.steps.list[i].span;
      if (std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) != span.end - span.start) std::abort();
    }
    takt::diagnosis_text(std::span(&one, 1), {});
  });
  return 0;
}
