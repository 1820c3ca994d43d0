// What a Prometheus, or whatever stands in its place, answers; and what becomes of its series.
#include "predict/prometheus/answer.h"
#include "predict/prometheus/metrics.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const auto answer = takt::parse_prometheus_answer(takt::text_of(bytes, size));
    for (const auto& reading : takt::metric_readings(answer.series, {990, 1000, 1000, 60}).readings)
      if (!reading.value && reading.trouble.empty()) std::abort();  // missing, and nobody says why
    takt::own_reading("own", "", answer, {990, 1000, 1000, 60});
  });
  return 0;
}
