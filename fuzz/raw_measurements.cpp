// Measured stages, as takt and other programs write them: what is read can be written, and read again.
#include "plan/costs/raw_measurements.h"

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const auto rows = takt::parse_raw_measurements(takt::text_of(bytes, size), "fuzz.json");
    const std::string text = takt::raw_measurements_json(rows, {});
    if (takt::raw_measurements_json(takt::parse_raw_measurements(text, "again"), {}) != text) std::abort();
  });
  return 0;
}
